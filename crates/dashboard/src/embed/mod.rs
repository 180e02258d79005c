//! The player: its modules, and the data it plays from.

mod data;
mod files;

pub(crate) use data::{ListedTrack, PartData, PlayerData, SourceData, TrackData, covers};
pub(crate) use files::{address, module, stable_module};
