//! What nodes inside the process of a test log, in which no secret may be.

use std::io;
use std::sync::{Mutex, Once, PoisonError};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt, registry};

use crate::secrets::{Secrets, keys_of};

/// What is kept of the log: a test that runs for long goes on without a log.
const MOST_BYTES: usize = 64 * 1024 * 1024;

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Keeps what the crates of this project log in this process, down to `debug`, unless the test has a log of its own.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Libraries also log for the clients in this process.
        let own = Targets::new().with_target("tonearm", LevelFilter::DEBUG);
        let lines = fmt::layer().with_ansi(false).with_writer(|| Kept).with_filter(own);
        let _ = registry().with(lines).try_init();
    });
}

struct Kept;

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() + bytes.len() <= MOST_BYTES {
            log.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fails the test when it is dropped, if a secret of a node is in the log. A test that fails for another reason is left alone.
#[derive(Debug)]
pub(crate) struct LogCheck {
    base_url: String,
    secrets: Secrets,
}

impl LogCheck {
    pub(crate) fn new(base_url: &str, secrets: Secrets) -> Self {
        Self { base_url: base_url.to_owned(), secrets }
    }
}

impl Drop for LogCheck {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.secrets.found_in(&String::from_utf8_lossy(&log), &keys_of(&self.base_url));
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
        let check = |url: &str| {
            note_key(url, &key);
            std::panic::catch_unwind(|| drop(LogCheck::new(url, Secrets::default()))).is_err()
        };
        assert!(!check("http://one.example"));
        tracing::debug!(target: "tonearm_api", key, "wrong");
        assert!(check("http://one.example"), "whatever node wrote it");
        LOG.lock().unwrap().clear();
    }
}
