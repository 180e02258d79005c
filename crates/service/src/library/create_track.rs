//! Creating a track that waits for its source.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Ambient, AuditAction, CollectionId, Colour, CreatorId, Job, Metadata, OrganizationId, Palette, Theme,
    Track, TrackInfo, TrackStatus, UPLOAD_URL_TTL_SECONDS, UploadSessionId, sanitise_file_name,
};

use super::Library;
use super::texts::{self, LONGEST};
use crate::admission::quotas;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::delivery::UploadHandle;
use crate::imports;
use crate::refusal::Refusal;
use crate::track_view::{TrackParents, TrackView};

/// Parameters of a new track.
#[derive(Debug, Clone, Default)]
pub struct CreateTrack {
    /// The collection. A key that is limited to a collection may leave it out.
    pub collection_id: Option<CollectionId>,
    /// The name of the file. Must not be empty, unless the file is imported.
    pub file_name: String,
    /// The URL from which its file is imported. If None, the file is uploaded.
    pub source_url: Option<String>,
    /// The creator it comes from.
    pub creator_id: Option<CreatorId>,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Whether a cover found in the file may be used; default: true.
    pub is_cover_overridable: Option<bool>,
    /// Whether colours found in the file's cover may be used; default: true.
    pub is_theme_overridable: Option<bool>,
    /// The title in players.
    pub player_title: Option<String>,
    /// The line under the title in players.
    pub player_subtitle: Option<String>,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Its own colours.
    pub theme: Option<Palette>,
}

/// The upload URLs of a track's source and its cover.
#[derive(Debug, Clone)]
pub struct UploadHandles {
    /// Takes the source.
    pub track: UploadHandle,
    /// Takes the cover.
    pub cover: UploadHandle,
}

impl Library {
    /// Creates a track and signs the URLs for its source and cover.
    pub async fn create_track(
        &self,
        caller: &Caller,
        create: CreateTrack,
    ) -> Result<(TrackView, UploadHandles), Refusal> {
        self.create_track_in(caller, None, create).await
    }

    /// Like [`Self::create_track`], in an upload session of the caller's organization that fills the collection.
    pub async fn create_track_in(
        &self,
        caller: &Caller,
        session: Option<UploadSessionId>,
        create: CreateTrack,
    ) -> Result<(TrackView, UploadHandles), Refusal> {
        let collection_id = caller.target_collection(create.collection_id)?;
        let parents = TrackParents::of(&self.catalog, caller.organization_id, collection_id).await?;
        let mut create = CreateTrack { creator_id: create.creator_id.or(caller.creator_id), ..create };
        let import = imports::take(self.imports.as_ref(), create.source_url.take(), &mut create.file_name)?;
        self.require_creator(caller, create.creator_id).await?;
        self.admission.require(caller.organization_id).await?;
        let tx = self.catalog.begin().await?;
        let track =
            insert_track(&tx, &self.ambient, caller.organization_id, collection_id, session, create).await?;
        let done = AuditedAction {
            action: AuditAction::TrackCreate,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        if let Some(import) = import {
            import.queue(&tx, caller.origin, &track).await?;
        }
        tx.commit().await?;
        let (source, cover) = self.links.uploads(track.organization_id, track.id);
        Ok((parents.view(track), UploadHandles { track: source, cover }))
    }
}

/// Inserts a track that waits for its source, and the job that gives up on it if no source arrives. Checks the
/// organization's track quota first, before anything is locked.
pub(crate) async fn insert_track(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    collection_id: CollectionId,
    upload_session_id: Option<UploadSessionId>,
    create: CreateTrack,
) -> Result<Track, Refusal> {
    if create.file_name.trim().is_empty() {
        return Err(Refusal::invalid("file_name", "cannot be empty"));
    }
    texts::check_index(create.organization_index.as_deref())?;
    texts::check::<LONGEST>(&[
        ("file_name", Some(&create.file_name)),
        ("player_title", create.player_title.as_deref()),
        ("player_subtitle", create.player_subtitle.as_deref()),
    ])?;
    quotas::admit_track(tx, organization_id).await?;
    let now = ambient.now();
    let mut track = Track {
        id: ambient.record_id(),
        organization_id,
        collection_id,
        creator_id: create.creator_id,
        upload_session_id,
        index: ambient.short_id(),
        organization_index: create.organization_index,
        order: 0,
        duration: 0.0,
        file_name: sanitise_file_name(&create.file_name),
        file_name_original: Some(create.file_name),
        info: TrackInfo::default(),
        metadata: create.metadata,
        player_title: create.player_title,
        player_subtitle: create.player_subtitle,
        player_colour: create.player_colour,
        theme: Theme { set: create.theme, found: Vec::new() },
        cover: None,
        placeholder: None,
        is_cover_overridable: create.is_cover_overridable.unwrap_or(true),
        is_theme_overridable: create.is_theme_overridable.unwrap_or(true),
        transcription: None,
        transcription_language: None,
        status: TrackStatus::Initialized,
        status_reason: None,
        is_early: false,
        source: None,
        upload_expires_at: now.plus_seconds(UPLOAD_URL_TTL_SECONDS.into()),
        created_at: now,
        deleted_at: None,
    };
    track.order = tx.insert_track(&track).await?;
    let expire = Job::ExpireUpload { organization_id, track_id: track.id };
    tx.enqueue(expire, ambient.record_id(), track.upload_expires_at, None).await?;
    Ok(track)
}
