//! `tonearm status`

mod as_json;

use std::sync::Arc;

use tonearm_domain::{Ambient, EndedRuns, QuotaKind};
use tonearm_server::tls;
use tonearm_service::{
    AcmeStatus, CertificateEnd, FailedJobs, NearQuota, NodeStatus, QueueStatus, Reachability, Status,
    StatusReport,
};

use super::bytes::shown_bytes;
use super::table::Table;
use super::{Failure, print};
use crate::{Config, opening};

const NODES: Table<7> = Table {
    columns: ["NODE", "ADDRESS", "VERSION", "ROLES", "CLOCK", "LAST SEEN", "STATE"],
    empty: "No node has run in the last day.",
};

const QUEUES: Table<9> = Table {
    columns: [
        "JOBS",
        "DUE",
        "RUNNING",
        "WAITING",
        "OLDEST DUE",
        "DONE/MIN",
        "DONE/H",
        "FAILED/MIN",
        "FAILED/H",
    ],
    empty: "There are no queues.",
};

const FAILURES: Table<5> = Table {
    columns: ["FAILED", "COUNT", "LAST", "LAST JOB", "REASON"],
    empty: "No job failed in the last day.",
};

const NEAR_QUOTAS: Table<5> = Table {
    columns: ["QUOTA OF", "ORGANIZATION", "LIMITS", "USED", "LIMIT"],
    empty: "No quota is nearly used up.",
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print JSON, one object
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    if !config.needs_catalog() {
        return Err(Failure::failed(
            "this node only delivers and has no database; run `tonearm status` on one with the role api or worker",
        ));
    }
    opening::make_folder(&config.data_dir)?;
    let catalog = opening::catalog_of_command(config, ambient).await?;
    let blobs = opening::blobs_of_catalog(config, &catalog).await.inspect_err(|error| {
        tracing::warn!(%error, "could not open the store");
    });
    let status = Status::new(catalog, blobs.ok(), ambient.clone())
        .with_disks(opening::disks(config))
        .with_certificate(certificate_end(config))
        .with_acme(config.acme.as_ref().map(|terms| terms.names.clone()));
    let report = status.report().await;
    match args.json {
        true => print::json(&as_json::report(&report)),
        false => print_report(&report),
    }
    Ok(())
}

fn certificate_end(config: &Config) -> Option<CertificateEnd> {
    let files = config.tls.clone()?;
    Some(Arc::new(move || tls::end_of_files(&files)))
}

fn print_report(report: &StatusReport) {
    print::outln!("database  {}", reach_text(report.database));
    print::outln!("store     {}", reach_text(report.store));
    for disk in &report.disks {
        let (place, free, size) = (disk.place.as_str(), shown_bytes(disk.free), shown_bytes(disk.size));
        print::outln!("disk      {place}: {free} of {size} free");
    }
    if let Some(end) = report.certificate_ends_at {
        let side = if end <= report.at { "expired" } else { "expires" };
        print::outln!("tls       the certificate {side} at {end}");
    }
    if let Some(acme) = &report.acme {
        print::outln!("tls       {}", acme_text(acme, report));
    }
    print::outln!("backup    {}", backup_text(report));
    print::outln!("");
    print_nodes(report);
    print::outln!("");
    print_queues(report);
    print::outln!("");
    print_failures(report);
    print::outln!("");
    print_quotas(report);
}

fn reach_text(reach: Reachability) -> String {
    match reach {
        Reachability::Answered(after) => format!("ok, {} ms", after.as_millis()),
        Reachability::Failed => "cannot be reached; run `tonearm doctor`".to_owned(),
        Reachability::TimedOut => "no response; run `tonearm doctor`".to_owned(),
    }
}

