//! Signed URLs: making them, for uploads too, and the keys that organizations sign their own with.

mod links;
mod shared_caches;
mod signing_keys;

pub use links::{DeliveryUrl, DeliveryUrlError, DurableBase, Links, UploadHandle};
pub use shared_caches::SharedCaches;
pub use signing_keys::{CreatedSigningKey, KeyFollower, SigningKeys};
