//! Code shared by the commands that are clients of a running service: connection, report, progress bars, stopping.

mod remote;
mod report;
mod screen;
mod state;
mod stop;
mod text;
mod waiting;

pub(super) use remote::{RemoteArgs, is_sendable};
pub(super) use report::{Outcome, Report, ReportEntry};
pub(super) use screen::Screen;
pub(super) use state::{LockError, lock, state_folder};
pub(super) use stop::Stop;
pub(super) use text::{shown_path, shown_text};
pub(super) use waiting::wait_for_tracks;
