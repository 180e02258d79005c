//! `tonearm backup`

use std::num::NonZeroU64;

use clap::Subcommand;
use indicatif::ProgressBar;
use serde_json::json;
use tonearm_domain::Ambient;
use tonearm_service::{
    BackupEvent, BackupReport, BackupSummary, BackupTarget, BackupTerms, BackupTime, Backups,
};

use super::backup_target::backup_target;
use super::bulk::Screen;
use super::bytes::{bytes_per_second, shown_bytes};
use super::table::Table;
use super::{Failure, print};
use crate::{Config, opening};

/// Template of the progress bar.
const BAR: &str = "{spinner} {msg} {elapsed:>4}";

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// A folder, or s3://bucket/prefix
    target: Option<String>,
    /// Number of backups to keep; older ones are removed, with the objects that no other backup uses
    #[arg(long, value_name = "NUMBER")]
    keep: Option<NonZeroU64>,
    /// Maximum bytes to copy per second, such as 50MB/s
    #[arg(long, value_name = "RATE", value_parser = bytes_per_second)]
    rate: Option<NonZeroU64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Whether backups are only listed.
    pub(super) const fn is_list(&self) -> bool {
        matches!(self.command, Some(Command::List { .. }))
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the complete backups of a target
    List {
        /// A folder, or s3://bucket/prefix
        target: String,
        /// Print JSON, one backup per line
        #[arg(long)]
        json: bool,
    },
}

const BACKUPS: Table<6> = Table {
    columns: ["BACKUP", "DATABASE", "VERSION", "ROWS", "OBJECTS", "SIZE"],
    empty: "There are no complete backups.",
};

impl From<tonearm_service::BackupError> for Failure {
    fn from(error: tonearm_service::BackupError) -> Self {
        Self::failed(error)
    }
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    match (args.command, args.target) {
        (Some(Command::List { target, json }), _) => list(&target, json).await,
        (None, Some(text)) => {
            let terms = BackupTerms { bytes_per_second: args.rate, keep: args.keep };
            back_up(config, ambient, &text, terms, args.json).await
        }
        (None, None) => Err(Failure::Usage(
            "name a target: `tonearm backup DIR` or `tonearm backup s3://bucket/prefix`".to_owned(),
        )),
    }
}

async fn list(text: &str, as_json: bool) -> Result<(), Failure> {
    let found = BackupTarget::open_to_read(&backup_target(text)?).await?.list().await?;
    for (time, error) in &found.unreadable {
        print::complain(format_args!("Warning: {time}: {error}"));
    }
    let row = |backup: &BackupSummary| {
        [
            backup.backup.to_string(),
            backup.database.clone(),
            backup.version.clone(),
            backup.rows.to_string(),
            backup.objects.to_string(),
            shown_bytes(backup.bytes),
        ]
    };
    BACKUPS.list(&found.complete, as_json, |backup| json!(backup), row);
    Ok(())
}

async fn back_up(
    config: &Config,
    ambient: &Ambient,
    text: &str,
    terms: BackupTerms,
    as_json: bool,
) -> Result<(), Failure> {
    let url = backup_target(text)?;
    if url.overlaps(&config.storage_url) {
        return Err(Failure::Usage(
            "the target is part of the object store (storage_url); choose another place".to_owned(),
        ));
    }
    let secrets = opening::known_secrets(config, ambient).await?;
    let catalog_and_store = opening::catalog_and_store(config, ambient).await?;
    let target = BackupTarget::open(&url).await?;
    let scratch = opening::scratch(config, ambient)?;
    let backups = Backups::new(
        catalog_and_store,
        ambient.clone(),
        secrets,
        scratch.path().to_owned(),
        env!("CARGO_PKG_VERSION"),
    );
    let screen = Screen::new(as_json);
    let bar = screen.total(BAR, 0);
    let ended = Box::pin(backups.run(&target, terms, &mut |event| print_event(&event, &screen, &bar))).await;
    bar.finish_and_clear();
    let (time, report) = ended?;
    show(time, &report, as_json);
    judge(&report)
}

fn judge(report: &BackupReport) -> Result<(), Failure> {
    let advice = "run `tonearm verify --deep`";
    let objects = |count: u64| match count {
        1 => "1 object".to_owned(),
        count => format!("{count} objects"),
    };
    match (report.damaged, report.rescued) {
        (0, 0) if report.damaged_rows > 0 => Err(Failure::failed(format!(
            "the backup is complete except for {} rows that cannot be read; see above",
            report.damaged_rows
        ))),
        (0, 0) if report.unreadable_rows > 0 => Err(Failure::failed(format!(
            "the backup is complete, but {} of its rows cannot be read; see above, and run `tonearm verify`",
            report.unreadable_rows
        ))),
        (0, 0) => Ok(()),
        (0, rescued) => Err(Failure::failed(format!(
            "the backup is complete, but the object store has lost {}; {advice}",
            objects(rescued)
        ))),
        (damaged, _) => {
            Err(Failure::failed(format!("the backup is complete except for {}; {advice}", objects(damaged))))
        }
    }
}

/// Prints what happens during a backup or a restore.
pub(super) fn print_event(event: &BackupEvent<'_>, screen: &Screen, bar: &ProgressBar) {
    match event {
        BackupEvent::Table { name, rows } => bar.set_message(format!("{name}: {rows} rows")),
        BackupEvent::Listed { objects, bytes } => {
            bar.set_message(format!("{objects} objects ({}) listed", shown_bytes(*bytes)));
        }
        BackupEvent::Copied { objects, bytes } => {
            bar.set_message(format!("{objects} objects ({}) stored", shown_bytes(*bytes)));
        }
        BackupEvent::Rescued { key, reason } => {
            screen.warn(&format!("{key}: {reason}; the backup keeps the earlier copy"));
        }
        BackupEvent::Row { table, id, reason } => screen.warn(&format!("{table} {id}: {reason}")),
        BackupEvent::Problem { key, reason } => screen.warn(&format!("{key}: {reason}")),
    }
}

fn show(time: BackupTime, report: &BackupReport, as_json: bool) {
    if as_json {
        return print::json(&json!({
            "backup": time.to_string(),
            "rows": report.rows,
            "objects": report.objects,
            "bytes": report.bytes,
            "copied": report.copied,
            "copied_bytes": report.copied_bytes,
            "gone": report.gone,
            "damaged": report.damaged,
            "damaged_rows": report.damaged_rows,
            "unreadable_rows": report.unreadable_rows,
            "rescued": report.rescued,
            "pruned": report.pruned,
            "pruned_objects": report.pruned_objects,
        }));
    }
    print::outln!("backup     {time}");
    print::outln!("rows       {}", report.rows);
    print::outln!("objects    {} ({})", report.objects, shown_bytes(report.bytes));
    print::outln!("copied     {} ({})", report.copied, shown_bytes(report.copied_bytes));
    if report.gone > 0 {
        print::outln!("gone       {} objects were removed during the backup", report.gone);
    }
    if report.damaged > 0 {
        print::outln!("damaged    {}", report.damaged);
    }
    if report.damaged_rows > 0 {
        print::outln!("left out   {} rows that cannot be read", report.damaged_rows);
    }
    if report.unreadable_rows > 0 {
        print::outln!("unread     {} rows are in the backup, but cannot be read", report.unreadable_rows);
    }
    if report.rescued > 0 {
        print::outln!(
            "rescued    {} objects are lost in the store, but kept from earlier backups",
            report.rescued
        );
    }
    if report.pruned > 0 {
        print::outln!("removed    {} older backups and {} objects", report.pruned, report.pruned_objects);
    }
}
