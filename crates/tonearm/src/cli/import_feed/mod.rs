//! `tonearm import-feed`

mod art;
mod encoding;
mod existing;
mod following;
mod outline;
mod run;
mod show;
mod source;
mod track_fields;
mod values;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::sync::{Arc, Mutex};

use serde_json::Map;
use sha2::{Digest, Sha256};
use tonearm_client::{Client, CollectionRecord};
use tonearm_domain::{CollectionId, TrackId};
use tonearm_outbound::{ALLOW_PRIVATE, Outbound};

use self::art::Art;
use self::run::{Run, RunOptions};
use self::show::Show;
use self::source::FeedSource;
use super::Failure;
use super::bulk::{
    LockError, RemoteArgs, Report, ReportEntry, Screen, Stop, lock, shown_text, state_folder, wait_for_tracks,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// URL of the podcast's RSS or Atom feed, or a file
    #[arg(value_name = "FEED")]
    feed: FeedSource,
    /// The id of the collection to import into; use one collection for each podcast
    #[arg(long, value_name = "ID")]
    collection: CollectionId,
    #[command(flatten)]
    remote: RemoteArgs,
    /// Import only the newest N episodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    newest: Option<u32>,
    /// Update the titles and metadata of imported episodes where the feed has changed them since the last import
    #[arg(long)]
    update: bool,
    /// Delete tracks whose import or processing failed, and import them again
    #[arg(long)]
    retry_failed: bool,
    /// Use the podcast's art as the cover of the collection if the collection has none
    #[arg(long)]
    cover: bool,
    /// Import without the art of the episodes
    #[arg(long)]
    no_art: bool,
    /// Also fetch art, and pages of the feed from other servers, from private addresses, such as those of your own network
    #[arg(long)]
    allow_private: bool,
    /// Wait until the imported tracks are processed
    #[arg(long)]
    wait: bool,
    /// Show what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Print JSON: one episode per line, then a summary
    #[arg(long)]
    json: bool,
}

/// A problem with a call from this computer: what to do about it is an option, not a setting of the service.
fn for_this_command(problem: &dyn std::fmt::Display) -> String {
    problem.to_string().replace(ALLOW_PRIVATE, "use --allow-private")
}

pub(super) async fn run(args: Args) -> Result<(), Failure> {
    let client = args.remote.client()?;
    // A wrong key or collection is reported before anything is fetched.
    let collection = client.collection(args.collection).await.map_err(Failure::failed)?;
    let screen = Screen::new(args.json);
    let _lock = only_one(&client, args.collection)?;
    let stop = Stop::default();
    stop.on_signals().map_err(Failure::failed)?;
    let outbound = Outbound::new(args.allow_private).map_err(Failure::failed)?;
    let read = following::read(&args.feed, &outbound, &screen);
    let Some(show) = stop.unless_interrupted(read).await else {
        return Err(Failure::Failed("stopped".to_owned()));
    };
    let mut show = show.map_err(|error| Failure::Failed(shown_text(&error)))?;
    if let Some(newest) = args.newest {
        let older = show.episodes.len().saturating_sub(newest as usize);
        show.episodes.drain(..older);
    }
    let (from, to) = (shown_text(&show.title), shown_text(&collection.title));
    screen.line(&format!("Importing {from} ({} episodes) to the collection {to}.", show.episodes.len()));
    let art = Art::new(outbound);
    let run = Arc::new(Run {
        client,
        options: RunOptions {
            collection: args.collection,
            updates: args.update,
            retries_failed: args.retry_failed,
            is_dry: args.dry_run,
            waits: args.wait && !args.dry_run,
        },
        art: (!args.no_art).then(|| art.clone()),
        screen: screen.clone(),
        stop,
        report: Mutex::new(Report::new(screen, args.json)),
        imported: Mutex::default(),
    });
    run.work(&show).await.map_err(Failure::failed)?;
    if args.cover && !args.dry_run && !run.stop.is_closing() {
        cover(&run, &art, &show, &collection).await;
    }
    wait(&run).await;
    finish(&run)
}

/// Locks the collection for this process. Two concurrent imports would both find the same episodes missing and import
/// them twice.
fn only_one(client: &Client, collection: CollectionId) -> Result<Option<File>, Failure> {
    let Ok(folder) = state_folder("imports") else { return Ok(None) };
    let name = hex::encode(Sha256::digest(format!("{}\0{collection}", client.server())));
    match lock(&folder.join(format!("{name}.lock"))) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Busy) => {
            Err(Failure::Failed("another tonearm process is importing to this collection".to_owned()))
        }
        Err(LockError::Unavailable) => Ok(None),
    }
}

/// Uploads the podcast's art as the cover of the collection, unless it has a cover. A collection with a cover has its
/// colours as the theme.
async fn cover(run: &Run, art: &Art, show: &Show, collection: &CollectionRecord) {
    let Some(image) = &show.image else {
        return run.screen.warn("the collection gets no cover, since the feed has no art.");
    };
    if !collection.theme.is_empty() {
        return;
    }
    let set = async {
        let picture = art.fetch(image).await?;
        let url = run
            .client
            .collection_cover_url(run.options.collection)
            .await
            .map_err(|error| error.to_string())?;
        run.client.upload_cover(&url, picture).await.map_err(|error| error.to_string())
    };
    if let Some(Err(problem)) = run.stop.unless_interrupted(set).await {
        run.screen.warn(&format!("the collection gets no cover: {}", shown_text(&problem)));
    }
}

/// Waits until the imported tracks are processed, and then reports them.
async fn wait(run: &Run) {
    let mut imported: HashMap<TrackId, ReportEntry> = run.take_imported().into_iter().collect();
    if imported.is_empty() {
        return;
    }
    run.screen.line("Waiting until the tracks are imported and processed.");
    let pending: HashSet<TrackId> = imported.keys().copied().collect();
    wait_for_tracks(&run.client, run.options.collection, pending, &run.stop, |track, outcome| {
        let Some(entry) = imported.remove(&track) else { return };
        run.report().add(outcome.into_entry(entry));
    })
    .await;
}

fn finish(run: &Run) -> Result<(), Failure> {
    let stopped = match (run.stop.reason(), run.stop.is_interrupted()) {
        (Some(reason), _) => Some(reason),
        (None, true) => Some("stopped; run the same command again to continue"),
        (None, false) => None,
    };
    run.report().finish("episodes", stopped, Map::new())
}
