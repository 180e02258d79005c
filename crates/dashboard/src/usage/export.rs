//! Usage as CSV.

use std::fmt::Write as _;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use tonearm_domain::{LimitOffset, ListenCounts, UsageCounts};
use tonearm_service::{Caller, ListenGroup, ListenRows, Usage, UsageGroup, UsagePeriod, UsageRows};

use super::query::UsageQuery;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::path::Query;
use crate::session::{Member, Viewer};

/// The most rows of an export that is not by day; an export by day is bounded by its period.
const MOST_ROWS: u64 = 100_000;

/// Rows of one query.
const PAGE: u64 = 200;

#[derive(Deserialize)]
pub(super) struct ExportQuery {
    #[serde(default)]
    group: String,
}

/// What the rows of an export are grouped by.
#[derive(Clone, Copy)]
enum Group {
    Listens(ListenGroup),
    Deliveries(UsageGroup),
}

impl Group {
    /// By day if the group is missing or unknown.
    fn parse(text: &str) -> Self {
        match text.strip_prefix("delivered_by_") {
            Some(group) => Self::Deliveries(group.parse().unwrap_or_default()),
            None => Self::Listens(text.parse().unwrap_or_default()),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Listens(group) => group.as_str().to_owned(),
            Self::Deliveries(group) => format!("delivered-by-{}", group.as_str()),
        }
    }
}

pub(super) async fn export(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(query): Query<UsageQuery>,
    Query(export): Query<ExportQuery>,
) -> Result<Response, PageError> {
    let (caller, (period, _)) = (member.caller(), query.period(app.usage.today())?);
    let group = Group::parse(&export.group);
    let csv = match group {
        Group::Listens(group) => listens(&app.usage, &caller, period, group).await?,
        Group::Deliveries(group) => deliveries(&app.usage, &caller, period, group).await?,
    };
    Ok(saved_as(&format!("usage-{}-{}-{}.csv", group.name(), period.from(), period.to()), csv))
}

/// A CSV download with a file name of letters, digits, dots and hyphens.
pub(super) fn saved_as(name: &str, csv: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, csv).into_response()
}

fn windows() -> impl Iterator<Item = (u64, LimitOffset)> {
    (0..MOST_ROWS).step_by(PAGE as usize).map(|offset| {
        let window = LimitOffset::new(i64::try_from(PAGE).ok(), i64::try_from(offset).ok());
        (offset + PAGE, window.unwrap_or_default())
    })
}

async fn listens(
    usage: &Usage,
    caller: &Caller,
    period: UsagePeriod,
    group: ListenGroup,
) -> Result<String, PageError> {
    let mut csv = format!("{},title,listens,listeners,seconds_heard,seconds_played\r\n", group.as_str());
    for (end, window) in windows() {
        let report = usage.listens(caller, period, group, window).await?;
        match report.rows {
            ListenRows::Days(rows) => {
                rows.iter().for_each(|row| listen_line(&mut csv, &row.day.to_string(), "", row.counts));
            }
            ListenRows::Subjects(rows) => rows.iter().for_each(|row| {
                let (id, title) = (row.id.as_deref(), row.title.as_deref());
                listen_line(&mut csv, id.unwrap_or_default(), title.unwrap_or_default(), row.counts);
            }),
        }
        if end >= report.count {
            break;
        }
    }
    Ok(csv)
}

fn listen_line(csv: &mut String, id: &str, title: &str, counts: ListenCounts) {
    let ListenCounts { listens, listeners, heard_millis, played_millis } = counts;
    let title = quoted(title);
    // Writing to a String cannot fail.
    let (heard, played) = (heard_millis / 1000, played_millis / 1000);
    let _ = write!(csv, "{id},{title},{listens},{listeners},{heard},{played}\r\n");
}

async fn deliveries(
    usage: &Usage,
    caller: &Caller,
    period: UsagePeriod,
    group: UsageGroup,
) -> Result<String, PageError> {
    let mut csv = format!("{},title,requests,downloads,starts,bytes\r\n", group.as_str());
    for (end, window) in windows() {
        let report = usage.report(caller, period, group, window).await?;
        add_deliveries(&mut csv, report.rows);
        if end >= report.count {
            break;
        }
    }
    Ok(csv)
}

fn add_deliveries(csv: &mut String, rows: UsageRows) {
    match rows {
        UsageRows::Days(days) => days.iter().for_each(|row| line(csv, &row.day.to_string(), "", row.counts)),
        UsageRows::Tracks(tracks) => {
            for row in tracks {
                let id = row.track_id.map(|id| id.to_string()).unwrap_or_default();
                line(csv, &id, row.title.as_deref().unwrap_or_default(), row.counts);
            }
        }
        UsageRows::Variants(variants) => {
            for row in variants {
                line(csv, row.variant.as_ref().map_or("", |index| index.as_str()), "", row.counts);
            }
        }
    }
}

fn line(csv: &mut String, id: &str, title: &str, counts: UsageCounts) {
    let (requests, title) = (counts.plays(), quoted(title));
    let UsageCounts { downloads, starts, bytes, .. } = counts;
    // Writing to a String cannot fail.
    let _ = write!(csv, "{id},{title},{requests},{downloads},{starts},{bytes}\r\n");
}

/// A text quoted according to RFC 4180. Spreadsheets treat texts that begin with these characters as formulas; a
/// leading apostrophe marks them as text.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn titles_are_only_text() {
        assert_eq!(quoted("a, \"b\"\r\n"), "\"a, \"\"b\"\"\r\n\"");
        assert_eq!(quoted("=HYPERLINK(1)"), "\"'=HYPERLINK(1)\"");
    }
}
