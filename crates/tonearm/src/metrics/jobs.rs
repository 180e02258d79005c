//! The jobs of all nodes, counted in the database at most once in ten seconds.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tonearm_catalog::{Catalog, JobTally};
use tonearm_domain::{Ambient, Job};

use super::text::Text;

/// How long counts are cached. However often metrics are requested, the database is not queried more often than this.
const FRESH: Duration = Duration::from_secs(10);

/// How long the database may take to count.
const DEADLINE: Duration = Duration::from_secs(3);

/// The kind shown for jobs of a kind that only a later version knows.
const OTHER: &str = "other";

/// The counts and when they were made. The counts are `None` if the database did not return them.
type Last = Option<(Instant, Option<Vec<JobTally>>)>;

/// Counts jobs.
pub(super) struct Jobs {
    catalog: Catalog,
    ambient: Ambient,
    last: Mutex<Last>,
}

impl Jobs {
    pub(super) fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient, last: Mutex::default() }
    }

    pub(super) async fn write(&self, text: &mut Text) {
        let counted = self.cached_tallies().await;
        text.single("tonearm_job_counts_up", u8::from(counted.is_some()));
        let series = series_of(counted.unwrap_or_default());
        let mut samples = text.family("tonearm_jobs");
        for one in &series {
            samples.sample(&one.labels(), one.count);
        }
        let mut samples = text.family("tonearm_job_oldest_age_seconds");
        for one in &series {
            samples.sample(&one.labels(), one.oldest_age_millis as f64 / 1000.0);
        }
    }

    /// Recent counts. Of several concurrent requests, one counts and the others wait for it.
    async fn cached_tallies(&self) -> Option<Vec<JobTally>> {
        let mut last = self.last.lock().await;
        if let Some((made_at, counted)) = &*last
            && made_at.elapsed() < FRESH
        {
            return counted.clone();
        }
        let counted = match timeout(DEADLINE, self.catalog.job_tallies(self.ambient.now())).await {
            Ok(Ok(tallies)) => Some(tallies),
            Ok(Err(error)) => {
                tracing::warn!(%error, "could not count jobs for metrics");
                None
            }
            Err(_) => {
                tracing::warn!(deadline = ?DEADLINE, "counting jobs for metrics timed out");
                None
            }
        };
        *last = Some((Instant::now(), counted.clone()));
        counted
    }
}

/// Jobs of one class, kind and state.
#[derive(Debug, PartialEq, Eq)]
struct Series {
    class: &'static str,
    kind: &'static str,
    state: String,
    count: u64,
    oldest_age_millis: u64,
}

impl Series {
    fn labels(&self) -> [(&str, &str); 3] {
        [("class", self.class), ("kind", self.kind), ("state", &self.state)]
    }
}

/// Converts the counts to series. All unknown kinds become one series.
fn series_of(tallies: Vec<JobTally>) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for tally in tallies {
        let kind = Job::KINDS.into_iter().find(|kind| *kind == tally.kind).unwrap_or(OTHER);
        let class = tally.class.as_str();
        let is_same = |one: &&mut Series| one.class == class && one.kind == kind && one.state == tally.state;
        match all.iter_mut().find(is_same) {
            Some(one) => {
                one.count += tally.count;
                one.oldest_age_millis = one.oldest_age_millis.max(tally.oldest_age_millis);
            }
            None => {
                let JobTally { state, count, oldest_age_millis, .. } = tally;
                all.push(Series { class, kind, state, count, oldest_age_millis });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use tonearm_domain::JobClass;

    use super::*;

    #[test]
    fn unknown_kinds_are_one_series() {
        let tally = |kind: &str, count, oldest_age_millis| JobTally {
            class: JobClass::Wait,
            kind: kind.to_owned(),
            state: "queued".to_owned(),
            count,
            oldest_age_millis,
        };
        let series = series_of(vec![tally("new", 1, 5), tally("newer", 2, 3), tally("import_source", 4, 0)]);
        let summed: Vec<_> = series.iter().map(|one| (one.kind, one.count, one.oldest_age_millis)).collect();
        assert_eq!(summed, [("other", 3, 5), ("import_source", 4, 0)]);
    }
}
