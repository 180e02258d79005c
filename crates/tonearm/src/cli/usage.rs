//! `tonearm usage`

use serde_json::json;
use tonearm_domain::{Ambient, Day, LimitOffset, ListenCounts, OrganizationId};
use tonearm_service::{Caller, ListenGroup, ListenRows, UsagePeriod};

use super::Failure;
use super::table::Table;
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
    /// How many rows to print, 1 to 200
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i64).range(1..=200))]
    limit: i64,
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

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let group: ListenGroup = args.group.parse()?;
    let period = UsagePeriod::new(args.from, args.to, Day::of(ambient.now()))?;
    let page = LimitOffset::new(Some(args.limit), None).map_err(Failure::failed)?;
    let usage = Services::open(config, ambient).await?.usage;
    let report = usage.listens(&Caller::owner(args.org), period, group, page).await?;
    let rows: Vec<Row> = match report.rows {
        ListenRows::Days(days) => days
            .into_iter()
            .map(|day| Row { id: day.day.to_string(), title: None, counts: day.counts })
            .collect(),
        ListenRows::Subjects(rows) => rows
            .into_iter()
            .map(|row| Row { id: row.id.unwrap_or_default(), title: row.title, counts: row.counts })
            .collect(),
    };
    let json = |Row { id, title, counts }: &Row| {
        json!({
            group.as_str(): id,
            "title": title,
            "listens": counts.listens,
            "listeners": counts.listeners,
            "seconds_heard": counts.heard_millis / 1000,
        })
    };
    let row = |Row { id, title, counts }: &Row| {
        let numbers = [counts.listens, counts.listeners, counts.heard_millis / 1000];
        let [listens, listeners, seconds] = numbers.map(|number| number.to_string());
        [id.clone(), title.clone().unwrap_or_default(), listens, listeners, seconds]
    };
    LISTENS.list(&rows, args.json, json, row);
    Ok(())
}
