//! Beginning a resumable upload.

use std::net::IpAddr;

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    NewUpload, OrganizationId, Origin, ReplacementId, ShortId, SourceSlot, Track, TrackId, Upload, UploadId,
    UploadKind, UploadOpener, UploadSession, UploadSessionId,
};

use super::UploadRefusal;
use crate::library::CreateTrack;
use crate::refusal::Refusal;
use crate::request_turns::turn_of;
use crate::track_view::TrackParents;
use crate::uploads::Uploads;
use crate::uploads::accept_source::lock_open_slot;
use crate::uploads::upload_session::require_opener;

/// The most earlier uploads to an upload URL that a request removes if others keep being begun.
const MOST_REMOVALS: usize = 8;

/// The permission for an upload.
#[derive(Debug, Clone)]
pub enum UploadPermit {
    /// The upload URL of a track.
    Track(SourceSlot),
    /// An upload session, in which a track is created.
    Session {
        /// The session.
        id: UploadSessionId,
        /// Where the request comes from.
        address: Option<IpAddr>,
        /// The track to create. A partial upload needs none.
        track: Box<CreateTrack>,
    },
}

/// An upload to begin.
#[derive(Debug, Clone)]
pub struct BeginUpload {
    /// The kind of upload.
    pub kind: UploadKind,
    /// The length of the whole upload, if known.
    pub length: Option<u64>,
    /// The SHA-256 that the whole upload must have.
    pub sha256: Option<[u8; 32]>,
    /// Metadata from the sender, without credentials.
    pub metadata: Option<String>,
}

/// The target of the bytes of a permitted upload. Nothing is created yet.
pub(super) enum Target {
    /// They are the source of this track, or its new one.
    Track(Box<Track>, SourceSlot, UploadOpener),
    /// They are the source of a track that is created in an upload session.
    NewTrack(Box<NewTrack>),
    /// They are a part of an upload, which does not become a source by itself.
    Partial { organization_id: OrganizationId, folder: ShortId, opener: UploadOpener },
}

/// A track to create in an upload session.
pub(super) struct NewTrack {
    session: UploadSession,
    parents: TrackParents,
    origin: Origin,
    create: CreateTrack,
}

/// The target of the bytes of an upload, and the folder of its objects.
struct Destination {
    organization_id: OrganizationId,
    track_id: Option<TrackId>,
    replacement_id: Option<ReplacementId>,
    folder: ShortId,
    opener: UploadOpener,
}

impl Target {
    pub(super) fn organization_id(&self) -> OrganizationId {
        match self {
            Self::Track(track, ..) => track.organization_id,
            Self::NewTrack(new) => new.session.organization_id,
            Self::Partial { organization_id, .. } => *organization_id,
        }
    }

    fn opener(&self) -> UploadOpener {
        match self {
            Self::Track(_, _, opener) | Self::Partial { opener, .. } => *opener,
            Self::NewTrack(new) => new.session.opener(),
        }
    }
}

impl Uploads {
    /// Begins an upload. An upload to an upload URL replaces an earlier one to the same URL, whose bytes are removed.
    pub async fn begin_upload(
        &self,
        permit: UploadPermit,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        self.check_length(begin.length)?;
        let target = self.target(permit, begin.kind).await?;
        let _turn = turn_of(target.organization_id()).await?;
        self.require_room(target.organization_id(), begin.length, 0).await?;
        match (begin.kind, target) {
            (UploadKind::Url, Target::Track(_, slot, opener)) => {
                self.insert_upload_to_url(slot, opener, begin).await
            }
            (_, target) => self.insert_upload(self.ambient.credential_id(), target, begin).await,
        }
    }

    /// Records an upload to an upload URL. Such a URL has one upload at a time, so an earlier one is removed first. Its
    /// bytes are in the store, so the transaction that inserts the new upload cannot remove it. That transaction
    /// checks, with the track locked, that none is left.
    async fn insert_upload_to_url(
        &self,
        slot: SourceSlot,
        opener: UploadOpener,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        for _ in 0..MOST_REMOVALS {
            let tx = self.catalog.begin().await?;
            require_opener(&tx, slot.organization_id, opener).await?;
            let (track, _) = lock_open_slot(&tx, slot).await?;
            let Some(earlier) = tx.open_upload_to_url(slot, self.ambient.now()).await? else {
                let destination = Destination {
                    organization_id: slot.organization_id,
                    track_id: Some(track.id),
                    replacement_id: slot.replacement_id,
                    folder: track.index,
                    opener,
                };
                return self.commit_upload(tx, self.ambient.credential_id(), destination, begin).await;
            };
            drop(tx);
            match self.remove_upload(earlier.id).await {
                // Another request has removed it, or it has expired.
                Ok(()) | Err(UploadRefusal::Gone | UploadRefusal::Refused(Refusal::NotFound(_))) => {}
                Err(refusal) => return Err(refusal),
            }
        }
        Err(UploadRefusal::Locked)
    }

