//! Usage as CSV.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use tonearm_domain::{LimitOffset, UsageCounts};
use tonearm_service::{UsageGroup, UsageRows};

use super::UsageQuery;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::path::Query;
use crate::session::{Member, Viewer};

/// Most rows of an export by track or variant; an export by day is bounded by its period.
const MOST_ROWS: u64 = 100_000;

#[derive(Deserialize)]
pub(super) struct By {
    #[serde(default)]
    group: String,
}

pub(super) async fn export(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(asked): Query<UsageQuery>,
    Query(by): Query<By>,
) -> Result<Response, PageError> {
    let (caller, (period, _)) = (member.caller(), asked.period(app.usage.today())?);
    let group = by.group.parse::<UsageGroup>().unwrap_or_default();
    let mut csv = format!("{},title,plays,downloads,starts,bytes\r\n", group.as_str());
    let mut offset = 0;
    while offset < MOST_ROWS {
        let window = LimitOffset::new(Some(200), i64::try_from(offset).ok()).unwrap_or_default();
        let report = app.usage.report(&caller, period, group, window).await?;
        add(&mut csv, report.rows);
        offset += 200;
        if offset >= report.count {
            break;
        }
    }
    let name = format!("usage-{}-{}-{}.csv", group.as_str(), period.from(), period.to());
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, csv).into_response())
}

fn add(csv: &mut String, rows: UsageRows) {
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
    let (plays, title) = (super::plays(counts), quoted(title));
    csv.push_str(&format!(
        "{id},{title},{plays},{},{},{}\r\n",
        counts.downloads, counts.starts, counts.bytes
    ));
}

/// A text as RFC 4180 has it. Spreadsheets take what begins with these signs for a formula; a quote before it says
/// that it is a text.
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
