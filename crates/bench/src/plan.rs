//! How long and how often to measure.

use std::time::Duration;

use anyhow::Result;

/// The size of a run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Duration of the load before each measurement, which is not counted.
    pub(crate) warm_up: Duration,
    /// Duration of each measurement of load.
    pub(crate) measured: Duration,
    /// Number of measurements of each side. The figure is their median.
    pub(crate) rounds: usize,
    /// Number of times the service is started.
    pub(crate) starts: usize,
    /// Size of one upload in bytes.
    pub(crate) upload_bytes: u64,
    /// Number of uploads of one mebibyte.
    pub(crate) small_uploads: usize,
    /// Approximate size in bytes of the file that is downloaded.
    pub(crate) download_bytes: u64,
    /// Length of the sound that is processed, in seconds.
    pub(crate) sound_seconds: f64,
    /// Number of tracks that are processed at once.
    pub(crate) backlog: usize,
    /// Number of objects whose time to the first byte is measured.
    pub(crate) cold_objects: usize,
    /// Number of concurrent listeners.
    pub(crate) listeners: usize,
    /// Number of tracks in the collection whose pages are listed.
    pub(crate) tracks: usize,
    /// Number of tracks in the library whose dashboard pages are opened.
    pub(crate) library: usize,
    /// Number of tracks in the library that is compared with a library of a thousand tracks.
    pub(crate) scale: u64,
}

impl Plan {
    /// The plan for published figures. Takes about ten minutes.
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

    /// A plan that checks that everything works, not how fast it is.
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

    /// Measures both sides alternately, so that other load on the machine affects both.
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

/// The measurements of both sides, one entry per round.
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

/// The middle value, or the mean of the two in the middle. NaN if there are no values.
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
