//! The ages of things, for gauges that are computed on request.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::recording::is_on;

/// How long a finding about the store counts. Nodes take turns to check, so a node may not learn that another node
/// added what it found.
const FOUND_COUNTS_FOR: Duration = Duration::from_secs(300);

#[derive(Default)]
struct LastSeen {
    /// When this node took the usage batch that it cannot store, in Unix milliseconds.
    waiting: Option<i64>,
    /// When the oldest batch in the store that is not added yet was put there, and when that was found.
    found: Option<(i64, Instant)>,
    /// When the list of live signing keys was last read; before the first read, when this node started. A node that
    /// never reads the list must be visible too.
    key_list: Option<Instant>,
}

static LAST_SEEN: Mutex<LastSeen> = Mutex::new(LastSeen { waiting: None, found: None, key_list: None });

/// Starts to measure ages.
pub(crate) fn begin() {
    update(|last| last.key_list = last.key_list.or_else(|| Some(Instant::now())));
}

fn update(change: impl FnOnce(&mut LastSeen)) {
    if is_on() {
        change(&mut LAST_SEEN.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn read<T>(look: impl FnOnce(&LastSeen) -> T) -> T {
    look(&LAST_SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Sets when this node took usage that it could not store, in Unix milliseconds; `None` if there is none.
pub fn waits_with_usage(since: Option<i64>) {
    update(|last| last.waiting = since);
}

/// Sets when the oldest usage of other nodes that is not added yet was put into the store, in Unix milliseconds; `None`
/// if there is none.
pub fn found_stored_usage(since: Option<i64>) {
    update(|last| last.found = since.map(|since| (since, Instant::now())));
}

/// Since when the oldest usage waits to be added, in Unix milliseconds. None if all is added.
pub fn oldest_usage_millis() -> Option<i64> {
    read(|last| {
        let found = last.found.filter(|(_, seen)| seen.elapsed() < FOUND_COUNTS_FOR).map(|(since, _)| since);
        last.waiting.into_iter().chain(found).min()
    })
}

/// The list of live signing keys was read.
pub fn read_key_list() {
    update(|last| last.key_list = Some(Instant::now()));
}

/// How long ago the list of live signing keys was read, or, before the first read, how long ago this node started. None
/// if nothing is recorded.
pub fn key_list_age() -> Option<Duration> {
    read(|last| last.key_list.map(|at| at.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_never_read_grows_old() {
        assert_eq!(key_list_age(), None);
        crate::turn_on();
        let age = key_list_age().unwrap();
        assert!(key_list_age().unwrap() >= age);
        // Another node of the same process starts, and nothing has been read since.
        let began = read(|last| last.key_list);
        crate::turn_on();
        assert_eq!(read(|last| last.key_list), began);
        read_key_list();
        assert!(read(|last| last.key_list) > began);
    }
}
