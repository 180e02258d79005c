//! `tonearm usage`

use serde_json::json;
use tonearm_domain::{Ambient, Day, LimitOffset, ListenCounts, OrganizationId};
use tonearm_service::{Caller, ListenGroup, ListenRows, UsagePeriod};

use super::{Failure, print};
use crate::{Config, Parts};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// The first day, in UTC, such as 2030-01-31 [default: the first of the 30 days that end with --to]
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

/// A row, whatever it is about.
struct Row {
    id: String,
    title: Option<String>,
    counts: ListenCounts,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let group: ListenGroup = args.group.parse()?;
    let period = UsagePeriod::new(args.from, args.to, Day::of(ambient.now()))?;
    let page = LimitOffset::new(Some(args.limit), None).map_err(Failure::failed)?;
    let usage = Parts::open(config, ambient).await?.usage;
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
    if args.json {
        for Row { id, title, counts } in rows {
            print::json(&json!({
                group.as_str(): id,
                "title": title,
                "listens": counts.listens,
                "listeners": counts.listeners,
                "seconds_heard": counts.heard_millis / 1000,
            }));
        }
        return Ok(());
    }
    let row = |row: Row| {
        let ListenCounts { listens, listeners, heard_millis } = row.counts;
        let seconds = (heard_millis / 1000).to_string();
        [row.id, row.title.unwrap_or_default(), listens.to_string(), listeners.to_string(), seconds]
    };
    let rows: Vec<_> = rows.into_iter().map(row).collect();
    print::table(["ID", "TITLE", "LISTENS", "LISTENERS", "SECONDS HEARD"], &rows);
    Ok(())
}
