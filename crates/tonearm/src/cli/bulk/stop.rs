//! Stops a run before all items are done.

use std::sync::{Arc, OnceLock};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::text::shown_text;

/// The exit status that shells report for an interrupted program.
const INTERRUPTED: i32 = 130;

/// Two ways to stop: `closing` begins nothing new, `interrupted` also abandons work in progress.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Stop {
    closing: CancellationToken,
    interrupted: CancellationToken,
    reason: Arc<OnceLock<String>>,
}

impl Stop {
    /// Stops at once on Ctrl-C or SIGTERM. A second one ends the program.
    pub(in crate::cli) fn on_signals(&self) -> std::io::Result<()> {
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let stop = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if stop.interrupted.is_cancelled() {
                    std::process::exit(INTERRUPTED);
                }
                stop.closing.cancel();
                stop.interrupted.cancel();
            }
        });
        Ok(())
    }

    /// Starts no new work, because it would fail for the same reason.
    pub(in crate::cli) fn close(&self, reason: &str) {
        let _ = self.reason.set(shown_text(reason));
        self.closing.cancel();
    }

    /// The reason that was given to [`Self::close`], if it was called.
    pub(in crate::cli) fn reason(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }

    /// Whether no new work is started.
    pub(in crate::cli) fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Whether a signal stopped the run.
    pub(in crate::cli) fn is_interrupted(&self) -> bool {
        self.interrupted.is_cancelled()
    }

    /// Waits until no new work is started.
    pub(in crate::cli) async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// Runs `work` until it is done or a signal stops the run.
    pub(in crate::cli) async fn unless_interrupted<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.interrupted.run_until_cancelled(work).await
    }
}
