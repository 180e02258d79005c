//! The quotas of an organization.

pub(crate) mod read;
