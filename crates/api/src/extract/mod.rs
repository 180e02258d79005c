//! What endpoints take requests apart with. Each refuses what it cannot read; the order of a handler's arguments is
//! the order of the checks, so keys come first.

mod address;
mod body;
mod digest;
mod key;
mod page;
mod path;
mod query;
mod sent;
mod sentence;
mod upload;
mod whole;

pub(crate) use address::{ClientAddress, address};
pub(crate) use body::{Body, required};
pub(crate) use digest::upload_terms;
pub(crate) use key::{ManageKey, PlayKey, PlaySessionReader, UploadKey, bearer};
pub(crate) use page::{ListQuery, Paged};
pub(crate) use path::{PathId, PathText};
pub(crate) use query::query;
pub(crate) use sent::Sent;
pub(crate) use upload::{CollectionCoverUpload, CoverUpload, SourceUpload};
pub(crate) use whole::Whole;
