//! An upload that is resumed after every interruption, with the protocol of the IETF
//! (draft-ietf-httpbis-resumable-upload). See docs/uploads.md.
//!
//! A request without bytes begins the upload, so that a refusal comes before any bytes are sent. The bytes follow in pieces.
//! After every error, `HEAD` returns the offset at which to continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Body, Method, RequestBuilder, StatusCode};

use crate::client::{Client, Response};
use crate::error::{ClientError, Refusal};
use crate::secret_url::SecretUrl;
use crate::source_file::{FileError, SourceFile};
use crate::stall::unless_stalled;

/// How long the service may accept no bytes, or take to respond after the last one.
const STALL: Duration = Duration::from_secs(120);

/// How long a request without bytes may take. The service first ends an earlier request that hangs.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// The media type of a piece.
const PARTIAL_UPLOAD: &str = "application/partial-upload";

/// How a file is sent.
#[derive(Debug, Clone)]
pub struct UploadOptions {
    /// Maximum number of bytes in one request.
    pub piece: u64,
    /// Nothing has been sent to this URL before.
    pub is_new: bool,
    /// Progress of the upload: the number of bytes of the file that have been sent.
    pub position: Arc<AtomicU64>,
}

/// How often in a row an upload may stay at the same offset although nothing failed.
const MAX_REPEATED: u32 = 50;

/// How long an upload that has begun can be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLifetime {
    /// Seconds, if the service says so.
    pub max_age: Option<u64>,
}

/// Why an upload did not finish.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UploadError {
    /// There is no upload to resume at this URL, and none can begin there.
    #[error("the upload has expired")]
    Gone,
    /// It failed.
    #[error(transparent)]
    Failed(#[from] ClientError),
}

impl From<FileError> for UploadError {
    fn from(error: FileError) -> Self {
        Self::Failed(error.into())
    }
}

/// The progress of an upload.
enum State {
    /// Nothing has begun.
    Nothing,
    /// This many bytes are durable.
    At(u64),
    /// All of it.
    Complete,
}

impl Client {
    /// Sends a file, or the missing part of it, to the upload URL of a track. `on_begun` is called once the upload can
    /// be resumed.
    pub async fn upload(
        &self,
        url: &SecretUrl,
        file: &SourceFile,
        options: &UploadOptions,
        on_begun: &(dyn Fn(UploadLifetime) + Sync),
    ) -> Result<(), UploadError> {
        let upload = Sending { client: self, url, file, options, on_begun };
        let mut attempts = self.attempts();
        let mut state = if options.is_new { Ok(State::Nothing) } else { upload.state().await };
        let (mut furthest, mut repeated) = (None, 0);
        loop {
            repeated += 1;
            let next = match state {
                Ok(State::Complete) => return Ok(()),
                Ok(_) if repeated > MAX_REPEATED => {
                    let what = "it accepts bytes that it does not keep";
                    Err(ClientError::invalid_response(&url.host(), what).into())
                }
                Ok(State::Nothing) => upload.begin().await,
                Ok(State::At(offset)) => {
                    // A piece that arrives is progress, and so is a part of one that was cut off.
                    if furthest.is_none_or(|before| offset > before) {
                        attempts.progressed();
                        (furthest, repeated) = (Some(offset), 0);
                    }
                    upload.append(offset).await
                }
                Err(error) => Err(error),
            };
            state = match next {
                Err(UploadError::Failed(error)) => {
                    attempts.wait_after(error).await?;
                    upload.state().await
                }
                next => Ok(next?),
            };
        }
    }

    /// Cancels an upload, so that its bytes are removed at once. Errors are ignored, since it expires.
    pub async fn cancel_upload(&self, url: &SecretUrl) {
        drop(self.send(self.http.delete(url.reveal()).timeout(HEAD_TIMEOUT)).await);
    }
}

struct Sending<'a> {
    client: &'a Client,
    url: &'a SecretUrl,
    file: &'a SourceFile,
    options: &'a UploadOptions,
    on_begun: &'a (dyn Fn(UploadLifetime) + Sync),
}

