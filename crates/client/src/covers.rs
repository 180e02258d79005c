//! Covers of tracks and collections.

use bytes::Bytes;
use reqwest::Method;
use serde::Deserialize;
use tonearm_domain::CollectionId;

use crate::client::{Client, Response};
use crate::endpoints::UploadHandle;
use crate::error::ClientError;
use crate::secret_url::SecretUrl;

/// Timeout for sending a picture, including its processing by the server.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(180);

#[derive(Deserialize)]
struct Renewed {
    collection_cover_upload: UploadHandle,
}

impl Client {
    /// Sends a picture to the cover upload URL of a track or a collection.
    pub async fn upload_cover(&self, url: &SecretUrl, picture: Bytes) -> Result<(), ClientError> {
        let mut attempts = self.attempts();
        loop {
            let request = self.http.post(url.reveal()).body(picture.clone()).timeout(TIMEOUT);
            match self.send(request).await.and_then(Response::success) {
                Ok(_) => return Ok(()),
                Err(error) => attempts.wait_after(error).await?,
            }
        }
    }

    /// The cover upload URL of a collection.
    pub async fn collection_cover_url(&self, id: CollectionId) -> Result<SecretUrl, ClientError> {
        let path = format!("/v1/collection/{id}/cover");
        let renewed: Renewed = self.call(Method::POST, &path, None, None).await?;
        Ok(renewed.collection_cover_upload.upload_url)
    }
}
