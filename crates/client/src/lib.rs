//! Calls to a running Tonearm.
//!
//! [`Client`] sends typed requests to `/v1` and repeats those that failed for a reason that may pass, with growing pauses, until
//! its patience is over. [`Client::upload`] sends a file in pieces and goes on after every interruption from the last byte
//! that the server has.

mod calls;
mod client;
mod covers;
mod error;
mod json;
mod retry;
mod secret_url;
mod server_url;
mod source_file;
mod stall;
mod upload;

pub use calls::{
    CollectionRecord, CreatedTrack, FoundTrack, ImportTrack, TrackPage, TrackQuery, TrackRecord, UpdateTrack,
    UploadSession,
};
pub use client::{Client, ClientOptions};
pub use error::{ClientError, Refusal};
pub use secret_url::SecretUrl;
pub use server_url::{ServerUrl, ServerUrlError};
pub use source_file::{FileError, HashProgress, SourceFile, Stamp};
pub use upload::{Begun, UploadError, UploadOptions};
