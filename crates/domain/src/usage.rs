//! Usage of playback: counts of requests, deliveries and bytes by organization, day, folder and variant; and listeners,
//! identified by a hash that does not reveal who they are.

mod batch;
mod bots;
mod counts;
mod coverage;
mod day;
mod listener;
mod listeners;
mod listening;
mod listens;
mod meter;
mod networks;
mod segments;

pub use batch::{UsageBatch, UsageEntry};
pub use bots::is_bot;
pub use counts::UsageCounts;
pub use coverage::Played;
pub use day::{Day, DayError};
pub use listener::{ListenerEntry, ListenerId, ListenerKey, ListenerOrigin, TakenBytes};
pub use listeners::{ListenedFile, UncountedListeners, Visitor};
pub use listening::{ExcerptHeard, FileSound, ListenedSince, Listening};
pub use listens::{ListenCounts, ListenKind};
pub use meter::Meter;
pub use segments::Segments;
