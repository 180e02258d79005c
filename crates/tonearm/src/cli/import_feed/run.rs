//! From episodes to tracks, one after another, so that they are in their order. Pictures follow beside that.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonearm_client::{Client, ClientError, CreatedTrack, FoundTrack};
use tonearm_domain::{CollectionId, TrackId, TrackStatus};
use url::Url;

use super::art::Art;
use super::existing::Existing;
use super::fields::Fields;
use super::show::{Episode, Show};
use crate::cli::bulk::{Kind, Report, ReportEntry, Screen, Stop, shown_text};

/// Pictures that are fetched at once.
const PICTURES: usize = 4;

const BAR: &str = "importing {wide_bar} {pos}/{len} {eta:>4}";

/// How a run behaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunOptions {
    pub(super) collection: CollectionId,
    pub(super) updates: bool,
    pub(super) retries_failed: bool,
    pub(super) is_dry: bool,
    /// What was imported is reported once it is processed.
    pub(super) waits: bool,
}

/// One run of the command.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) options: RunOptions,
    /// None: without the pictures of episodes.
    pub(super) art: Option<Art>,
    pub(super) screen: Screen,
    pub(super) stop: Stop,
    pub(super) report: Mutex<Report>,
    pub(super) imported: Mutex<Vec<(TrackId, ReportEntry)>>,
}

/// What becomes of an episode that has a track.
enum Found {
    New,
    Retry(FoundTrack),
    Settled,
}

impl Run {
    pub(super) fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take_imported(&self) -> Vec<(TrackId, ReportEntry)> {
        std::mem::take(&mut *self.imported.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Imports what is new of a show.
    pub(super) async fn work(self: &Arc<Self>, show: &Show) -> Result<(), ClientError> {
        for (title, reason) in &show.skipped {
            let entry = ReportEntry::new(Kind::Skipped, shown_text(title)).because(*reason);
            self.report().add(entry.with("title", title.clone()));
        }
        let existing = Existing::read(&self.client, self.options.collection, &show.episodes);
        let Some(existing) = self.stop.unless_left(existing).await.transpose()? else { return Ok(()) };
        let bar = self.screen.total(BAR, show.episodes.len() as u64);
        let (places, mut pictures) = (Arc::new(Semaphore::new(PICTURES)), JoinSet::new());
        for episode in &show.episodes {
            if self.stop.is_closing() {
                self.report().add(entry(Kind::Stopped, episode));
                continue;
            }
            let done = self.stop.unless_left(self.episode(show, episode, &existing)).await;
            let created = match done {
                None => {
                    self.report().add(entry(Kind::Stopped, episode));
                    None
                }
                Some(Ok(created)) => created,
                Some(Err(error)) => {
                    self.fail(episode, &error);
                    None
                }
            };
            if let (Some(art), Some(image), Some(created)) = (&self.art, &episode.image, created) {
                // What waits for its picture is bounded, too.
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
                let (run, art, image, name) =
                    (Arc::clone(self), art.clone(), image.clone(), entry(Kind::Imported, episode).name);
                pictures.spawn(async move {
                    run.stop.unless_left(run.picture(&art, &image, &created, &name)).await;
                    drop(place);
                });
            }
            while pictures.try_join_next().is_some() {}
            bar.inc(1);
        }
        pictures.join_all().await;
        ProgressBar::finish_and_clear(&bar);
        Ok(())
    }

    /// Imports an episode, or finds that there is nothing to do.
    async fn episode(
        &self,
        show: &Show,
        episode: &Episode,
        existing: &Existing<'_>,
    ) -> Result<Option<CreatedTrack>, ClientError> {
        let fields = Fields::of(show, episode);
        match self.found(&fields, episode, existing.find(episode).await?).await? {
            Found::Settled => return Ok(None),
            _ if self.options.is_dry => {
                self.report().add(entry(Kind::WouldImport, episode));
                return Ok(None);
            }
            Found::Retry(failed) => self.client.delete_track(failed.id).await?,
            Found::New => {}
        }
        let import = fields.into_import(self.options.collection, episode);
        let created = self.client.import_track(&import).await?;
        let entry = entry(Kind::Imported, episode).with("track_id", created.track_id.to_string());
        if self.options.waits {
            self.imported.lock().unwrap_or_else(PoisonError::into_inner).push((created.track_id, entry));
        } else {
            self.report().add(entry);
        }
        Ok(Some(created))
    }

    /// Reports an episode that has a track, and updates it.
    async fn found(
        &self,
        fields: &Fields,
        episode: &Episode,
        track: Option<FoundTrack>,
    ) -> Result<Found, ClientError> {
        let Some(track) = track else { return Ok(Found::New) };
        let has_failed = matches!(track.track_status_id, TrackStatus::InitError | TrackStatus::Error);
        if has_failed && self.options.retries_failed {
            return Ok(Found::Retry(track));
        }
        let changes = fields.clone().changes(&track).filter(|_| self.options.updates);
        let kind = match (&changes, self.options.is_dry) {
            (None, _) => Kind::Present,
            (Some(_), true) => Kind::WouldUpdate,
            (Some(changes), false) => {
                self.client.update_track(track.id, changes).await?;
                Kind::Updated
            }
        };
        let mut entry = entry(kind, episode)
            .with("track_id", track.id.to_string())
            .with("track_status_id", track.track_status_id.as_str());
        if has_failed {
            let reason = track.status_reason.unwrap_or_else(|| "it failed".to_owned());
            entry = entry.because(format!("{}; use --retry-failed to import it again", shown_text(&reason)));
        }
        self.report().add(entry);
        Ok(Found::Settled)
    }

    /// Gives a track the picture of its episode. That this fails is no reason not to play it.
    async fn picture(&self, art: &Art, image: &Url, created: &CreatedTrack, name: &str) {
        let problem = match art.fetch(image).await {
            Ok(picture) => {
                let uploaded =
                    self.client.upload_cover(&created.track_cover_upload.upload_url, picture).await;
                uploaded.err().map(|error| error.to_string())
            }
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            self.screen.warn(&format!("{name} has no cover: {}", shown_text(&problem)));
        }
    }

    /// Reports what failed. If it concerns all episodes, none is begun any more.
    fn fail(&self, episode: &Episode, error: &ClientError) {
        if error.concerns_all() {
            self.stop.because(&error.to_string());
        }
        self.report().add(entry(Kind::Failed, episode).because(shown_text(&error.to_string())));
    }
}

/// An entry of the report about an episode.
fn entry(kind: Kind, episode: &Episode) -> ReportEntry {
    let name = episode.title.as_ref().unwrap_or(&episode.id);
    ReportEntry::new(kind, shown_text(name))
        .with("title", episode.title.clone())
        .with("guid", episode.id.clone())
}
