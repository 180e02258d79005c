//! Upload sessions: anyone who has the id can add tracks to one collection until the session expires.

use std::net::IpAddr;

use tonearm_catalog::{SessionPage, Transaction};
use tonearm_domain::{
    ApiKey, AuditAction, CollectionId, CreatorId, ErrorCode, ExpiresIn, Metadata, Organization,
    OrganizationId, Origin, PlayerColours, UploadOpener, UploadSession, UploadSessionId,
    resolve_player_colour,
};
use uuid::Uuid;

use super::Uploads;
use crate::access::act_on_session;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::delivery::DurableBase;
use crate::imports;
use crate::library::texts::check_index;
use crate::library::{CreateTrack, UploadHandles, insert_track};
use crate::refusal::{Refusal, Resource};
use crate::request_turns::take_turn_of;
use crate::track_view::{TrackParents, TrackView};

/// Parameters of a new upload session.
#[derive(Debug, Clone, Default)]
pub struct CreateUploadSession {
    /// The collection that it fills. A key that is limited to one may leave it out.
    pub collection_id: Option<CollectionId>,
    /// The creator to whom its tracks are attributed.
    pub creator_id: Option<CreatorId>,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// How long it lasts.
    pub expires_in: ExpiresIn,
    /// A first track to create in it, in the same step.
    pub track: Option<CreateTrack>,
}

/// An upload session with the colours for the uploader's user interface.
#[derive(Debug, Clone)]
pub struct UploadSessionView {
    /// The session.
    pub session: UploadSession,
    /// The collection's colours, else the organization's.
    pub colours: PlayerColours,
}

/// A track created in an upload session.
#[derive(Debug, Clone)]
pub struct SessionTrack {
    /// The track.
    pub track: TrackView,
    /// Its upload URLs.
    pub handles: UploadHandles,
    /// The beginning of the durable names of its files.
    pub base: DurableBase,
}

/// A new upload session.
#[derive(Debug, Clone)]
pub struct CreatedUploadSession {
    /// The session.
    pub view: UploadSessionView,
    /// The track created with it, if one was requested.
    pub track: Option<SessionTrack>,
}

impl Uploads {
    /// Creates an upload session and, if requested, a first track in it: both or neither.
    pub async fn create_upload_session(
        &self,
        caller: &Caller,
        create: CreateUploadSession,
    ) -> Result<CreatedUploadSession, Refusal> {
        check_index(create.organization_index.as_deref())?;
        let organization_id = caller.organization_id;
        let collection_id = caller.target_collection(create.collection_id)?;
        let parents = TrackParents::of(&self.catalog, organization_id, collection_id).await?;
        let creator_id = create.creator_id.or(caller.creator_id);
        let of_track = create.track.as_ref().and_then(|track| track.creator_id);
        for id in creator_id.into_iter().chain(of_track) {
            self.catalog.creator(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Creator))?;
        }
        let session = UploadSession {
            id: self.ambient.credential_id(),
            organization_id,
            creator_id,
            collection_id,
            organization_index: create.organization_index,
            metadata: create.metadata,
            expires_at: self.ambient.now().plus_seconds(create.expires_in.seconds().into()),
            person_id: caller.origin.actor.person_id(),
            api_key_id: caller.origin.actor.api_key_id(),
            handle: Some(self.ambient.record_id()),
        };
        if create.track.is_some() {
            self.admission.require(organization_id).await?;
        }
        let tx = self.catalog.begin().await?;
        tx.insert_upload_session(&session).await?;
        // The id of the session is a credential and stays out of the audit log.
        let title = &parents.collection.title;
        let subject_id = collection_id.uuid();
        let done = AuditedAction { action: AuditAction::UploadSessionCreate, subject_id, title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        let track = match create.track {
            Some(track) => {
                Some(self.insert_session_track(&tx, caller.origin, &session, &parents, track).await?)
            }
            None => None,
        };
        tx.commit().await?;
        Ok(CreatedUploadSession { view: parents.view_session(session), track })
    }

    /// The session with this id, if it has not expired.
    pub async fn upload_session(&self, id: UploadSessionId) -> Result<UploadSessionView, Refusal> {
        let session = self.valid_session(id).await?;
        let parents = TrackParents::of(&self.catalog, session.organization_id, session.collection_id).await?;
        Ok(parents.view_session(session))
    }

    /// Refuses a session that does not exist or has ended. Call it before reading a body; it is checked again when the
    /// track is created.
    pub async fn require_upload_session(&self, id: UploadSessionId) -> Result<(), Refusal> {
        self.valid_session(id).await.map(drop)
    }