fn acme_text(acme: &AcmeStatus, report: &StatusReport) -> String {
    let names = &acme.names;
    let mut text = match acme.ends_at {
        Some(end) if end <= report.at => format!("the certificate of {names} expired at {end}"),
        Some(end) => format!("the certificate of {names} expires at {end}"),
        None => format!("there is no certificate of {names} yet"),
    };
    if let (Some(error), Some(at)) = (&acme.last_error, acme.order_at) {
        let error = error.replace('\n', " ");
        text.push_str(&format!(
            "; the last certificate request failed ({error}); the next attempt is at {at}"
        ));
    }
    text
}

fn backup_text(report: &StatusReport) -> String {
    match report.backup.map(|backup| backup.last) {
        Some(Some(last)) => format!("of {}, complete at {}", last.made_at, last.finished_at),
        Some(None) => "none yet; `tonearm backup` makes one".to_owned(),
        None => "could not be read".to_owned(),
    }
}

fn print_nodes(report: &StatusReport) {
    let Some(nodes) = &report.nodes else { return print::outln!("The nodes could not be read.") };
    let row = |status: &NodeStatus| {
        let node = &status.node;
        let ahead = node.clock_ahead_millis.map(|millis| format!("{:+.3} s", millis as f64 / 1000.0));
        [
            node.name.clone(),
            node.address.clone(),
            node.version.clone(),
            node.roles.join(","),
            ahead.unwrap_or_default(),
            status.seen_at.to_string(),
            if status.is_lost { "lost" } else { "running" }.to_owned(),
        ]
    };
    let rows: Vec<_> = nodes.iter().map(row).collect();
    NODES.print(&rows);
}

fn print_queues(report: &StatusReport) {
    let Some(queues) = &report.queues else { return print::outln!("The jobs could not be counted.") };
    let row = |queue: &QueueStatus| {
        let counts = |runs: fn(EndedRuns) -> u64| {
            let number = |runs_of: EndedRuns| runs(runs_of).to_string();
            queue
                .ended
                .map_or(["?", "?"].map(str::to_owned), |ended| [number(ended.minute), number(ended.hour)])
        };
        let ([done, done_in_hour], [failed, failed_in_hour]) =
            (counts(|runs| runs.finished), counts(|runs| runs.failed));
        [
            queue.class.title().to_owned(),
            queue.due.to_string(),
            queue.running.to_string(),
            queue.waiting.to_string(),
            format!("{} s", queue.oldest_due_millis / 1000),
            done,
            done_in_hour,
            failed,
            failed_in_hour,
        ]
    };
    let rows: Vec<_> = queues.iter().map(row).collect();
    QUEUES.print(&rows);
}

fn print_failures(report: &StatusReport) {
    let Some(failures) = &report.failures else { return print::outln!("Failed jobs could not be read.") };
    let row = |group: &FailedJobs| {
        [
            group.kind.clone(),
            group.count.to_string(),
            group.last_at.to_string(),
            group.job_id.to_string(),
            group.reason.replace('\n', " "),
        ]
    };
    let rows: Vec<_> = failures.groups.iter().map(row).collect();
    FAILURES.print(&rows);
    if rows.is_empty() {
        return;
    }
    if !failures.is_complete {
        print::outln!("There are more; `tonearm job list --state failed` shows all.");
    }
    print::outln!("`tonearm job retry JOB` runs a job again.");
}

fn print_quotas(report: &StatusReport) {
    let Some(near) = &report.near_quotas else { return print::outln!("Quotas could not be read.") };
    let row = |quota: &NearQuota| {
        let amount = |amount: u64| match quota.kind {
            QuotaKind::Bytes | QuotaKind::Metadata => shown_bytes(amount),
            QuotaKind::Tracks | QuotaKind::Minutes | QuotaKind::Records => amount.to_string(),
        };
        [
            quota.name.replace('\n', " "),
            quota.organization_id.to_string(),
            quota.kind.as_str().to_owned(),
            amount(quota.used),
            amount(quota.limit),
        ]
    };
    let rows: Vec<_> = near.quotas.iter().map(row).collect();
    NEAR_QUOTAS.print(&rows);
    if !near.is_complete {
        print::outln!("There are more; `tonearm org quota` shows the quotas of an organization.");
    }
}
