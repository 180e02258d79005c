//! The log of nodes inside a test's process, which must not contain secrets.

use std::io;
use std::sync::{Mutex, Once, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt, registry};

use crate::secrets::{Secrets, all_keys};

/// The most bytes of the log that are kept. A test that logs more must log less, or check its log itself.
const MOST_BYTES: usize = 256 * 1024 * 1024;

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Keeps what this project's crates log in this process, down to `debug`, unless the test has a log of its own.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Libraries also log on behalf of the clients in this process.
        let own = Targets::new().with_target("tonearm", LevelFilter::DEBUG);
        let lines = fmt::layer().with_ansi(false).with_writer(|| Kept).with_filter(own);
        let _ = registry().with(lines).try_init();
    });
}

struct Kept;

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(log.len() + bytes.len() <= MOST_BYTES, "the log is too long to be looked through");
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fails the test on drop if a secret of any node is in the log. Does nothing if the test has already failed for
/// another reason.
#[derive(Debug)]
pub(crate) struct LogCheck(pub(crate) Secrets);

impl Drop for LogCheck {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.0.found_in(&String::from_utf8_lossy(&log), &all_keys());
        drop(log);
        assert!(found.is_none(), "the log contains the secret that begins with {found:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::note_key;

    #[test]
    fn a_key_in_the_log_fails_the_test() {
        keep();
        let key = format!("{}{}", "key_", "a1".repeat(30));
        note_key("http://one.example", &key);
        let check = || std::panic::catch_unwind(|| drop(LogCheck(Secrets::default()))).is_err();
        assert!(!check());
        tracing::debug!(target: "tonearm_api", key, "wrong");
        assert!(check(), "whatever node wrote it");
        LOG.lock().unwrap().clear();
    }
}
