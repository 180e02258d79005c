//! Making files of tracks from their sources.

mod album_order;
mod analysis;
mod derive_again;
mod draw_placeholder;
mod file_progress;
mod files;
mod finish_cover;
mod fitting;
mod found_cover;
mod limits;
mod local_source;
mod pictures;
mod plan;
mod process_track;
mod queue_rendering;
mod recording;
mod render_track;
mod replace_source;
mod reporting;
mod reusing;
mod run_context;
mod spoken_pieces;
mod stop;
mod swapping;
mod transcribe_track;

pub(super) use derive_again::DerivedTracks;
pub(super) use recording::Recording;
pub(super) use render_track::TrackRendering;
pub(super) use replace_source::{ReplacementTurn, fail as fail_replacement};
pub(super) use transcribe_track::failed as failed_transcription;
