//! The master secrets: which are in use, and what is sealed (encrypted) under them.

mod master_secrets;
mod resealing;

pub use master_secrets::{MasterSecretStatus, MasterSecretView, MasterSecrets, RotationStep};
pub use resealing::{Resealed, Resealing, SealedCounts};
