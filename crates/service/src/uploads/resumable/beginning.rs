//! A new upload that can be resumed.

use std::net::IpAddr;

use tonearm_domain::{
    OrganizationId, Origin, ShortId, TrackId, Upload, UploadKind, UploadSessionId, UploadState,
};

use super::UploadRefusal;
use crate::library::CreateTrack;
use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackParents;
use crate::uploads::Uploads;
use crate::uploads::accept_source::accepted_status;

/// What permits an upload.
#[derive(Debug, Clone)]
pub enum UploadPermit {
    /// The upload URL of a track.
    Track {
        /// Whose the track is.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// An upload session, in which a track is made.
    Session {
        /// The session.
        id: UploadSessionId,
        /// Where the request comes from.
        address: Option<IpAddr>,
        /// The track to be made; a partial upload needs none.
        track: Box<CreateTrack>,
    },
}

/// An upload to begin.
#[derive(Debug, Clone)]
pub struct BeginUpload {
    /// What it becomes.
    pub kind: UploadKind,
    /// The length of the whole, if it is known.
    pub length: Option<u64>,
    /// The SHA-256 that the whole must have.
    pub sha256: Option<[u8; 32]>,
    /// What the sender says of it, without credentials.
    pub metadata: Option<String>,
}

/// Where the bytes belong.
pub(super) struct Target {
    pub(super) organization_id: OrganizationId,
    pub(super) track_id: Option<TrackId>,
    pub(super) folder: ShortId,
}

impl Uploads {
    /// Begins an upload. One to an upload URL replaces an earlier one to the same URL, whose bytes are removed.
    pub async fn begin_upload(
        &self,
        permit: UploadPermit,
        begin: BeginUpload,
    ) -> Result<Upload, UploadRefusal> {
        self.check_length(begin.length)?;
        let organization_id = match &permit {
            UploadPermit::Track { organization_id, .. } => *organization_id,
            UploadPermit::Session { id, .. } => self.valid_session(*id).await?.organization_id,
        };
        self.require_room(organization_id, begin.length).await?;
        if let (UploadKind::Url, UploadPermit::Track { organization_id, track_id }) = (begin.kind, &permit)
            && let Some(earlier) = self.catalog.upload_to_url(*organization_id, *track_id).await?
            && earlier.is_receiving()
        {
            self.remove_upload(earlier.id).await?;
        }
        let target = self.target(permit, begin.kind).await?;
        let now = self.ambient.now();
        let upload = Upload {
            id: self.ambient.credential_id(),
            organization_id: target.organization_id,
            track_id: target.track_id,
            kind: begin.kind,
            state: UploadState::Receiving,
            folder: target.folder,
            version: self.ambient.short_id(),
            length: begin.length,
            offset: 0,
            sha256: begin.sha256,
            metadata: begin.metadata,
            draft: String::new(),
            object: None,
            created_at: now,
            expires_at: Upload::expiry(now, now),
        };
        let tx = self.catalog.begin().await?;
        tx.insert_upload(&upload).await?;
        tx.commit().await?;
        if let Some(track_id) = upload.track_id {
            self.catalog.renew_upload(upload.organization_id, track_id, upload.expires_at).await?;
        }
        Ok(upload)
    }

    fn check_length(&self, length: Option<u64>) -> Result<(), UploadRefusal> {
        let limit = self.limits.max_source_bytes;
        match length {
            Some(0) => Err(Refusal::invalid("body", "is empty; send an audio file").into()),
            Some(length) if length > limit => Err(Refusal::TooLarge { limit }.into()),
            _ => Ok(()),
        }
    }

    /// The track that a permit is about, or that it permits to make. Parts are no track's yet.
    pub(super) async fn target(
        &self,
        permit: UploadPermit,
        kind: UploadKind,
    ) -> Result<Target, UploadRefusal> {
        let is_part = kind == UploadKind::Partial;
        match permit {
            UploadPermit::Track { organization_id, track_id } => {
                let track = self.catalog.track(organization_id, track_id).await?;
                let track = track.ok_or(Refusal::NotFound(Resource::Track))?;
                accepted_status(&track)?;
                Ok(Target {
                    organization_id,
                    track_id: Some(track_id).filter(|_| !is_part),
                    folder: track.index,
                })
            }
            UploadPermit::Session { id, .. } if is_part => {
                let organization_id = self.valid_session(id).await?.organization_id;
                Ok(Target { organization_id, track_id: None, folder: self.ambient.short_id() })
            }
            UploadPermit::Session { id, address, track } => {
                let session = self.valid_session(id).await?;
                let organization_id = session.organization_id;
                let parents = TrackParents::of(&self.catalog, organization_id, session.collection_id).await?;
                let tx = self.catalog.begin().await?;
                let origin = Origin::uploader(address);
                let made = self.insert_session_track(&tx, origin, &session, &parents, *track).await?;
                tx.commit().await?;
                let track = made.track.track;
                Ok(Target { organization_id, track_id: Some(track.id), folder: track.index })
            }
        }
    }
}
