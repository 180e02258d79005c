//! The progress of tracks that are being processed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{
    FailedVariant, FileOutcome, Import, Making, OrganizationId, Outage, Recipe, TrackFile, TrackId,
    TrackProgress, TrackStatus, VariantProgress, failed_variants,
};

use super::Library;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::waiting;

/// How often the catalog is polled while anyone is watching.
const PERIOD: Duration = Duration::from_secs(1);

/// The progress of one track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackProgressView {
    /// Which track.
    pub track_id: TrackId,
    /// Its status.
    pub status: TrackStatus,
    /// Whether its source is being imported. If so, `percent` is the share of the source that has arrived.
    pub is_importing: bool,
    /// How much of all its files is done, 0..=100.
    pub percent: u8,
    /// The part of the service that processing waits for, if one is unavailable.
    pub waits_for: Option<Outage>,
    /// Each file, in the order of the recipes; empty if nothing has been reported yet.
    pub variants: Vec<VariantProgress>,
    /// Why the track failed or is incomplete. Only set when a single track is requested.
    pub reason: Option<String>,
    /// The variants that could not be made, and why. Only set when a single track is requested.
    pub failed: Vec<FailedVariant>,
}

impl TrackProgressView {
    fn new(
        track_id: TrackId,
        status: TrackStatus,
        progress: TrackProgress,
        waits_for: Option<Outage>,
    ) -> Self {
        let percent = if status.is_final() { 100 } else { progress.percent().min(99) };
        let waits_for = waits_for.filter(|_| status.is_processing());
        Self {
            track_id,
            status,
            is_importing: false,
            percent,
            waits_for,
            variants: progress.variants,
            reason: None,
            failed: Vec::new(),
        }
    }

    /// The progress of a track whose source is being imported.
    fn of_import(import: &Import, waits_for: Option<Outage>) -> Self {
        Self {
            is_importing: true,
            percent: import.percent().unwrap_or(0),
            waits_for,
            reason: Some(import.sentence()),
            ..Self::new(import.track_id, TrackStatus::Initialized, TrackProgress::default(), None)
        }
    }
}

/// The tracks of an organization that are being processed.
pub type TracksInTheMaking = Arc<Vec<TrackProgressView>>;

/// Polls the catalog for all watchers: one query a second for each organization, however many watch it.
#[derive(Clone, Default)]
pub(crate) struct ProgressFeed(Arc<Mutex<HashMap<OrganizationId, Weak<watch::Sender<TracksInTheMaking>>>>>);

/// Follows the progress of an organization's tracks.
pub struct ProgressWatch {
    tracks: watch::Receiver<TracksInTheMaking>,
    /// The polling task runs as long as anyone holds this.
    _sender: Arc<watch::Sender<TracksInTheMaking>>,
}

impl ProgressWatch {
    /// The current progress.
    pub fn current(&mut self) -> TracksInTheMaking {
        Arc::clone(&self.tracks.borrow_and_update())
    }

    /// Waits for a change and returns the progress. A track whose processing has ended is no longer in it; nor is one that
    /// waits behind the first 200.
    pub async fn changed(&mut self) -> TracksInTheMaking {
        // `self` holds the sender too, so the channel does not close.
        let _ = self.tracks.changed().await;
        self.current()
    }
}

impl Library {
    /// The progress of one track, with each of its files.
    pub async fn track_progress(&self, caller: &Caller, id: TrackId) -> Result<TrackProgressView, Refusal> {
        let track = self.catalog.track(caller.organization_id, id).await?;
        let track = track.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let reported =
            if track.status.is_processing() { self.catalog.track_progress(id).await? } else { None };
        let waits_for =
            self.catalog.waiting_jobs_of_tracks(&[id]).await?.remove(&id).map(|(outage, _)| outage);
        if track.status == TrackStatus::Initialized
            && let Some(import) = self.catalog.import(id).await?
        {
            let view = TrackProgressView::of_import(&import, waits_for);
            let reason = track.status_reason.filter(|_| import.received == 0).or(view.reason);
            return Ok(TrackProgressView { reason, ..view });
        }
        let recipes = self.catalog.recipes_for_track(caller.organization_id, id).await?;
        let files = self.catalog.files_of_track(id).await?;
        let progress = by_files(&recipes, &files, reported.as_ref());
        let view = TrackProgressView::new(id, track.status, progress, waits_for);
        let is_queued = track.status.is_processing()
            && waiting::queued(&self.catalog, self.ambient.now(), &[id]).await?.contains(&id);
        let reason =
            track.status_reason.or_else(|| is_queued.then(|| waiting::WAITS_FOR_ITS_TURN.to_owned()));
        Ok(TrackProgressView { reason, failed: failed_variants(&files), ..view })
    }

    /// The organization's tracks that are being imported, and those being processed, oldest first, at most 200 of each.
    pub async fn tracks_in_the_making(&self, caller: &Caller) -> Result<Vec<TrackProgressView>, Refusal> {
        caller.require_whole_organization()?;
        Ok(in_the_making(&self.catalog, caller.organization_id, None).await?)
    }

