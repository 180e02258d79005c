//! The status of the service, for administrators.

mod parts;
mod quotas;
mod retry;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use tonearm_domain::{EndedRuns, ErrorCode, JobClass, OrganizationId};
use tonearm_service::{FailedJobs, JobFailures, NodeStatus, QueueStatus, Refusal, StatusReport};

use crate::amount;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render};
use crate::session::SignedIn;
use crate::text::{Message, t, translate};
use parts::PartRow;
use quotas::QuotaRow;

/// Clock differences above these limits are a warning, or a problem: signed URLs are refused.
const CLOCK_WARNING_MILLIS: u64 = 1_000;
const CLOCK_PROBLEM_MILLIS: u64 = 30_000;

pub(crate) fn routes() -> Router<Dashboard> {
    Router::new().route("/status", get(page)).route("/status/jobs/{job_id}/retry", post(retry::retry))
}

/// The text and the tone of a badge.
struct Badge {
    tone: &'static str,
    text: Message,
}

#[derive(Template)]
#[template(path = "status/status.html")]
struct StatusPage {
    frame: Frame,
    parts: Vec<PartRow>,
    nodes: Option<Vec<NodeRow>>,
    queues: Option<Vec<QueueRow>>,
    failures: Option<Vec<FailureRow>>,
    has_more_failures: bool,
    quotas: Option<Vec<QuotaRow>>,
    has_more_quotas: bool,
}

struct NodeRow {
    name: String,
    address: String,
    version: String,
    roles: String,
    clock: Option<(String, &'static str)>,
    seen_at: String,
    badge: Badge,
    is_this: bool,
}

struct QueueRow {
    name: Message,
    due: String,
    running: String,
    waiting: String,
    oldest: String,
    done: String,
    failed: String,
}

struct FailureRow {
    kind: String,
    reason: String,
    count: String,
    is_several: bool,
    last_at: String,
    job_id: String,
    /// The page of the track, where its processing can be retried.
    track: Option<String>,
}

async fn page(State(app): State<Dashboard>, signed_in: SignedIn) -> Result<Response, PageError> {
    if !signed_in.person().is_administrator {
        return Err(PageError::Refused(Refusal::Forbidden {
            code: ErrorCode::NotAdministrator,
            message: "only administrators can see the status of the service",
        }));
    }
    let own = app.people.organizations_of(signed_in.person()).await?;
    let own: Vec<OrganizationId> = own.into_iter().map(|(organization, _)| organization.id).collect();
    let report = app.status.cached_report().await;
    let frame = signed_in.frame(t("status-title"), Section::Status);
    Ok(render(&StatusPage::of(frame, report, &own)))
}

impl StatusPage {
    fn of(frame: Frame, report: StatusReport, own: &[OrganizationId]) -> Self {
        let parts = parts::rows(&report);
        let has_more_failures = report.failures.as_ref().is_some_and(|failures| !failures.is_complete);
        Self {
            frame,
            parts,
            nodes: report.nodes.map(|nodes| nodes.into_iter().map(node).collect()),
            queues: report.queues.map(|queues| queues.iter().map(queue).collect()),
            failures: report.failures.map(|failures| rows_of(failures, own)),
            has_more_failures,
            has_more_quotas: report.near_quotas.as_ref().is_some_and(|near| !near.is_complete),
            quotas: report.near_quotas.map(|near| near.quotas.iter().map(QuotaRow::of).collect()),
        }
    }
}

fn node(status: NodeStatus) -> NodeRow {
    let (tone, text) =
        if status.is_lost { ("bad", "status-node-lost") } else { ("good", "status-node-running") };
    NodeRow {
        roles: status.node.roles.join(", "),
        clock: status.node.clock_ahead_millis.map(clock),
        seen_at: status.seen_at.to_string(),
        badge: Badge { tone, text: t(text) },
        is_this: status.is_this,
        name: status.node.name,
        address: status.node.address,
        version: status.node.version,
    }
}

/// How far a clock is ahead, and the tone of the message.
fn clock(ahead_millis: i64) -> (String, &'static str) {
    let tone = match ahead_millis.unsigned_abs() {
        apart if apart <= CLOCK_WARNING_MILLIS => "good",
        apart if apart <= CLOCK_PROBLEM_MILLIS => "warn",
        _ => "bad",
    };
    let sign = if ahead_millis < 0 { "\u{2212}" } else { "+" };
    (format!("{sign}{} s", amount::decimal(ahead_millis.unsigned_abs() as f64 / 1000.0)), tone)
}

fn queue(queue: &QueueStatus) -> QueueRow {
    let name = match queue.class {
        JobClass::Encode => "status-jobs-encode",
        JobClass::Wait => "status-jobs-wait",
        JobClass::Maintenance => "status-jobs-maintenance",
    };
    let oldest = if queue.due > 0 { amount::duration(queue.oldest_due_millis) } else { String::new() };
    QueueRow {
        name: t(name),
        due: amount::count(queue.due),
        running: amount::count(queue.running),
        waiting: amount::count(queue.waiting),
        oldest,
        done: runs_in_minute_and_hour(queue, |runs| runs.finished),
        failed: runs_in_minute_and_hour(queue, |runs| runs.failed),
    }
}

/// Runs in the last minute and the last hour; empty if they are unknown.
fn runs_in_minute_and_hour(queue: &QueueStatus, number: fn(EndedRuns) -> u64) -> String {
    let Some(ended) = queue.ended else { return String::new() };
    let (minute, hour) = (number(ended.minute), number(ended.hour));
    format!("{} / {}", amount::count(minute), amount::count(hour))
}

/// Tracks are linked if the viewing person may open them.
fn rows_of(failures: JobFailures, own: &[OrganizationId]) -> Vec<FailureRow> {
    let row = |group: FailedJobs| {
        let organization = group.organization_id.filter(|id| own.contains(id));
        let track = organization.zip(group.track_id);
        FailureRow {
            reason: translate(&group.reason),
            kind: group.kind,
            count: amount::count(group.count),
            is_several: group.count > 1,
            last_at: group.last_at.to_string(),
            job_id: group.job_id.to_string(),
            track: track.map(|(organization, track)| format!("/dashboard/{organization}/tracks/{track}")),
        }
    };
    failures.groups.into_iter().map(row).collect()
}
