//! How long and how often is measured.

use std::time::Duration;

use anyhow::Result;

/// The size of a run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Load that is not counted, before each measurement.
    pub(crate) warm_up: Duration,
    /// How long each measurement of load lasts.
    pub(crate) measured: Duration,
    /// Measurements of each side; their median is the figure.
    pub(crate) rounds: usize,
    /// How often the service is started.
    pub(crate) starts: usize,
    /// Bytes of one upload.
    pub(crate) upload_bytes: u64,
    /// Uploads of a mebibyte.
    pub(crate) small_uploads: usize,
    /// Bytes of the file that is downloaded, about.
    pub(crate) download_bytes: u64,
    /// Length of the sound that is processed, in seconds.
    pub(crate) sound_seconds: f64,
    /// Tracks that are processed at once.
    pub(crate) backlog: usize,
    /// Objects whose first bytes are waited for.
    pub(crate) cold_objects: usize,
    /// Listeners who are connected at once.
    pub(crate) listeners: usize,
    /// Tracks in the collection whose pages are listed.
    pub(crate) tracks: usize,
    /// Tracks in the library whose pages are opened.
    pub(crate) library: usize,
    /// Tracks in the library that is compared with one of a thousand.
    pub(crate) scale: u64,
}

impl Plan {
    /// What figures are published from. Some ten minutes.
    pub(crate) fn full() -> Self {
        Self {
            warm_up: Duration::from_secs(2),
            measured: Duration::from_secs(5),
            rounds: 3,
            starts: 10,
            upload_bytes: 2 << 30,
            small_uploads: 400,
            download_bytes: 200_000_000,
            sound_seconds: 300.0,
            backlog: 200,
            cold_objects: 60,
            listeners: 10_000,
            tracks: 10_000,
            library: 100_000,
            scale: 1_000_000,
        }
    }

    /// Whether everything works, not how fast it is.
    pub(crate) fn quick() -> Self {
        Self {
            warm_up: Duration::from_millis(200),
            measured: Duration::from_secs(1),
            rounds: 1,
            starts: 3,
            upload_bytes: 64 << 20,
            small_uploads: 16,
            download_bytes: 20_000_000,
            sound_seconds: 20.0,
            backlog: 12,
            cold_objects: 5,
            listeners: 200,
            tracks: 400,
            library: 2000,
            scale: 20_000,
        }
    }

    /// Measures both sides in turns, so that what else the machine does falls on both.
    pub(crate) fn alternate<T>(
        &self,
        mut tonearm: impl FnMut() -> Result<T>,
        mut reference: impl FnMut() -> Result<T>,
    ) -> Result<Sides<T>> {
        let mut sides = Sides { tonearm: Vec::new(), reference: Vec::new() };
        for _ in 0..self.rounds {
            sides.tonearm.push(tonearm()?);
            sides.reference.push(reference()?);
        }
        Ok(sides)
    }
}

/// What was measured of both sides, one entry a round.
#[derive(Debug)]
pub(crate) struct Sides<T> {
    pub(crate) tonearm: Vec<T>,
    pub(crate) reference: Vec<T>,
}

impl<T> Sides<T> {
    /// The median of one property of each side.
    pub(crate) fn medians(&self, property: impl Fn(&T) -> f64) -> (f64, f64) {
        (median(self.tonearm.iter().map(&property)), median(self.reference.iter().map(&property)))
    }
}

/// The middle value, or the mean of the two in the middle; not a number where there is none.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn sides_take_turns() {
        let plan = Plan { rounds: 2, ..Plan::quick() };
        let turns = std::cell::RefCell::new(String::new());
        let turn = |side| {
            turns.borrow_mut().push(side);
            Ok(1.0)
        };
        plan.alternate(|| turn('t'), || turn('r')).unwrap();
        assert_eq!(turns.into_inner(), "trtr");
    }
}
