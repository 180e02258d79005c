//! Extractors. Each refuses requests that it cannot read. The order of a handler's arguments is the order of the
//! checks, so keys come first.

mod body;
mod cursor;
mod digest;
mod key;
mod page;
mod path;
mod query;
mod sent;
mod sentence;
mod sessions;
mod track_query;
mod upload;
mod visit;
mod whole_number;
mod window;

pub(crate) use body::{Body, drain, read, required};
pub(crate) use digest::{DigestCheck, piece_check, upload_terms, whole_terms};
pub(crate) use key::{ManageKey, PlayKey, PlaySessionReader, UploadKey, origin};
pub(crate) use page::{ListQuery, Paged};
pub(crate) use path::{PathId, PathText};
pub(crate) use query::query;
pub(crate) use sent::{Sent, record};
pub use sentence::sentence;
pub(crate) use sessions::{Sessions, SessionsText};
pub(crate) use track_query::{TrackParameters, TrackQuery};
pub(crate) use upload::{
    BegunUpload, CollectionCoverUpload, CoverUpload, SourceUpload, ValidUploadSession, source_upload,
};
pub(crate) use visit::RequestVisit;
pub(crate) use whole_number::WholeNumber;
pub(crate) use window::{CursorQuery, NextCursor, Windowed};
