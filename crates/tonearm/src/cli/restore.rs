//! `tonearm restore`

use std::num::NonZeroU64;

use serde_json::json;
use tonearm_catalog::Migrate;
use tonearm_domain::Ambient;
use tonearm_service::{
    BackupError, BackupTarget, BackupTime, RestoreReport, RestoreTerms, Restores, Verification, VerifyState,
};

use super::backup_target::backup_target;
use super::bulk::Screen;
use super::bytes::{bytes_per_second, shown_bytes};
use super::{Failure, backup, print, verify};
use crate::{Config, opening};

/// Template of the progress bar.
const BAR: &str = "{spinner} {msg} {elapsed:>4}";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder or s3://bucket/prefix with the backups
    from: String,
    /// The backup to restore, as `tonearm backup list` shows it [default: the newest]
    #[arg(long, value_name = "TIME")]
    backup: Option<BackupTime>,
    /// Restore with a different master secret; data encrypted with the old one is lost
    #[arg(long)]
    secret_changed: bool,
    /// Link the object store to the restored database, even if it belongs to another one
    #[arg(long)]
    adopt_store: bool,
    /// Skip rows that the database refuses; otherwise, nothing is restored if there are any
    #[arg(long)]
    skip_damaged: bool,
    /// Maximum bytes to copy per second, such as 50MB/s
    #[arg(long, value_name = "RATE", value_parser = bytes_per_second)]
    rate: Option<NonZeroU64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let target = BackupTarget::open_to_read(&backup_target(&args.from)?).await?;
    opening::make_folder(&config.data_dir)?;
    if !opening::has_secret(config) && !args.secret_changed {
        // A newly created secret would not be the right one.
        return Err(BackupError::Secret.into());
    }
    let scratch = opening::scratch(config, ambient)?;
    let blobs = opening::blobs(config).await?;
    let restores = Restores::new(
        (config.database_url.clone(), opening::connect_options(config, ambient, Migrate::Never)),
        blobs.clone(),
        ambient.clone(),
        opening::secrets(config, ambient).await?,
        scratch.path().to_owned(),
    );
    let terms = RestoreTerms {
        backup: args.backup,
        is_secret_changed: args.secret_changed,
        adopts_store: args.adopt_store,
        skips_damaged: args.skip_damaged,
        bytes_per_second: args.rate,
    };
    let screen = Screen::new(args.json);
    let bar = screen.total(BAR, 0);
    let ended =
        Box::pin(restores.run(&target, terms, &mut |event| backup::print_event(&event, &screen, &bar))).await;
    bar.finish_and_clear();
    let (time, report, catalog) = ended?;
    let verification = Verification::new(catalog, blobs, ambient.clone());
    let state = verify::quickly(config, &verification, VerifyState::new(ambient.now()), args.json).await?;
    show(time, &report, &state, args.json);
    match (report.lost, state.findings()) {
        (0, 0) if report.skipped > 0 => Err(Failure::failed(format!(
            "the backup is restored, without {} rows that the database refuses; see above",
            report.skipped
        ))),
        (0, 0) => Ok(()),
        (lost, 0) => Err(Failure::failed(format!(
            "the backup is restored, but {lost} of its objects are missing or damaged; see above"
        ))),
        (_, count) => Err(Failure::failed(format!(
            "the backup is restored, but {count} rows or objects are damaged or missing; `tonearm verify` names them, and with \
             `--repair` recreates lost files{}",
            match report.skipped {
                0 => String::new(),
                skipped => format!("; {skipped} rows that the database refuses are left out, see above"),
            }
        ))),
    }
}

fn show(time: BackupTime, report: &RestoreReport, state: &VerifyState, as_json: bool) {
    if as_json {
        return print::json(&json!({
            "backup": time.to_string(),
            "rows": report.rows,
            "objects": report.objects,
            "bytes": report.bytes,
            "copied": report.copied,
            "lost": report.lost,
            "skipped": report.skipped,
            "steps": report.steps,
            "findings": state.findings(),
        }));
    }
    print::outln!("restored   {time}");
    print::outln!("rows       {}", report.rows);
    print::outln!(
        "objects    {} ({}), of which {} were copied",
        report.objects,
        shown_bytes(report.bytes),
        report.copied
    );
    if report.skipped > 0 {
        print::outln!("skipped    {} rows that the database refuses", report.skipped);
    }
    if report.lost > 0 {
        print::outln!("lost       {} objects of the backup are missing or damaged", report.lost);
    }
    print::outln!("compared   {} tracks with {} objects", state.tracks, state.objects);
}
