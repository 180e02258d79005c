//! Resumable uploads with the protocol of the IETF (draft-ietf-httpbis-resumable-upload): the upload URL of a track is
//! also the upload resource. Requests of the tus protocol send their bytes through this module, too.

pub(crate) mod append;
pub(crate) mod cancel;
pub(crate) mod create;
pub(crate) mod fields;
pub(crate) mod interim;
pub(crate) mod offset;
pub(crate) mod refusal;
pub(crate) mod sending;
