//! Jobs that do not make files: purges, expiry, sweeps, manifests.

mod empty_collection;
mod expire_upload;
mod forget_expired;
mod publish_manifest;
mod purge_collection;
mod purge_track;
mod putting_off;
mod remove_recipe;
mod resume_collection;
mod sweep_objects;
