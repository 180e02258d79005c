//! What must be true at the end of a run.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use futures::{StreamExt, stream};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tonearm_catalog::{Catalog, ConnectOptions, JobFilter, JobState};
use tonearm_domain::{Job, LimitOffset};

use crate::client::text;
use crate::load::{Load, Upload};
use crate::report::Report;

/// How long one request is retried. No faults are injected at this point.
const WITHIN: Duration = Duration::from_secs(30);
/// The longest time until all plays are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(120);
/// Pause between two lines that report progress.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Jobs that wait for their due time, independently of uploads.
const UPKEEP: [&str; 3] = ["expire_upload", "sweep_objects", "forget_expired"];

/// Waits until everything has settled, then checks everything.
pub(crate) async fn judge(
    load: &Load,
    uploads: usize,
    database_url: &str,
    settle: Duration,
    report: &mut Report,
) -> Result<()> {
    let acknowledged = load.acknowledged.lock().unwrap().clone();
    report.row("uploads acknowledged", format!("{} of {uploads}", acknowledged.len()));
    report.row("requests tried again", load.retries.load(std::sync::atomic::Ordering::Relaxed));
    let catalog = Catalog::connect(&database_url.parse()?, ConnectOptions::default()).await?;
    let settled_after = until_settled(load, &catalog, settle).await?;
    report.row("settled after", format!("{:.1} s", settled_after.as_secs_f64()));

    check_tracks(load, &acknowledged, report).await?;
    check_jobs(&catalog, report).await?;
    check_count(load, uploads, report).await?;
    load.notes.say("all tracks have been looked at; what was played is counted");
    check_usage(load, report).await?;
    catalog.close().await?;
    report.row("took", format!("{:.0} s", load.notes.seconds()));
    load.notes.add_to(report);
    Ok(())
}

