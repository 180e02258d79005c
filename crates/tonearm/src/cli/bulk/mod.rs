//! What the commands have in common that work against a running service.

mod remote;
mod report;
mod screen;
mod state;
mod stop;
mod text;
mod waiting;

pub(super) use remote::{RemoteArgs, is_sendable};
pub(super) use report::{Kind, Report, ReportEntry};
pub(super) use screen::Screen;
pub(super) use state::{LockError, lock, state_folder};
pub(super) use stop::Stop;
pub(super) use text::{shown_path, shown_text};
pub(super) use waiting::settle;

use super::Failure;

/// Runs a command to its end on a runtime of its own.
pub(super) fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    tonearm_server::log::start("warn", false, None).map_err(Failure::Usage)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::failed)?;
    let done = runtime.block_on(work);
    // A file that is being read when the command is stopped is read no further.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    done
}
