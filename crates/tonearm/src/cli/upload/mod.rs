//! `tonearm upload`

mod bars;
mod journal;
mod natural;
mod run;
mod selection;
mod sending;
mod sessions;
mod watch;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use indicatif::HumanDuration;
use serde_json::Map;
use tokio::sync::mpsc;
use tonearm_domain::{CollectionId, TrackId};

use self::bars::Bars;
use self::journal::Journal;
use self::run::{Run, RunOptions, entry};
use self::selection::Selection;
use self::watch::Watch;
use super::Failure;
use super::bulk::{Outcome, RemoteArgs, Report, ReportEntry, Screen, shown_text, wait_for_tracks};
use super::bytes::shown_bytes;
use crate::ambient;
use crate::config::ByteSize;

/// Maximum number of files that wait to be hashed.
const QUEUE: usize = 1000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, and folders with everything below them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The id of the collection to upload to
    #[arg(long, value_name = "ID")]
    collection: CollectionId,
    #[command(flatten)]
    remote: RemoteArgs,
    /// Number of files to upload at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    jobs: u8,
    /// Upload all files in folders, not only those with an audio file extension
    #[arg(long)]
    all: bool,
    /// Keep watching the folders and upload new files until Ctrl-C
    #[arg(long, conflicts_with_all = ["wait", "dry_run"])]
    watch: bool,
    /// Wait until the uploaded tracks are processed
    #[arg(long)]
    wait: bool,
    /// Show what would be uploaded
    #[arg(long)]
    dry_run: bool,
    /// Print JSON: one file per line, then a summary
    #[arg(long)]
    json: bool,
    /// Largest request, such as 64MiB; choose less than the limit of a proxy in between
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = piece_size)]
    piece_size: ByteSize,
}

fn piece_size(text: &str) -> Result<ByteSize, String> {
    let size: ByteSize = text.parse()?;
    if size.0 < 64 * 1024 { Err("must be at least 64KiB".to_owned()) } else { Ok(size) }
}

pub(super) async fn run(args: Args) -> Result<(), Failure> {
    let client = args.remote.client()?;
    // A wrong key or collection is reported before anything is read.
    let collection = client.collection(args.collection).await.map_err(Failure::failed)?;
    let screen = Screen::new(args.json);
    screen.line(&format!("Uploading to the collection {}.", shown_text(&collection.title)));
    let server = client.server().to_string();
    let (journal, problem) = Journal::open(ambient::system(), &server, args.collection);
    if let Some(problem) = problem {
        screen.warn(&format!("interrupted uploads cannot be resumed later: {problem}"));
    }
    let options = RunOptions {
        collection: args.collection,
        jobs: args.jobs.into(),
        piece: args.piece_size.0,
        is_dry: args.dry_run,
        is_watching: args.watch,
        waits: args.wait && !args.dry_run,
    };
    let report = Report::new(screen.clone(), args.json);
    let run = Arc::new(Run::new(client, options, journal, Bars::new(screen), report));
    run.stop.on_signals().map_err(Failure::failed)?;
    let begun = Instant::now();
    let (paths, queue) = mpsc::channel(QUEUE);
    let selection = Selection { is_all: args.all };
    let roots = match args.watch {
        // Changes are reported with absolute paths.
        true => {
            args.paths.iter().map(std::path::absolute).collect::<Result<_, _>>().map_err(Failure::failed)?
        }
        false => args.paths,
    };
    let watch = args.watch.then(|| Watch::begin(&roots, selection)).transpose()?;
    let finding = tokio::spawn(find(Arc::clone(&run), roots, selection, watch, paths));
    run.work(queue).await;
    finding.await.map_err(Failure::failed)?;
    if options.waits {
        wait(&run).await;
    }
    finish(&run, begun)
}

/// Sends the paths of all files, and with a watch also of files that appear later.
async fn find(
    run: Arc<Run>,
    roots: Vec<PathBuf>,
    selection: Selection,
    watch: Option<Watch>,
    paths: mpsc::Sender<PathBuf>,
) {
    let of_thread = Arc::clone(&run);
    let scanned = tokio::task::spawn_blocking(move || {
        let (scan, mut watch) = (selection.scan(&roots), watch);
        for (path, reason) in scan.problems {
            of_thread.add(entry(Outcome::Failed, &path).with_reason(shown_text(&reason)));
        }
        scan.files.iter().for_each(|file| watch.iter_mut().for_each(|watch| watch.ignore_current(file)));
        (scan.files, watch)
    });
    // The panic was printed.
    let Ok((files, watch)) = scanned.await else { return };
    for file in files {
        if paths.send(file).await.is_err() {
            return;
        }
    }
    if let Some(watch) = watch {
        run.bars.screen().line("Watching for new files. Press Ctrl-C to stop.");
        watch.run(paths, &run).await;
    }
}

/// Waits until the uploaded tracks are processed, and then reports them.
async fn wait(run: &Run) {
    let mut uploaded: HashMap<TrackId, ReportEntry> = run.take_uploaded().into_iter().collect();
    if uploaded.is_empty() {
        return;
    }
    run.bars.screen().line("Waiting until the tracks are processed.");
    let pending: HashSet<TrackId> = uploaded.keys().copied().collect();
    wait_for_tracks(&run.client, run.options.collection, pending, &run.stop, |track, outcome| {
        let Some(entry) = uploaded.remove(&track) else { return };
        run.add(outcome.into_entry(entry));
    })
    .await;
}

fn finish(run: &Run, begun: Instant) -> Result<(), Failure> {
    let bytes = run.bars.finish();
    if bytes > 0 {
        let (size, time) = (shown_bytes(bytes), HumanDuration(begun.elapsed()));
        run.bars.screen().line(&format!("{size} were sent in {time}."));
    }
    let mut details = Map::new();
    details.insert("bytes_uploaded".to_owned(), bytes.into());
    let stopped = match (run.stop.reason(), run.stop.is_interrupted()) {
        (Some(reason), _) => Some(reason.to_owned()),
        // The end of a watch is not a failure.
        (None, true) if run.options.is_watching && run.report().count(Outcome::Stopped) == 0 => None,
        (None, true) => Some("stopped; run the same command again to continue".to_owned()),
        (None, false) => None,
    };
    run.report().finish("files", stopped.as_deref(), details)
}
