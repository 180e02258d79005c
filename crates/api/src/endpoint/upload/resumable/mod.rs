//! Uploads that can be resumed, by the protocol of the IETF (draft-ietf-httpbis-resumable-upload): the upload URL of a track
//! is also the upload resource. The requests of both protocols send their bytes through here.

pub(crate) mod append;
pub(crate) mod cancel;
pub(crate) mod create;
pub(crate) mod fields;
pub(crate) mod interim;
pub(crate) mod offset;
pub(crate) mod refusal;
pub(crate) mod sending;
