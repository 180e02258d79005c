//! Sessions as they are listed: without their ids, which are credentials.

use serde::Serialize;
use tonearm_domain::{
    ApiKeyId, CollectionId, CreatorId, PlaySession, SessionHandle, Timestamp, TrackId, UploadSession,
    VariantIndex,
};
use utoipa::ToSchema;

/// A play session for those who manage it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedPlaySession {
    /// Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
    /// Null for sessions of an earlier version.
    handle: Option<SessionHandle>,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    /// The only track that it plays; null if it plays the collection.
    track_id: Option<TrackId>,
    /// The variants that it lists; null for all.
    variants: Option<Vec<VariantIndex>>,
    is_downloadable: bool,
    organization_index: Option<String>,
    /// The key that opened it.
    api_key_id: Option<ApiKeyId>,
    expires_at: Timestamp,
}

impl From<PlaySession> for ListedPlaySession {
    fn from(session: PlaySession) -> Self {
        Self {
            handle: session.handle,
            creator_id: session.creator_id,
            collection_id: session.collection_id,
            track_id: session.track_id,
            variants: session.variants.only().map(|list| list.to_vec()),
            is_downloadable: session.is_downloadable,
            organization_index: session.organization_index,
            api_key_id: session.api_key_id,
            expires_at: session.expires_at,
        }
    }
}

/// An upload session for those who manage it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedUploadSession {
    /// Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
    /// Null for sessions of an earlier version.
    handle: Option<SessionHandle>,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    organization_index: Option<String>,
    /// The key that opened it; null if a person did in the dashboard.
    api_key_id: Option<ApiKeyId>,
    expires_at: Timestamp,
}

impl From<UploadSession> for ListedUploadSession {
    fn from(session: UploadSession) -> Self {
        Self {
            handle: session.handle,
            creator_id: session.creator_id,
            collection_id: session.collection_id,
            organization_index: session.organization_index,
            api_key_id: session.api_key_id,
            expires_at: session.expires_at,
        }
    }
}
