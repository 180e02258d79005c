//! Objects: streaming put with hash, ranged get, delete and list, in a local folder or in S3.
//!
//! An object's name is a [`tonearm_domain::ObjectKey`], which also decides its content type. A new version has a new
//! name, so objects are never overwritten and readers need no locks. An object is visible only once it is complete, and
//! durable once `put` returns.

mod blobs;
mod cache;
mod chunks;
mod draft;
mod error;
mod folder;
mod intake;
mod measured;
mod named;
mod object;
mod object_body;
mod open_object;
mod part;
mod s3;
mod storage_url;
mod store;

pub use blobs::Blobs;
pub use cache::CacheTerms;
pub use chunks::Chunks;
pub use draft::{DraftError, DraftNames, DraftState, DraftWriter, NAMED_BY_BYTES};
pub use error::{BlobError, BoxError, Cause, PutError};
pub use named::{FileName, FileNameError, NamedFiles};
pub use object::{ObjectMeta, OnFailure, PutTerms, Stored};
pub use object_body::ObjectBody;
pub use open_object::{ObjectHandle, OpenObject};
pub use part::Part;
pub use storage_url::{StorageUrl, StorageUrlError};
