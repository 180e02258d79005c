//! Webhooks.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod list_deliveries;
pub(crate) mod read;
pub(crate) mod read_delivery;
pub(crate) mod replay;
pub(crate) mod replay_failed;
pub(crate) mod rotate_secret;
pub(crate) mod test;
pub(crate) mod update;
