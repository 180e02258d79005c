//! The player: its module, and the data it plays from.

mod data;
mod files;

pub(crate) use data::{ListedTrack, PartData, PlayerData, SourceData, TrackData, covers};
pub(crate) use files::{address, routes};
