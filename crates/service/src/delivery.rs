//! Signed URLs for delivery and uploads, and the keys with which organizations sign URLs themselves.

mod links;
mod shared_caches;
mod signing_keys;

pub use links::{DeliveryUrl, DeliveryUrlError, DurableBase, Links, UploadHandle};
pub use shared_caches::SharedCaches;
pub use signing_keys::{CreatedSigningKey, KeyFollower, SigningKeys};