impl Sending<'_> {
    fn request(&self, method: Method) -> RequestBuilder {
        self.client.http.request(method, self.url.reveal())
    }

    /// Requests the progress of the upload.
    async fn state(&self) -> Result<State, UploadError> {
        let response = self.client.send(self.request(Method::HEAD).timeout(HEAD_TIMEOUT)).await?;
        match response.status {
            StatusCode::NOT_FOUND => Ok(State::Nothing),
            StatusCode::GONE | StatusCode::UNAUTHORIZED => Err(UploadError::Gone),
            _ => self.read(&response.success()?),
        }
    }

    fn read(&self, response: &Response) -> Result<State, UploadError> {
        if response.text("upload-complete") == "?1" {
            return Ok(State::Complete);
        }
        let offset = response.number("upload-offset");
        let invalid =
            || ClientError::invalid_response(&self.url.host(), "it does not say where the upload is");
        let offset = offset.ok_or_else(invalid)?;
        if offset > self.file.size() {
            return Err(UploadError::Gone);
        }
        (self.on_begun)(UploadLifetime { max_age: max_age(response) });
        self.options.position.store(offset, Ordering::Relaxed);
        Ok(State::At(offset))
    }

    /// Begins the upload without bytes. The whole file must have the digest that is sent.
    async fn begin(&self) -> Result<State, UploadError> {
        let digest = STANDARD.encode(self.file.sha256());
        let request = self
            .request(Method::PUT)
            .header("Upload-Complete", "?0")
            .header("Upload-Length", self.file.size())
            .header("Repr-Digest", format!("sha-256=:{digest}:"))
            .header(CONTENT_LENGTH, 0);
        let response = self.client.send(request.timeout(HEAD_TIMEOUT)).await?;
        match response.status {
            // Either the URL has expired, or its track was deleted.
            StatusCode::UNAUTHORIZED | StatusCode::NOT_FOUND => Err(UploadError::Gone),
            // The track has its source already; the next request finds out whether it is this file.
            StatusCode::CONFLICT => self.state().await,
            _ => {
                let response = response.success()?;
                (self.on_begun)(UploadLifetime { max_age: max_age(&response) });
                Ok(State::At(0))
            }
        }
    }

    /// Sends the next piece.
    async fn append(&self, offset: u64) -> Result<State, UploadError> {
        let (size, position) = (self.file.size(), &self.options.position);
        let end = size.min(offset.saturating_add(self.options.piece.max(1)));
        position.store(offset, Ordering::Relaxed);
        let body = Body::wrap_stream(self.file.bytes((offset, end), Arc::clone(position)).await?);
        let request = self
            .request(Method::PATCH)
            .header(CONTENT_TYPE, PARTIAL_UPLOAD)
            .header(CONTENT_LENGTH, end - offset)
            .header("Upload-Offset", offset)
            .header("Upload-Complete", if end == size { "?1" } else { "?0" })
            .body(body);
        let sent = unless_stalled(self.client.send(request), position, STALL).await;
        let response = match sent {
            Some(sent) => sent?,
            None => {
                let cause = "it takes no more bytes".to_owned();
                return Err(ClientError::Unreachable { host: self.url.host(), cause }.into());
            }
        };
        match response.status {
            StatusCode::OK => Ok(State::Complete),
            StatusCode::NO_CONTENT => self.read(&response).map(|_| State::At(end)),
            // The offset was wrong, or the upload is complete.
            StatusCode::CONFLICT => self.state().await,
            StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::UNAUTHORIZED => Err(UploadError::Gone),
            _ => Err(self.refused(response).await),
        }
    }

    /// Why a piece was refused: bytes with another digest come from a file that has changed.
    async fn refused(&self, response: Response) -> UploadError {
        let refusal = Refusal::read(response.status, &response.headers, &response.body);
        let is_changed = match tokio::fs::metadata(self.file.path()).await {
            Ok(metadata) => self.file.check(&metadata).is_err(),
            Err(_) => true,
        };
        match is_changed {
            true => FileError::Changed.into(),
            false => ClientError::Refused(refusal).into(),
        }
    }
}

/// `max-age` of `Upload-Limit`.
fn max_age(response: &Response) -> Option<u64> {
    let limits = response.text("upload-limit").split(',');
    limits.filter_map(|limit| limit.trim().strip_prefix("max-age=")).find_map(|seconds| seconds.parse().ok())
}
