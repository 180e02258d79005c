//! Upload sessions.

use serde::Serialize;
use tonearm_domain::{CollectionId, CreatorId, Metadata, Timestamp, UploadSession, UploadSessionId};
use tonearm_service::UploadSessionView;
use utoipa::ToSchema;

use super::Colours;

/// The record of an upload session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadSessionRecord {
    id: UploadSessionId,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    organization_index: Option<String>,
    metadata: Metadata,
    expires_at: Timestamp,
}

/// The response to creating and reading an upload session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadSessionBody {
    upload_session_id: UploadSessionId,
    upload_session: UploadSessionRecord,
    #[serde(flatten)]
    colours: Colours,
    expires_at: Timestamp,
}

impl From<UploadSession> for UploadSessionRecord {
    fn from(session: UploadSession) -> Self {
        Self {
            id: session.id,
            creator_id: session.creator_id,
            collection_id: session.collection_id,
            organization_index: session.organization_index,
            metadata: session.metadata,
            expires_at: session.expires_at,
        }
    }
}

impl From<UploadSessionView> for UploadSessionBody {
    fn from(UploadSessionView { session, colours }: UploadSessionView) -> Self {
        Self {
            upload_session_id: session.id,
            expires_at: session.expires_at,
            upload_session: session.into(),
            colours: colours.into(),
        }
    }
}