    fn check_length(&self, length: Option<u64>) -> Result<(), UploadRefusal> {
        let limit = self.limits.max_source_bytes;
        match length {
            Some(0) => Err(Refusal::invalid("body", "is empty; send an audio file").into()),
            Some(length) if length > limit => Err(Refusal::TooLarge { limit }.into()),
            _ => Ok(()),
        }
    }

    /// The target of a permit.
    pub(super) async fn target(
        &self,
        permit: UploadPermit,
        kind: UploadKind,
    ) -> Result<Target, UploadRefusal> {
        let is_partial = kind == UploadKind::Partial;
        match permit {
            UploadPermit::Track(slot) => {
                let track = self.track_of_open_slot(slot).await?;
                let (organization_id, opener) = (slot.organization_id, self.opener_of(&track, slot).await?);
                Ok(match is_partial {
                    true => Target::Partial { organization_id, folder: track.index, opener },
                    false => Target::Track(Box::new(track), slot, opener),
                })
            }
            UploadPermit::Session { id, address, track } => {
                let session = self.valid_session(id).await?;
                let organization_id = session.organization_id;
                if is_partial {
                    let (folder, opener) = (self.ambient.short_id(), session.opener());
                    return Ok(Target::Partial { organization_id, folder, opener });
                }
                let parents = TrackParents::of(&self.catalog, organization_id, session.collection_id).await?;
                let origin = session.uploader(address);
                Ok(Target::NewTrack(Box::new(NewTrack { session, parents, origin, create: *track })))
            }
        }
    }

    /// On whose right an upload to an upload URL depends: a URL may have been handed out by a session that has expired.
    pub(in crate::uploads) async fn opener_of(
        &self,
        track: &Track,
        slot: SourceSlot,
    ) -> Result<UploadOpener, CatalogError> {
        if slot.replacement_id.is_some() {
            let replacement = self.catalog.replacement(slot.organization_id, track.id).await?;
            let opener =
                replacement.map(|it| UploadOpener { api_key_id: it.api_key_id, person_id: it.person_id });
            return Ok(opener.unwrap_or_default());
        }
        let Some(id) = track.upload_session_id else {
            let api_key_id = self.catalog.maker_of_track(track.id).await?;
            return Ok(UploadOpener { api_key_id, person_id: None });
        };
        let session = self.catalog.upload_session(id).await?;
        Ok(session.map(|session| session.opener()).unwrap_or_default())
    }

    /// Records an upload of which nothing has arrived yet, together with the track that is created for it.
    pub(super) async fn insert_upload(
        &self,
        id: UploadId,
        target: Target,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        let (organization_id, opener) = (target.organization_id(), target.opener());
        let tx = self.catalog.begin().await?;
        require_opener(&tx, organization_id, opener).await?;
        tx.admit_records(organization_id).await?;
        let mut replacement_id = None;
        let (track_id, folder) = match target {
            Target::Track(track, slot, _) => {
                replacement_id = slot.replacement_id;
                (Some(track.id), track.index)
            }
            Target::Partial { folder, .. } => (None, folder),
            Target::NewTrack(new) => {
                let NewTrack { session, parents, origin, create } = *new;
                let made = self.insert_session_track(&tx, origin, &session, &parents, create).await?;
                (Some(made.track.track.id), made.track.track.index)
            }
        };
        let destination = Destination { organization_id, track_id, replacement_id, folder, opener };
        self.commit_upload(tx, id, destination, begin).await
    }

    /// Inserts an upload, commits, and makes its track wait until the upload expires.
    async fn commit_upload(
        &self,
        tx: Transaction,
        id: UploadId,
        destination: Destination,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        let Destination { organization_id, track_id, replacement_id, folder, opener } = destination;
        let BeginUpload { kind, length, sha256, metadata } = begin;
        let new = NewUpload {
            id,
            organization_id,
            track_id,
            replacement_id,
            opener,
            kind,
            folder,
            length,
            sha256,
            metadata,
        };
        let upload = Upload::begin(new, &self.ambient);
        tx.insert_upload(&upload).await?;
        tx.commit().await?;
        if let Some(track_id) = upload.track_id {
            self.catalog.renew_upload(organization_id, track_id, upload.expires_at).await?;
        }
        Ok(upload)
    }
}