    /// A page of the organization's valid upload sessions, the newest first. Their ids are credentials; show their handles
    /// instead.
    pub async fn upload_sessions(
        &self,
        caller: &Caller,
        page: SessionPage,
    ) -> Result<Vec<UploadSession>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.upload_sessions(caller.organization_id, page, self.ambient.now()).await?)
    }

    /// Ends the upload session with this id or handle, and returns it as it was. Upload URLs that it handed out stay valid
    /// until they expire.
    pub async fn end_upload_session(&self, caller: &Caller, name: Uuid) -> Result<UploadSession, Refusal> {
        let (now, not_found) = (self.ambient.now(), Refusal::NotFound(Resource::UploadSession));
        let tx = self.catalog.begin().await?;
        let Some(session) = tx.upload_session_to_end(caller.organization_id, name).await? else {
            return Err(not_found);
        };
        if !session.is_valid_at(now) || !caller.scope.covers_collection(session.collection_id) {
            return Err(not_found);
        }
        tx.end_upload_session(session.organization_id, session.id, now).await?;
        // The id of the session is a credential and stays out of the audit log.
        let subject_id = session.handle.map_or(session.collection_id.uuid(), |handle| handle.uuid());
        let done = AuditedAction { action: AuditAction::UploadSessionEnd, subject_id, title: "" };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(session)
    }

    /// Creates a track in a valid session, for a client at this address.
    pub async fn create_session_track(
        &self,
        address: Option<IpAddr>,
        id: UploadSessionId,
        create: CreateTrack,
    ) -> Result<(UploadSessionView, SessionTrack), Refusal> {
        let session = self.valid_session(id).await?;
        let parents = TrackParents::of(&self.catalog, session.organization_id, session.collection_id).await?;
        self.admission.require(session.organization_id).await?;
        let tx = self.catalog.begin().await?;
        let track =
            self.insert_session_track(&tx, session.uploader(address), &session, &parents, create).await?;
        tx.commit().await?;
        Ok((parents.view_session(session), track))
    }

    pub(super) async fn insert_session_track(
        &self,
        tx: &Transaction,
        origin: Origin,
        session: &UploadSession,
        parents: &TrackParents,
        create: CreateTrack,
    ) -> Result<SessionTrack, Refusal> {
        self.require_still_valid(tx, session).await?;
        let mut create = CreateTrack { creator_id: create.creator_id.or(session.creator_id), ..create };
        let import = imports::take(self.imports.as_ref(), create.source_url.take(), &mut create.file_name)?;
        let (organization_id, collection_id) = (session.organization_id, session.collection_id);
        let track =
            insert_track(tx, &self.ambient, organization_id, collection_id, Some(session.id), create).await?;
        let (subject_id, title) = (track.id.uuid(), track.file_name.as_str());
        let done = AuditedAction { action: AuditAction::TrackCreate, subject_id, title };
        audit::record_of(tx, &self.ambient, Some(organization_id), origin, done).await?;
        if let Some(import) = import {
            import.queue(tx, origin, &track).await?;
        }
        let (source, cover) = self.links.uploads(organization_id, track.id);
        let base = self.links.durable_base(organization_id, track.index);
        let handles = UploadHandles { track: source, cover };
        Ok(SessionTrack { track: parents.view(track), handles, base })
    }

    /// A session that has not ended. Waits until it is the turn of its organization.
    pub(super) async fn valid_session(&self, id: UploadSessionId) -> Result<UploadSession, Refusal> {
        let session = self.catalog.upload_session(id).await?.ok_or(INVALID)?;
        let key = match session.api_key_id {
            Some(id) => Some(self.catalog.api_key(session.organization_id, id).await?.ok_or(INVALID)?),
            None => None,
        };
        self.require_valid(&session, key.as_ref())?;
        act_on_session(&session);
        take_turn_of(session.organization_id).await?;
        Ok(session)
    }

    /// Refuses a session that has ended since [`Self::valid_session`], in the transaction that acts on it. Until the
    /// transaction ends, whoever opened the session keeps the right to.
    async fn require_still_valid(&self, tx: &Transaction, session: &UploadSession) -> Result<(), Refusal> {
        require_opener(tx, session.organization_id, session.opener()).await?;
        let session = tx.upload_session(session.id).await?.ok_or(INVALID)?;
        self.require_valid(&session, None)
    }

    /// A key that expired ends no session: sessions have an end of their own.
    fn require_valid(&self, session: &UploadSession, key: Option<&ApiKey>) -> Result<(), Refusal> {
        let is_revoked = key.is_some_and(|key| key.revoked_at.is_some());
        if session.is_valid_at(self.ambient.now()) && !is_revoked { Ok(()) } else { Err(INVALID) }
    }
}

/// Refuses uploads once their opener has lost the right to upload, which stays until the end of the transaction otherwise.
pub(super) async fn require_opener(
    tx: &Transaction,
    organization_id: OrganizationId,
    opener: UploadOpener,
) -> Result<(), Refusal> {
    if let Some(id) = opener.api_key_id {
        let key = tx.maker(organization_id, id).await?;
        key.filter(|key| key.revoked_at.is_none()).ok_or(ENDED)?;
    }
    match opener.person_id {
        Some(id) if !tx.is_editor(organization_id, id).await? => Err(ENDED),
        _ => Ok(()),
    }
}

const INVALID: Refusal = Refusal::Unauthenticated {
    code: ErrorCode::InvalidUploadSession,
    message: "the upload session does not exist or has expired; create a new one",
};

pub(super) const ENDED: Refusal = Refusal::Unauthenticated {
    code: ErrorCode::InvalidUploadSession,
    message: "the API key or the person that this upload was begun for has no right to upload any more; create the track, or \
              ask for the replacement, anew",
};

impl TrackParents {
    fn view_session(&self, session: UploadSession) -> UploadSessionView {
        let Organization { player_colour, is_theme_overridable, .. } = *self.organization;
        let colour = resolve_player_colour(
            (player_colour, is_theme_overridable),
            (self.collection.colour(), self.collection.is_theme_overridable),
            None,
            (None, false),
        );
        UploadSessionView { session, colours: colour.companions() }
    }
}
