//! `tonearm usage`

use serde_json::json;
use tonearm_domain::{Ambient, Day, LimitOffset, ListenCounts, OrganizationId};
use tonearm_service::{DayListens, ListenGroup, ListenRows, SubjectListens, UsagePeriod};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// The first day, in UTC, such as 2030-01-31 [default: 29 days before --to]
    #[arg(long, value_name = "DAY")]
    from: Option<Day>,
    /// The last day, in UTC [default: today]
    #[arg(long, value_name = "DAY")]
    to: Option<Day>,
    /// What to group by: day, track, collection, share_link, referrer or country
    #[arg(long, default_value = "day")]
    group: String,
    /// How many rows to print, at most [default: all]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Print JSON, one row per line
    #[arg(long)]
    json: bool,
}

const LISTENS: Table<5> = Table {
    columns: ["ID", "TITLE", "LISTENS", "LISTENERS", "SECONDS HEARD"],
    empty: "Nothing was listened to in these days.",
};

/// A row of the table, for any grouping.
struct Row {
    id: String,
    title: Option<String>,
    counts: ListenCounts,
}

/// The rows of one request: the most that there can be.
const PAGE: i64 = 200;

impl From<DayListens> for Row {
    fn from(day: DayListens) -> Self {
        Self { id: day.day.to_string(), title: None, counts: day.counts }
    }
}

impl From<SubjectListens> for Row {
    fn from(subject: SubjectListens) -> Self {
        Self { id: subject.id.unwrap_or_default(), title: subject.title, counts: subject.counts }
    }
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let group: ListenGroup = args.group.parse()?;
    let period = UsagePeriod::new(args.from, args.to, Day::of(ambient.now()))?;
    let services = Services::open(config, ambient).await?;
    let caller = services.owner(args.org).await?;
    let most = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut rows: Vec<Row> = Vec::new();
    let total = loop {
        let offset = i64::try_from(rows.len()).map_err(Failure::failed)?;
        let page = LimitOffset::new(Some(PAGE), Some(offset)).map_err(Failure::failed)?;
        let report = services.usage.listens(&caller, period, group, page).await?;
        let before = rows.len();
        match report.rows {
            ListenRows::Days(days) => rows.extend(days.into_iter().map(Row::from)),
            ListenRows::Subjects(found) => rows.extend(found.into_iter().map(Row::from)),
        }
        if rows.len() == before || rows.len() >= most {
            break report.count;
        }
    };
    rows.truncate(most);
    let left_out = total.saturating_sub(rows.len() as u64);
    let json = |Row { id, title, counts }: &Row| {
        json!({
            group.as_str(): id,
            "title": title,
            "listens": counts.listens,
            "listeners": counts.listeners,
            "seconds_heard": counts.heard_millis / 1000,
            "seconds_played": counts.played_millis / 1000,
        })
    };
    let row = |Row { id, title, counts }: &Row| {
        let numbers = [counts.listens, counts.listeners, counts.heard_millis / 1000];
        let [listens, listeners, seconds] = numbers.map(|number| number.to_string());
        [id.clone(), title.clone().unwrap_or_default(), listens, listeners, seconds]
    };
    LISTENS.list(&rows, args.json, json, row);
    if left_out > 0 {
        print::complain(format_args!("{left_out} more rows; a higher --limit prints them"));
    }
    Ok(())
}
