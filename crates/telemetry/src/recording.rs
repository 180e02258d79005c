//! Whether anything is recorded, and a stopwatch that runs only then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static IS_ON: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_on() {
    IS_ON.store(true, Ordering::Relaxed);
}

/// Whether anything is recorded.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Measures how long something takes. If nothing is recorded, it does not even read the clock.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts now.
    #[inline]
    pub fn start() -> Self {
        Self(is_on().then(Instant::now))
    }

    /// The time since the start. None if nothing is recorded.
    #[inline]
    pub fn elapsed(self) -> Option<Duration> {
        self.0.map(|began| began.elapsed())
    }
}
