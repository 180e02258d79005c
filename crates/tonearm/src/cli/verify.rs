//! `tonearm verify`

use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tonearm_domain::Ambient;
use tonearm_service::{DamagedRow, Finding, Verification, VerifyEvent, VerifyState, VerifyTerms};

use super::bulk::Screen;
use super::bytes::{bytes_per_second, shown_bytes};
use super::{Failure, print};
use crate::{Config, opening};

/// How often the progress is saved.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);
/// The file with the progress, in the data folder.
const STATE_FILE: &str = "verify-state.json";
/// Template of the progress bar.
const BAR: &str = "verifying {spinner} {msg} {elapsed:>4}";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Read all objects, and compare them with the hashes that are known
    #[arg(long)]
    deep: bool,
    /// Recreate lost files, covers and manifests from the sources
    #[arg(long)]
    repair: bool,
    /// Resume an interrupted run
    #[arg(long)]
    resume: bool,
    /// File that stores the progress [default: verify-state.json in the data folder]
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Maximum bytes to read per second, such as 50MB/s
    #[arg(long, value_name = "RATE", value_parser = bytes_per_second)]
    rate: Option<NonZeroU64>,
    /// Maximum number of objects to check per second
    #[arg(long, value_name = "NUMBER")]
    object_rate: Option<NonZeroU64>,
    /// Print JSON: one finding per line, and then the summary
    #[arg(long)]
    json: bool,
}

/// The saved progress of a run, and the service that it belongs to.
#[derive(Serialize, Deserialize)]
struct SavedProgress {
    database: String,
    storage: String,
    /// Whether all objects were read so far.
    #[serde(default)]
    is_deep: bool,
    state: VerifyState,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let state = verify(config, ambient, &args).await.map_err(|failure| match failure {
        // Exit code 1 means that something was found.
        Failure::Failed(message) => Failure::Unfinished(message),
        other => other,
    })?;
    match state.findings() {
        0 => Ok(()),
        1 => Err(Failure::failed("1 finding")),
        count => Err(Failure::failed(format!("{count} findings"))),
    }
}

async fn verify(config: &Config, ambient: &Ambient, args: &Args) -> Result<VerifyState, Failure> {
    let (catalog, blobs) = opening::catalog_and_store(config, ambient).await?;
    let path = args.state.clone().unwrap_or_else(|| config.data_dir.join(STATE_FILE));
    let (state, is_deep) = match args.resume {
        true => read_state(config, &path, args.deep)?,
        false => (VerifyState::new(ambient.now()), args.deep),
    };
    let verification = Verification::new(catalog, blobs, ambient.clone());
    let terms = VerifyTerms {
        is_deep,
        repairs: args.repair,
        bytes_per_second: args.rate,
        objects_per_second: args.object_rate,
    };
    let mut reporter = VerifyReporter::new(config, args.json, Some((path.clone(), is_deep)));
    let ended = verification.run(terms, state, &mut |event| reporter.handle(event)).await;
    reporter.bar.finish_and_clear();
    if ended.is_err()
        && let Some(state) = reporter.unsaved.take()
    {
        reporter.save(&state);
    }
    let state = ended.map_err(Failure::failed)?;
    show(&state, args.json);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::failed(format!("{}: {error}", path.display())))
        }
        _ => Ok(state),
    }
}

/// The quick check at the end of a restore. Its progress is not saved, since starting over takes no longer.
pub(super) async fn quickly(
    config: &Config,
    verification: &Verification,
    state: VerifyState,
    as_json: bool,
) -> Result<VerifyState, Failure> {
    let mut reporter = VerifyReporter::new(config, as_json, None);
    let ended = verification.run(VerifyTerms::default(), state, &mut |event| reporter.handle(event)).await;
    reporter.bar.finish_and_clear();
    ended.map_err(Failure::failed)
}

/// Prints findings, shows the progress and saves it.
struct VerifyReporter {
    target: Option<(PathBuf, String, String, bool)>,
    last: Instant,
    /// Progress that is not saved yet.
    unsaved: Option<VerifyState>,
    bar: ProgressBar,
    as_json: bool,
}

impl VerifyReporter {
    /// `state`: the file for the progress, and whether the run reads all objects.
    fn new(config: &Config, as_json: bool, state: Option<(PathBuf, bool)>) -> Self {
        let bar = Screen::new(as_json).total(BAR, 0);
        let target = state.map(|(path, is_deep)| {
            let (database, storage) = (config.database_url.to_string(), config.storage_url.to_string());
            (path, database, storage, is_deep)
        });
        Self { target, last: Instant::now(), unsaved: None, bar, as_json }
    }