    /// Those of at most 200 tracks that are being imported or processed. The others are finished, deleted, or wait for
    /// their source.
    pub async fn progress_of_tracks(
        &self,
        caller: &Caller,
        tracks: &[TrackId],
    ) -> Result<Vec<TrackProgressView>, Refusal> {
        caller.require_whole_organization()?;
        Ok(in_the_making(&self.catalog, caller.organization_id, Some(tracks)).await?)
    }

    /// Follows the organization's tracks that are being processed, on any node. Unlike polling by each client, this
    /// costs one query a second, however many follow.
    pub async fn watch_progress(&self, caller: &Caller) -> Result<ProgressWatch, Refusal> {
        caller.require_whole_organization()?;
        self.watch_making(caller.organization_id).await
    }

    /// Like [`Self::watch_progress`], without the check of the scope, for code that shows callers only the tracks in
    /// their reach.
    pub(super) async fn watch_making(
        &self,
        organization_id: OrganizationId,
    ) -> Result<ProgressWatch, Refusal> {
        let tracks = in_the_making(&self.catalog, organization_id, None).await?;
        Ok(self.feed.watch(&self.catalog, organization_id, tracks))
    }
}

impl ProgressFeed {
    fn watch(
        &self,
        catalog: &Catalog,
        organization_id: OrganizationId,
        tracks: Vec<TrackProgressView>,
    ) -> ProgressWatch {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|_, feed| feed.strong_count() > 0);
        let sender = match feeds.get(&organization_id).and_then(Weak::upgrade) {
            Some(sender) => {
                // This is newer than what was published last.
                publish(&sender, tracks);
                sender
            }
            None => {
                let sender = Arc::new(watch::Sender::new(Arc::new(tracks)));
                feeds.insert(organization_id, Arc::downgrade(&sender));
                tokio::spawn(ask(catalog.clone(), organization_id, Arc::downgrade(&sender)));
                sender
            }
        };
        ProgressWatch { tracks: sender.subscribe(), _sender: sender }
    }
}

fn publish(sender: &watch::Sender<TracksInTheMaking>, tracks: Vec<TrackProgressView>) {
    sender.send_if_modified(|current| {
        let is_news = **current != tracks;
        if is_news {
            *current = Arc::new(tracks);
        }
        is_news
    });
}

/// Polls until nobody watches any more.
async fn ask(
    catalog: Catalog,
    organization_id: OrganizationId,
    feed: Weak<watch::Sender<TracksInTheMaking>>,
) {
    loop {
        tokio::time::sleep(PERIOD).await;
        if feed.strong_count() == 0 {
            return;
        }
        match in_the_making(&catalog, organization_id, None).await {
            Ok(tracks) => {
                let Some(sender) = feed.upgrade() else { return };
                publish(&sender, tracks);
            }
            Err(error) => tracing::debug!(%organization_id, %error, "could not read the progress of tracks"),
        }
    }
}

async fn in_the_making(
    catalog: &Catalog,
    organization_id: OrganizationId,
    among: Option<&[TrackId]>,
) -> Result<Vec<TrackProgressView>, CatalogError> {
    // Imports are read first: a track whose import ends in between is then in both lists rather than in neither.
    let imports = catalog.imports(organization_id, among).await?;
    let tracks = catalog.tracks_in_the_making(organization_id, among).await?;
    let imported = imports.iter().map(|import| import.track_id);
    let ids: Vec<TrackId> = imported.chain(tracks.iter().map(|(id, ..)| *id)).collect();
    let mut waiting = catalog.waiting_jobs_of_tracks(&ids).await?;
    let mut outage = |id: TrackId| waiting.remove(&id).map(|(outage, _)| outage);
    let mut views: Vec<TrackProgressView> =
        imports.iter().map(|import| TrackProgressView::of_import(import, outage(import.track_id))).collect();
    views.extend(tracks.into_iter().map(|(id, status, progress)| {
        TrackProgressView::new(id, status, progress.unwrap_or_default(), outage(id))
    }));
    Ok(views)
}

/// The progress of each recipe: from its file, or from what the run reports if there is no file yet.
fn by_files(recipes: &[Recipe], files: &[TrackFile], reported: Option<&TrackProgress>) -> TrackProgress {
    let making = |recipe: &Recipe| {
        let file = files.iter().find(|file| file.recipe.id == recipe.id);
        let reported = || reported?.variants.iter().find(|variant| variant.index == recipe.index);
        match file.map(|file| &file.outcome) {
            Some(FileOutcome::Made { .. }) => Making::Made,
            Some(FileOutcome::Failed { .. }) => Making::Failed,
            None => reported().map_or(Making::Waiting, |variant| variant.making),
        }
    };
    let variants = recipes
        .iter()
        .map(|recipe| VariantProgress { index: recipe.index.clone(), making: making(recipe) })
        .collect();
    TrackProgress { variants }
}