/// Waits until no work is left, or until no track became ready and no job ended for `settle`. The total time is not
/// limited, as the machine may be slow.
async fn until_settled(load: &Load, catalog: &Catalog, settle: Duration) -> Result<Duration> {
    let (begun, mut reported_at, mut moved) = (Instant::now(), Instant::now(), Instant::now());
    let mut least = (u64::MAX, u64::MAX);
    loop {
        let left = work_left(catalog).await?;
        // Tracks are compared first: a track that becomes ready adds a job for its cover.
        if left < least {
            (least, moved) = (left, Instant::now());
        }
        if left == (0, 0) || moved.elapsed() > settle {
            return Ok(begun.elapsed());
        }
        if reported_at.elapsed() > REPORT_INTERVAL {
            reported_at = Instant::now();
            load.notes.say(format!("{} jobs for tracks and {} others are left", left.0, left.1));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The number of waiting or running jobs that process tracks, and of all others except [`UPKEEP`].
async fn work_left(catalog: &Catalog) -> Result<(u64, u64)> {
    let (mut tracks, mut others) = (0, 0);
    for kind in Job::KINDS.into_iter().filter(|kind| is_work(kind)) {
        let counted = if kind == "process_track" { &mut tracks } else { &mut others };
        let count = async |state| {
            let filter = JobFilter { state, kind: Some(kind.to_owned()) };
            Ok::<u64, anyhow::Error>(catalog.jobs(filter, LimitOffset::new(Some(1), None)?).await?.0)
        };
        *counted += count(None).await?.saturating_sub(count(Some(JobState::Failed)).await?);
    }
    Ok((tracks, others))
}

fn is_work(kind: &str) -> bool {
    !UPKEEP.contains(&kind)
}

/// Checks that every acknowledged upload is ready and that each of its files exists, and compares the original byte for
/// byte.
async fn check_tracks(load: &Load, acknowledged: &[Upload], report: &mut Report) -> Result<()> {
    let looks = stream::iter(acknowledged.iter().enumerate())
        .map(|(number, upload)| async move { (upload, look_at(load, number, upload).await) })
        .buffer_unordered(8);
    let mut statuses: HashMap<String, usize> = HashMap::new();
    let mut looks = std::pin::pin!(looks);
    let (mut looked_at, mut reported_at) = (0, Instant::now());
    while let Some((upload, found)) = looks.next().await {
        looked_at += 1;
        if reported_at.elapsed() > REPORT_INTERVAL {
            reported_at = Instant::now();
            load.notes.say(format!("{looked_at} of {} tracks have been looked at", acknowledged.len()));
        }
        match found {
            Ok(status) => {
                if status != "ready" {
                    report.violation("tracks that are not ready", format!("{}: {status}", upload.track_id));
                }
                *statuses.entry(status).or_default() += 1;
            }
            Err(error) => {
                report.violation("tracks that are not whole", format!("{}: {error:#}", upload.track_id))
            }
        }
    }
    let mut statuses: Vec<_> =
        statuses.into_iter().map(|(status, count)| format!("{count} {status}")).collect();
    statuses.sort();
    report.row("tracks", statuses.join(", "));
    Ok(())
}

async fn look_at(load: &Load, number: usize, upload: &Upload) -> Result<String> {
    let track = load.client.get(number, &format!("/v1/track/{}", upload.track_id), WITHIN).await?;
    let status = text(&track, "/track/track_status_id")?;
    if status != "ready" {
        return Ok(status);
    }
    let variants = load.ledger.open(&load.client, number, &upload.track_id, WITHIN).await?;
    for (at, variant) in variants.iter().enumerate() {
        let bytes = load.ledger.fetch(&load.client, number, &upload.track_id, variant, WITHIN).await?;
        if at == 0 {
            anyhow::ensure!(
                hex::encode(Sha256::digest(&bytes)) == upload.sha256,
                "the original has other bytes"
            );
        }
    }
    Ok(status)
}

/// Checks that no job except upkeep is pending, no job was given up and no lease is left.
async fn check_jobs(catalog: &Catalog, report: &mut Report) -> Result<()> {
    let jobs = catalog.pending_jobs().await?;
    report.row("jobs left for later", jobs.iter().filter(|job| !is_work(&job.kind)).count());
    for job in jobs {
        let what =
            format!("{} after {} attempts: {}", job.kind, job.attempts, job.last_error.unwrap_or_default());
        if job.failed_at.is_some() {
            report.violation("jobs that were given up", what);
        } else if is_work(&job.kind) {
            report.violation("jobs that are stuck", what);
        } else if job.leased_until.is_some() && job.kind != "sweep_objects" {
            report.violation("leases that are left", what);
        }
    }
    Ok(())
}

/// Checks that retried requests created no second track.
async fn check_count(load: &Load, uploads: usize, report: &mut Report) -> Result<()> {
    let path = format!("/v1/collection/{}/track?limit=1", load.collection);
    let listed = load.client.get(0, &path, WITHIN).await?;
    let count = listed["count"].as_u64().unwrap_or_default();
    if count != uploads as u64 {
        report.violation("tracks made twice or not at all", format!("{count} tracks for {uploads} uploads"));
    }
    Ok(())
}

/// Checks that plays are counted to the byte.
async fn check_usage(load: &Load, report: &mut Report) -> Result<()> {
    let expected = load.ledger.counts();
    let begun = Instant::now();
    let counted = loop {
        let counted = usage(load).await?;
        let is_same = expected.iter().filter(|(_, counts)| !counts.is_inexact).all(|(track, counts)| {
            counted.get(track).copied().unwrap_or_default() == (counts.starts, counts.bytes)
        });
        if is_same || begun.elapsed() > COUNTED_WITHIN {
            break counted;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    let mut exact = 0;
    for (track, counts) in &expected {
        let (starts, bytes) = counted.get(track).copied().unwrap_or_default();
        let is_right = match counts.is_inexact {
            false => (starts, bytes) == (counts.starts, counts.bytes),
            true => starts >= counts.starts && bytes >= counts.bytes,
        };
        exact += u64::from(is_right && !counts.is_inexact);
        if !is_right {
            report.violation(
                "tracks whose plays are not counted",
                format!("{track}: {starts} starts and {bytes} bytes, instead of {counts:?}"),
            );
        }
    }
    report.row("plays counted exactly", format!("of {exact} tracks of {}", expected.len()));
    Ok(())
}

async fn usage(load: &Load) -> Result<HashMap<String, (u64, u64)>> {
    let (mut counted, mut seen) = (HashMap::new(), 0);
    loop {
        // Pages by rows, not by tracks: a row that moves from one page to the next while counts are added is seen
        // twice.
        let path = format!("/v1/usage?group=track&limit=200&offset={seen}");
        let page = load.client.get(0, &path, WITHIN).await?;
        let rows = page["usage"].as_array().cloned().unwrap_or_default();
        if rows.is_empty() {
            return Ok(counted);
        }
        seen += rows.len();
        for row in rows {
            let number = |name: &str| row[name].as_u64().unwrap_or_default();
            let track = row["track_id"].as_str().or(row["folder"].as_str()).unwrap_or_default();
            counted.insert(track.to_owned(), (number("starts"), number("bytes")));
        }
        if page["usage"] == Value::Null {
            return Ok(counted);
        }
    }
}