    fn handle(&mut self, event: VerifyEvent<'_>) {
        match event {
            VerifyEvent::Finding(finding) => self.bar.suspend(|| print_finding(finding, self.as_json)),
            VerifyEvent::Damaged(row) => self.bar.suspend(|| print_damaged(row, self.as_json)),
            VerifyEvent::Blanked(row) => self.bar.suspend(|| print_blanked(row, self.as_json)),
            VerifyEvent::Progress(state) => {
                let bytes = shown_bytes(state.bytes);
                self.bar.set_message(format!(
                    "{} tracks, {} objects, {bytes}, {} findings",
                    state.tracks,
                    state.objects,
                    state.findings()
                ));
                if self.last.elapsed() >= SAVE_INTERVAL {
                    self.last = Instant::now();
                    self.save(state);
                    self.unsaved = None;
                } else {
                    self.unsaved = Some(state.clone());
                }
            }
        }
    }

    /// Saves the progress. If this fails, the run continues without it, for its findings.
    fn save(&mut self, state: &VerifyState) {
        let Some((path, database, storage, is_deep)) = &self.target else { return };
        let (database, storage) = (database.clone(), storage.clone());
        let progress = SavedProgress { database, storage, is_deep: *is_deep, state: state.clone() };
        if let Err(error) = write_state(path, &progress) {
            print::complain(format_args!("Warning: {}: {error}, so --resume will not work", path.display()));
            self.target = None;
        }
    }
}

fn print_finding(finding: &Finding, as_json: bool) {
    if as_json { print::json(&json!({ "finding": finding })) } else { print::outln!("{finding}") }
}

fn print_damaged(row: &DamagedRow, as_json: bool) {
    if as_json {
        return print::json(&json!({ "damaged_row": row }));
    }
    let DamagedRow { table, id, .. } = row;
    match row.is_metadata {
        true => print::outln!(
            "the metadata of the {table} {id} cannot be read; send other metadata to replace it"
        ),
        false => print::outln!(
            "the row {id} of the table {table} cannot be read and is left out of lists; delete or revoke it by its id, or, if it was \
             deleted or revoked before, run `tonearm verify --repair`"
        ),
    }
}

fn print_blanked(row: &DamagedRow, as_json: bool) {
    if as_json {
        return print::json(&json!({ "blanked_row": row }));
    }
    let DamagedRow { table, id, .. } = row;
    print::outln!(
        "the row {id} of the table {table}, which was deleted or revoked, could not be read; what cannot be read is blank now"
    );
}

fn show(state: &VerifyState, as_json: bool) {
    if as_json {
        return print::json(&json!({ "summary": {
            "started_at": state.started_at,
            "tracks": state.tracks,
            "objects": state.objects,
            "bytes": state.bytes,
            "findings": state.findings(),
            "missing": state.missing,
            "wrong_lengths": state.wrong_lengths,
            "wrong_hashes": state.wrong_hashes,
            "unreadable": state.unreadable,
            "unknown": state.unknown,
            "damaged_rows": state.damaged_rows,
            "queued": state.queued,
            "lost": state.lost,
        }}));
    }
    let bytes = shown_bytes(state.bytes);
    print::outln!("{} tracks and {} objects ({bytes}) were compared.", state.tracks, state.objects);
    if state.findings() == 0 {
        print::outln!("Nothing was found.");
        return;
    }
    print::outln!(
        "{} missing, {} with a wrong length, {} with a wrong hash, {} unknown",
        state.missing,
        state.wrong_lengths,
        state.wrong_hashes,
        state.unknown
    );
    if state.unreadable > 0 {
        print::outln!("{} cannot be read.", state.unreadable);
    }
    if state.damaged_rows > 0 {
        print::outln!("{} records cannot be read, or only without their metadata.", state.damaged_rows);
    }
    if state.queued > 0 {
        print::outln!("{} are being recreated; `tonearm job list` shows the jobs.", state.queued);
    }
    if state.lost > 0 {
        print::outln!("{} cannot be recreated.", state.lost);
    }
    if state.unknown > 0 {
        print::outln!("Unknown objects are left to the sweep; `tonearm sweep` shows what it does.");
    }
}

/// Reads the progress of an interrupted run, and whether that run read all objects. The resumed run does the same.
fn read_state(config: &Config, path: &Path, wants_deep: bool) -> Result<(VerifyState, bool), Failure> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage(format!("{shown} does not exist: there is no interrupted run to resume"))
        }
        _ => Failure::failed(format!("{shown}: {error}")),
    })?;
    let saved: SavedProgress = serde_json::from_slice(&bytes)
        .map_err(|_| Failure::Usage(format!("{shown} cannot be read; run without --resume")))?;
    let (database, storage) = (config.database_url.to_string(), config.storage_url.to_string());
    if (saved.database, saved.storage) != (database, storage) {
        return Err(Failure::Usage(format!("{shown} is of another service; run without --resume")));
    }
    if wants_deep && !saved.is_deep {
        return Err(Failure::Usage(format!(
            "the interrupted run of {shown} was without --deep; run with --deep and without --resume"
        )));
    }
    Ok((saved.state, saved.is_deep))
}

fn write_state(path: &Path, progress: &SavedProgress) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(progress)?)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
