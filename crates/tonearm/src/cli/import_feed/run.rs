//! Imports episodes as tracks, one after another, so that they keep their order. Pictures are uploaded concurrently.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonearm_client::{Client, ClientError, CreatedTrack, ListedTrack};
use tonearm_domain::{CollectionId, TrackId, TrackStatus};
use url::Url;

use super::art::Art;
use super::existing::Existing;
use super::show::{Episode, Show};
use super::track_fields::TrackFields;
use crate::cli::bulk::{Outcome, Report, ReportEntry, Screen, Stop, shown_text};

/// Maximum number of pictures that are fetched concurrently.
const MAX_PICTURES: usize = 4;

const BAR: &str = "importing {wide_bar} {pos}/{len} {eta:>4}";

/// The options of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunOptions {
    pub(super) collection: CollectionId,
    pub(super) updates: bool,
    pub(super) retries_failed: bool,
    pub(super) is_dry: bool,
    /// Whether imported tracks are reported only after they are processed.
    pub(super) waits: bool,
}

/// One run of the command.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) options: RunOptions,
    /// If `None`, the pictures of episodes are not imported.
    pub(super) art: Option<Art>,
    pub(super) screen: Screen,
    pub(super) stop: Stop,
    pub(super) report: Mutex<Report>,
    pub(super) imported: Mutex<Vec<(TrackId, ReportEntry)>>,
}

/// What is done with an episode.
enum Action {
    /// It has no track yet.
    Import,
    /// The import or processing of its track failed.
    Replace(ListedTrack),
    /// It was reported, and updated if necessary.
    Nothing,
}

impl Run {
    pub(super) fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take_imported(&self) -> Vec<(TrackId, ReportEntry)> {
        std::mem::take(&mut *self.imported.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Imports the new episodes of a show.
    pub(super) async fn work(self: &Arc<Self>, show: &Show) -> Result<(), ClientError> {
        for (title, reason) in &show.skipped {
            let entry = ReportEntry::new(Outcome::Skipped, shown_text(title)).with_reason(*reason);
            self.report().add(entry.with("title", title.clone()));
        }
        let existing = Existing::read(&self.client, self.options.collection, &show.episodes);
        let Some(existing) = self.stop.unless_interrupted(existing).await.transpose()? else { return Ok(()) };
        let bar = self.screen.total(BAR, show.episodes.len() as u64);
        let (permits, mut pictures) = (Arc::new(Semaphore::new(MAX_PICTURES)), JoinSet::new());
        for episode in &show.episodes {
            if self.stop.is_closing() {
                self.report().add(entry(Outcome::Stopped, episode));
                continue;
            }
            let imported = self.stop.unless_interrupted(self.import(show, episode, &existing)).await;
            let created = match imported {
                None => {
                    self.report().add(entry(Outcome::Stopped, episode));
                    None
                }
                Some(Ok(created)) => created,
                Some(Err(error)) => {
                    self.fail(episode, &error);
                    None
                }
            };
            if let (Some(art), Some(image), Some(created)) = (&self.art, &episode.image, created) {
                // This also bounds the number of tracks that wait for their pictures.
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { break };
                let (run, art, image, name) =
                    (Arc::clone(self), art.clone(), image.clone(), entry(Outcome::Imported, episode).name);
                pictures.spawn(async move {
                    run.stop.unless_interrupted(run.picture(&art, &image, &created, &name)).await;
                    drop(permit);
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
    async fn import(
        &self,
        show: &Show,
        episode: &Episode,
        existing: &Existing<'_>,
    ) -> Result<Option<CreatedTrack>, ClientError> {
        let fields = TrackFields::of(show, episode);
        match self.choose_action(&fields, episode, existing.find(episode).await?).await? {
            Action::Nothing => return Ok(None),
            _ if self.options.is_dry => {
                self.report().add(entry(Outcome::WouldImport, episode));
                return Ok(None);
            }
            Action::Replace(failed) => self.client.delete_track(failed.id).await?,
            Action::Import => {}
        }
        let import = fields.into_import(self.options.collection, episode);
        let created = self.client.import_track(&import).await?;
        let entry = entry(Outcome::Imported, episode).with("track_id", created.track_id.to_string());
        if self.options.waits {
            self.imported.lock().unwrap_or_else(PoisonError::into_inner).push((created.track_id, entry));
        } else {
            self.report().add(entry);
        }
        Ok(Some(created))
    }

    /// Compares an episode with its track. A track that needs no import is updated and reported here.
    async fn choose_action(
        &self,
        fields: &TrackFields,
        episode: &Episode,
        track: Option<ListedTrack>,
    ) -> Result<Action, ClientError> {
        let Some(track) = track else { return Ok(Action::Import) };
        let has_failed = matches!(track.track_status_id, TrackStatus::InitError | TrackStatus::Error);
        if has_failed && self.options.retries_failed {
            return Ok(Action::Replace(track));
        }
        let changes = fields.clone().changes(&track).filter(|_| self.options.updates);
        if let Some(changes) = changes.as_ref().filter(|_| !self.options.is_dry) {
            self.client.update_track(track.id, &changes.update).await?;
        }
        let outcome = match (changes.is_some_and(|changes| changes.is_visible), self.options.is_dry) {
            (false, _) => Outcome::Present,
            (true, true) => Outcome::WouldUpdate,
            (true, false) => Outcome::Updated,
        };
        let mut entry = entry(outcome, episode)
            .with("track_id", track.id.to_string())
            .with("track_status_id", track.track_status_id.as_str());
        if has_failed {
            let reason = track.status_reason.unwrap_or_else(|| "it failed".to_owned());
            entry =
                entry.with_reason(format!("{}; use --retry-failed to import it again", shown_text(&reason)));
        }
        self.report().add(entry);
        Ok(Action::Nothing)
    }

    /// Uploads the picture of an episode as the cover of its track. A failure is only a warning.
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

    /// Reports an error. If it affects all episodes, no further one is started.
    fn fail(&self, episode: &Episode, error: &ClientError) {
        if error.affects_all() {
            self.stop.close(&error.to_string());
        }
        self.report().add(entry(Outcome::Failed, episode).with_reason(shown_text(&error.to_string())));
    }
}

/// An entry of the report about an episode.
fn entry(outcome: Outcome, episode: &Episode) -> ReportEntry {
    let name = episode.title.as_ref().unwrap_or(&episode.id);
    ReportEntry::new(outcome, shown_text(name))
        .with("title", episode.title.clone())
        .with("guid", episode.id.clone())
}
