//! A client for a running Tonearm service.
//!
//! [`Client`] sends typed requests to `/v1`, and retries after transient errors with exponential backoff, for a limited time.
//! [`Client::upload`] sends a file in pieces, and resumes after every interruption from the last byte that the server has.

mod client;
mod covers;
mod endpoints;
mod error;
mod json;
mod retry;
mod secret_url;
mod server_url;
mod source_file;
mod stall;
mod upload;

pub use client::{Client, ClientOptions};
pub use endpoints::{
    CollectionRecord, CreatedTrack, ImportTrack, ListedTrack, TrackPage, TrackQuery, TrackRecord,
    UpdateTrack, UploadSession,
};
pub use error::{ClientError, Refusal};
pub use secret_url::SecretUrl;
pub use server_url::{ServerUrl, ServerUrlError};
pub use source_file::{FileError, FileStamp, HashProgress, SourceFile};
pub use upload::{UploadError, UploadLifetime, UploadOptions};
