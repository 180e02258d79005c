//! Counts jobs and finds the age of the oldest, for metrics.

use sea_orm::{ConnectionTrait, Statement};
use tonearm_domain::{JobClass, JobQueue, Timestamp};

use crate::catalog::Catalog;
use crate::error::CatalogError;

/// The most jobs that are counted in each queue, and among those that run or have failed. The cost of counting must not
/// grow with the amount of work.
const MOST: u64 = 20_000;

/// Jobs of one class, kind and state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTally {
    /// Their class.
    pub class: JobClass,
    /// Their kind. A later version may have queued them.
    pub kind: String,
    /// `queued`: due. `waiting`: not due yet, or waiting for a part of the service. `running` or `failed`.
    pub state: String,
    /// How many there are.
    pub count: u64,
    /// Milliseconds since the oldest of them was due, began to wait, or failed. 0 for jobs that are due later.
    pub oldest_age_millis: u64,
}

/// The jobs of one queue without a lease, up to the limit. The conditions match those of its index.
fn waiting(queue: JobQueue, now: &str) -> String {
    let queue = queue.as_str();
    format!(
        "SELECT queue, kind, CASE WHEN waits_for IS NULL AND run_at <= {now} THEN 'queued' ELSE 'waiting' END AS state, \
         COALESCE(failing_since, run_at) AS since FROM job \
         WHERE queue = '{queue}' AND lease_id IS NULL AND failed_at IS NULL ORDER BY run_at LIMIT {MOST}"
    )
}

fn statement(now: &str) -> String {
    let running = format!(
        "SELECT queue, kind, 'running' AS state, run_at AS since FROM job \
         WHERE lease_id IS NOT NULL AND failed_at IS NULL AND leased_until > 0 ORDER BY leased_until LIMIT {MOST}"
    );
    let failed = format!(
        "SELECT queue, kind, 'failed' AS state, failed_at AS since FROM job \
         WHERE failed_at IS NOT NULL AND failed_at > 0 ORDER BY failed_at LIMIT {MOST}"
    );
    let parts = JobQueue::ALL.into_iter().map(|queue| waiting(queue, now)).chain([running, failed]);
    // SQLite allows a limit in a part of a union only within a subquery.
    let parts: Vec<String> =
        parts.enumerate().map(|(number, part)| format!("SELECT * FROM ({part}) AS part_{number}")).collect();
    let all = parts.join(" UNION ALL ");
    format!(
        "SELECT queue, kind, state, COUNT(*) AS jobs, {now} - MIN(since) AS age FROM ({all}) AS counted \
         WHERE queue IS NOT NULL GROUP BY queue, kind, state"
    )
}

impl Catalog {
    /// The number of jobs by class, kind and state. Reads a bounded number of rows, each through an index. Jobs that an
    /// earlier version queued and that have no queue yet are left out.
    pub async fn job_tallies(&self, now: Timestamp) -> Result<Vec<JobTally>, CatalogError> {
        let db = self.reader();
        let text = statement(&self.due_clock().now_text(now));
        let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await?;
        let mut tallies: Vec<JobTally> = Vec::with_capacity(rows.len());
        for row in rows {
            let queue: String = row.try_get("", "queue")?;
            // The class of a queue of a later version is not known here.
            let Some(queue) = JobQueue::ALL.into_iter().find(|known| known.as_str() == queue) else {
                continue;
            };
            let (kind, state): (String, String) = (row.try_get("", "kind")?, row.try_get("", "state")?);
            let (count, age): (i64, i64) = (row.try_get("", "jobs")?, row.try_get("", "age")?);
            let (count, age) = (u64::try_from(count).unwrap_or(0), u64::try_from(age).unwrap_or(0));
            let class = queue.class();
            let known = tallies
                .iter_mut()
                .find(|tally| tally.class == class && tally.kind == kind && tally.state == state);
            match known {
                Some(tally) => {
                    tally.count += count;
                    tally.oldest_age_millis = tally.oldest_age_millis.max(age);
                }
                None => tallies.push(JobTally { class, kind, state, count, oldest_age_millis: age }),
            }
        }
        Ok(tallies)
    }
}
