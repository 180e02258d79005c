//! The endpoints of `/v1` that this crate calls, with the fields of their responses that it uses.

use std::fmt::Write as _;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tonearm_domain::{CollectionId, ThemeColour, TrackId, TrackStatus, UploadSessionId};
use url::form_urlencoded::byte_serialize;

use crate::client::Client;
use crate::error::ClientError;
use crate::secret_url::SecretUrl;

/// A collection.
#[derive(Debug, Clone, Deserialize)]
pub struct CollectionRecord {
    /// Its title.
    pub title: String,
    /// Its colours: those that were set, else those of its cover.
    pub theme: Vec<ThemeColour>,
}

/// A track, in full.
#[derive(Debug, Clone, Deserialize)]
pub struct TrackRecord {
    /// Its id.
    pub id: TrackId,
    /// Its status.
    pub track_status_id: TrackStatus,
    /// Why it failed, or what it is waiting for.
    pub status_reason: Option<String>,
}

/// A track of a list.
#[derive(Debug, Clone, Deserialize)]
pub struct ListedTrack {
    /// Its id.
    pub id: TrackId,
    /// Its status.
    pub track_status_id: TrackStatus,
    /// Why it failed, or what it is waiting for.
    pub status_reason: Option<String>,
    /// The caller's own id for it.
    pub organization_index: Option<String>,
    /// The title that players show.
    pub player_title: Option<String>,
    /// The subtitle that players show.
    pub player_subtitle: Option<String>,
    /// What the caller stored with it.
    pub metadata: Map<String, Value>,
}

/// A page of a list.
#[derive(Debug, Clone, Deserialize)]
pub struct TrackPage {
    /// The number of tracks on all pages, if it is known.
    pub count: Option<u64>,
    /// The tracks of this page.
    pub tracks: Vec<ListedTrack>,
    /// The cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
}

/// A filter for the tracks of a collection.
#[derive(Debug, Clone, Default)]
pub struct TrackQuery {
    /// Those whose source has this hash.
    pub source_sha256: Option<[u8; 32]>,
    /// Those with this external id.
    pub organization_index: Option<String>,
    /// Those with one of these statuses.
    pub statuses: Vec<TrackStatus>,
    /// Maximum number of tracks on a page, 1 to 200.
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A track that was created, with its upload URLs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreatedTrack {
    /// Its id.
    pub track_id: TrackId,
    /// The upload URL for its bytes.
    pub track_upload: UploadHandle,
    /// The upload URL for its cover.
    pub track_cover_upload: UploadHandle,
}

/// An upload URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UploadHandle {
    /// The URL.
    pub upload_url: SecretUrl,
    /// Number of seconds for which an upload can begin.
    pub ttl: u32,
}

/// A track that the service fetches itself.
#[derive(Debug, Clone, Serialize)]
pub struct ImportTrack {
    /// The collection.
    pub collection_id: CollectionId,
    /// Where the file is.
    pub source_url: String,
    /// The caller's own id.
    pub organization_index: String,
    /// The title.
    pub player_title: Option<String>,
    /// The subtitle.
    pub player_subtitle: Option<String>,
    /// What is stored with it.
    pub metadata: Map<String, Value>,
}

/// A change of a track. What is `None` stays as it is.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateTrack {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_title: Option<String>,
    /// The subtitle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_subtitle: Option<String>,
    /// What is stored with it.
    pub metadata: Map<String, Value>,
}

/// An upload session. Its tracks are sorted in the order of their albums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadSession {
    /// Its id, which is a credential.
    #[serde(rename = "upload_session_id")]
    pub id: UploadSessionId,
}

#[derive(Deserialize)]
struct OneCollection {
    collection: CollectionRecord,
}

#[derive(Deserialize)]
struct OneTrack {
    track: TrackRecord,
}

impl Client {
    /// A collection.
    pub async fn collection(&self, id: CollectionId) -> Result<CollectionRecord, ClientError> {
        let one: OneCollection = self.call(Method::GET, &format!("/v1/collection/{id}"), None, None).await?;
        Ok(one.collection)
    }

    /// A track.
    pub async fn track(&self, id: TrackId) -> Result<TrackRecord, ClientError> {
        let one: OneTrack = self.call(Method::GET, &format!("/v1/track/{id}"), None, None).await?;
        Ok(one.track)
    }

    /// A page of the tracks of a collection, the oldest first.
    pub async fn tracks(
        &self,
        collection: CollectionId,
        query: &TrackQuery,
    ) -> Result<TrackPage, ClientError> {
        self.call(Method::GET, &path(collection, query), None, None).await
    }

    /// Creates an upload session for `seconds`.
    pub async fn create_upload_session(
        &self,
        collection: CollectionId,
        seconds: u32,
    ) -> Result<UploadSession, ClientError> {
        let body = json!({ "collection_id": collection, "expires_in": seconds });
        self.call(Method::POST, "/v1/upload_session", Some(&body), None).await
    }

    /// Creates a track in an upload session. Repeated with the same key within a day, even by another process, it
    /// returns the same track.
    pub async fn create_session_track(
        &self,
        session: UploadSession,
        file_name: &str,
        idempotency_key: &str,
    ) -> Result<CreatedTrack, ClientError> {
        let path = format!("/v1/upload/{}/track", session.id);
        let body = json!({ "file_name": file_name });
        self.call(Method::POST, &path, Some(&body), Some(idempotency_key)).await
    }

    /// Creates a track whose file the service fetches.
    pub async fn import_track(&self, track: &ImportTrack) -> Result<CreatedTrack, ClientError> {
        self.call(Method::POST, "/v1/track", Some(&json!(track)), None).await
    }

    /// Changes a track.
    pub async fn update_track(&self, id: TrackId, update: &UpdateTrack) -> Result<(), ClientError> {
        let _: Value = self.call(Method::PUT, &format!("/v1/track/{id}"), Some(&json!(update)), None).await?;
        Ok(())
    }

    /// Deletes a track. Succeeds if it does not exist.
    pub async fn delete_track(&self, id: TrackId) -> Result<(), ClientError> {
        match self.call::<Value>(Method::DELETE, &format!("/v1/track/{id}"), None, None).await {
            Err(error) if error.status() == Some(404) => Ok(()),
            deleted => deleted.map(drop),
        }
    }
}

fn path(collection: CollectionId, query: &TrackQuery) -> String {
    let mut path = format!("/v1/track?collection_id={collection}&sort=created&limit={}", query.limit);
    let mut add = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = write!(path, "&{name}={}", byte_serialize(value.as_bytes()).collect::<String>());
    };
    if let Some(sha256) = query.source_sha256 {
        add("source_sha256", &hex::encode(sha256));
    }
    if let Some(index) = &query.organization_index {
        add("organization_index", index);
    }
    if !query.statuses.is_empty() {
        let statuses: Vec<&str> = query.statuses.iter().map(|status| status.as_str()).collect();
        add("status", &statuses.join(","));
    }
    if let Some(cursor) = &query.cursor {
        add("cursor", cursor);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded() {
        let collection: CollectionId = "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10".parse().unwrap();
        let query = TrackQuery {
            organization_index: Some("a&b=ü c".to_owned()),
            statuses: vec![TrackStatus::Ready, TrackStatus::Error],
            limit: 5,
            ..TrackQuery::default()
        };
        assert_eq!(
            path(collection, &query),
            format!(
                "/v1/track?collection_id={collection}&sort=created&limit=5\
                 &organization_index=a%26b%3D%C3%BC+c&status=ready%2Cerror"
            )
        );
    }
}
