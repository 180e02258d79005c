//! `Upload-Metadata`: comma-separated pairs of a key and a base64-encoded value.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use tonearm_domain::{Metadata, Text, UploadSessionId};
use tonearm_service::CreateTrack;

use crate::error::ApiError;

const NAME: &str = "Upload-Metadata";
/// Pairs that are credentials. They are not stored and not returned.
const CREDENTIALS: [&str; 2] = ["upload_session_id", "upload_url"];

/// The metadata that a client sends for its file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UploadMetadata {
    pairs: Vec<(String, String)>,
    /// The header without credentials.
    pub(super) stored: Option<String>,
}

impl UploadMetadata {
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, ApiError> {
        let Some(value) = headers.get(NAME) else { return Ok(Self::default()) };
        let text = value.to_str().map_err(|_| ApiError::invalid(NAME, "must be printable ASCII"))?;
        let (mut pairs, mut stored) = (Vec::new(), Vec::new());
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, encoded) = pair.split_once(' ').unwrap_or((pair, ""));
            let value =
                BASE64_STANDARD.decode(encoded.trim()).ok().and_then(|value| String::from_utf8(value).ok());
            let value = value.ok_or_else(|| {
                ApiError::invalid(NAME, format!("the value of `{key}` must be the base64 of UTF-8 text"))
            })?;
            if !CREDENTIALS.contains(&key) {
                stored.push(pair);
            }
            pairs.push((key.to_owned(), value));
        }
        Ok(Self { pairs, stored: Some(stored.join(",")).filter(|stored| !stored.is_empty()) })
    }

    /// The value of a key, unless it is empty.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let (_, value) = self.pairs.iter().find(|(name, _)| name == key)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn upload_session_id(&self) -> Result<Option<UploadSessionId>, ApiError> {
        let id = self.get("upload_session_id");
        id.map(|id| id.parse().map_err(|error| ApiError::invalid("upload_session_id", error))).transpose()
    }

    /// The track to create: `filename` or `name`, `organization_index`, and `metadata` as JSON.
    pub(super) fn track(&self) -> Result<CreateTrack, ApiError> {
        let text = |field: &'static str, value: Option<&str>| {
            let text = value.map(|value| Text::<1000>::try_from(value.to_owned())).transpose();
            text.map(|text| text.map(String::from)).map_err(|error| ApiError::invalid(field, error))
        };
        let metadata = self.get("metadata").map(serde_json::from_str::<Metadata>).transpose();
        Ok(CreateTrack {
            file_name: text("filename", self.get("filename").or_else(|| self.get("name")))?
                .unwrap_or_default(),
            organization_index: text("organization_index", self.get("organization_index"))?,
            metadata: metadata
                .map_err(|_| ApiError::invalid("metadata", "must be a JSON object"))?
                .unwrap_or_default(),
            ..CreateTrack::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<UploadMetadata, ApiError> {
        let name = http::HeaderName::from_static("upload-metadata");
        UploadMetadata::read(&HeaderMap::from_iter([(name, value.parse().unwrap())]))
    }

    #[test]
    fn pairs_are_read_and_credentials_are_not_stored() {
        let id = UploadSessionId::from_uuid(uuid::Uuid::from_u128(1));
        let session = BASE64_STANDARD.encode(id.to_string());
        let read = read(&format!("filename c8O8w58ubXAz, empty,upload_session_id {session},is_x ")).unwrap();
        assert_eq!(read.get("filename"), Some("süß.mp3"));
        assert_eq!(read.get("empty"), None);
        assert_eq!(read.upload_session_id().unwrap(), Some(id));
        assert_eq!(read.stored.as_deref(), Some("filename c8O8w58ubXAz,empty,is_x"));
        assert_eq!(read.track().unwrap().file_name, "süß.mp3");
        assert_eq!(UploadMetadata::read(&HeaderMap::new()).unwrap(), UploadMetadata::default());
    }

    #[test]
    fn what_is_not_base64_of_text_is_refused() {
        for bad in ["filename !", "filename /w==", "filename c8O8 more"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let bad = BASE64_STANDARD.encode("[1]");
        assert!(read(&format!("metadata {bad}")).unwrap().track().is_err());
    }
}
