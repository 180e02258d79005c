//! `tonearm migrate`

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use tonearm_catalog::{Catalog, CatalogError, ConnectOptions, MigrationEvent, SchemaError};

use super::{Failure, print};
use crate::{Config, StartError};

/// How often the number of migrated rows is printed.
const PRINT_EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only list the missing steps, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Time to wait for another process that is migrating
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    wait: u64,
}

pub(super) async fn run(config: &Config, args: Args) -> Result<(), Failure> {
    let options =
        ConnectOptions { migration_wait: Duration::from_secs(args.wait), ..ConnectOptions::default() };
    if args.check {
        return check(config, &options).await;
    }
    let rows = Rows::default();
    let count = Catalog::migrate(&config.database_url, &options, &|event| print_event(event, &rows))
        .await
        .map_err(|source| failed(config, source))?;
    match count {
        0 => print::outln!("{} is up to date.", config.database_url),
        1 => print::outln!("{} is now up to date: 1 step was applied.", config.database_url),
        _ => print::outln!("{} is now up to date: {count} steps were applied.", config.database_url),
    }
    Ok(())
}

fn failed(config: &Config, source: CatalogError) -> Failure {
    StartError::Catalog { url: config.database_url.to_string(), source }.into()
}

async fn check(config: &Config, options: &ConnectOptions) -> Result<(), Failure> {
    let missing = match Catalog::missing_steps(&config.database_url, options).await {
        Ok(missing) => missing,
        Err(CatalogError::Schema(error @ SchemaError::Empty)) => return Err(Failure::failed(error)),
        Err(source) => return Err(failed(config, source)),
    };
    for name in &missing {
        print::outln!("{name}");
    }
    match missing.len() {
        0 => print::outln!("{} is up to date.", config.database_url),
        1 => return Err(Failure::failed("1 step is missing; run `tonearm migrate`")),
        count => return Err(Failure::failed(format!("{count} steps are missing; run `tonearm migrate`"))),
    }
    Ok(())
}

/// The table whose rows are being migrated, and when its progress was last printed.
#[derive(Default)]
struct Rows(Mutex<Option<(String, Instant)>>);

impl Rows {
    /// Whether it is time to print again.
    fn is_due(&self, table: &str) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = match &*last {
            Some((printed, at)) => printed != table || at.elapsed() >= PRINT_EVERY,
            None => true,
        };
        if is_due {
            *last = Some((table.to_owned(), Instant::now()));
        }
        is_due
    }
}

/// Prints the progress. The migration continues to its end even if nobody reads the output.
fn print_event(event: MigrationEvent<'_>, rows: &Rows) {
    match event {
        MigrationEvent::Waiting => say("Another process is migrating this database; waiting for it."),
        MigrationEvent::SettingUp => say("The database is empty; creating its tables."),
        MigrationEvent::Step { name } => say(name),
        MigrationEvent::Index { name } => say(format_args!("  index {name}")),
        MigrationEvent::Rows { table, done } if rows.is_due(table) => {
            say(format_args!("  {table}: {done} rows"));
        }
        MigrationEvent::Blocked { name } => {
            say(format_args!("  {name} could not lock a table because it is in use; trying again"));
        }
        _ => {}
    }
}

fn say(line: impl std::fmt::Display) {
    print::announce(format_args!("{line}"));
}
