//! A track gets a new source: it has the old files or the new ones, and never some of both.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use futures::TryStreamExt;
use sea_orm::{ConnectionTrait, Database};
use tokio_util::sync::CancellationToken;
use tonearm_domain::{
    Codec, ErrorCode, FileOutcome, Job, ObjectKey, Patch, PersonId, Quotas, RecipeKind, RecordId,
    Replacement, ReplacementState, SourceSlot, Track, TrackFile, TrackId, TrackStatus, Transcode,
    WebhookKind,
};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_media::MediaConfig;
use tonearm_service::{Caller, CreateTrack, DeliveryQuery, JobError, JobRun, Refusal, UpdateRecipe};

use crate::on_both;
use crate::workshop::{FAILING_BITRATE, Workshop, encode_no_sound, sound, write_program, write_scripts};

on_both!(
    new_files_take_the_place_of_all_old_ones,
    until_everything_is_made_nothing_changes,
    a_file_that_cannot_be_made_leaves_the_old_ones,
    a_recipe_that_comes_late_is_made_from_the_new_source,
    results_of_a_changed_recipe_do_not_count,
    what_was_made_from_the_old_source_is_not_recorded_any_more,
    one_replacement_at_a_time,
    a_replacement_is_of_whoever_asked_last,
    a_cancelled_replacement_leaves_nothing,
    the_end_of_a_replacement_is_an_event_of_the_track,
    a_deleted_track_is_not_replaced,
    what_was_replaced_goes_after_a_day,
    a_replacement_is_undone_while_the_former_source_is_kept,
    what_is_kept_counts_until_it_goes,
    files_that_exceed_the_quota_are_not_stored,
    a_shared_source_stays_for_others,
    a_shared_source_goes_a_day_after_its_last_track_was_replaced,
    each_track_can_put_a_shared_source_back,
    undos_at_once_stay_within_the_quota,
    a_track_of_a_damaged_collection_is_deleted,
    a_run_that_lost_its_lease_removes_nothing,
    a_source_that_others_have_is_taken_over,
);

const DAY: i64 = 24 * 3600;

struct Scene {
    workshop: Workshop,
    ffmpeg: PathBuf,
    owner: Caller,
    id: TrackId,
}

/// Everything of a track that players get.
#[derive(Debug, Clone, PartialEq)]
struct State {
    track: Track,
    files: Vec<TrackFile>,
}

impl State {
    fn keys(&self) -> BTreeSet<String> {
        self.files.iter().filter_map(TrackFile::object).map(ToString::to_string).collect()
    }
}

/// Longer than [`sound`], and other bytes.
fn new_sound() -> Vec<u8> {
    wav(&WavSpec { seconds: 0.2, ..WavSpec::default() })
}

impl Scene {
    /// With a track that is ready.
    async fn open(database: &TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ffmpeg, ffprobe) = write_scripts(folder.path());
        let config = MediaConfig { ffmpeg: ffmpeg.clone(), ffprobe, concurrency: 8, ..MediaConfig::find() };
        let workshop = Workshop::open_with(database, folder, None, config).await;
        let (owner, id) = workshop.upload(sound()).await;
        workshop.run_all().await;
        let scene = Self { workshop, ffmpeg, owner, id };
        assert_eq!(scene.track().await.status, TrackStatus::Ready);
        scene
    }

    /// Another track, with this sound, that is ready.
    async fn another(&self, its_sound: Vec<u8>) -> TrackId {
        // Ids of one millisecond have no order.
        self.workshop.clock.advance_seconds(1);
        let collection_id = Some(self.track().await.collection_id);
        let create =
            CreateTrack { collection_id, file_name: "second.wav".to_owned(), ..CreateTrack::default() };
        let (another, _) = self.workshop.library.create_track(&self.owner, create).await.unwrap();
        self.workshop.send(&self.owner, another.track.id, its_sound).await.unwrap();
        self.workshop.run_all().await;
        another.track.id
    }

    async fn track(&self) -> Track {
        self.workshop.catalog.track(self.owner.organization_id, self.id).await.unwrap().unwrap()
    }

    async fn state(&self) -> State {
        let files = self.workshop.catalog.files_of_track(self.id).await.unwrap();
        State { track: self.track().await, files }
    }

    async fn ask(&self) -> Result<Replacement, Refusal> {
        Ok(self.workshop.library.replace_source(&self.owner, self.id, None).await?.0)
    }

    async fn send(&self, replacement: &Replacement, bytes: Vec<u8>) -> Result<(), Refusal> {
        let slot = SourceSlot {
            replacement_id: Some(replacement.id),
            ..SourceSlot::of_track(self.owner.organization_id, self.id)
        };
        self.workshop.send_to(&self.owner, slot, bytes).await.map(|_| ())
    }

    /// Asks for a replacement and uploads it.
    async fn replace(&self, bytes: Vec<u8>) -> Replacement {
        let replacement = self.ask().await.unwrap();
        self.send(&replacement, bytes).await.unwrap();
        replacement
    }

    async fn replacement(&self) -> Replacement {
        self.workshop.library.replacement(&self.owner, self.id).await.unwrap()
    }

    async fn add(&self, index: &str, transcode: Transcode) {
        let (index, kind) = (index.parse().unwrap(), RecipeKind::Transcode(transcode));
        self.workshop.library.add_variant(&self.owner, self.id, index, kind).await.unwrap();
    }

    /// Changes a recipe of the track without rendering it.
    async fn set_bitrate(&self, index: &str, bitrate: u16) {
        let recipes = self.workshop.catalog.recipes_for_track(self.owner.organization_id, self.id).await;
        let recipe = recipes.unwrap().into_iter().find(|recipe| recipe.index.as_str() == index).unwrap();
        let transcode = Transcode { bitrate, codec: Codec::Mp3, ..Transcode::default() };
        let tx = self.workshop.catalog.begin().await.unwrap();
        let kind = RecipeKind::Transcode(transcode);
        tx.update_recipe(&tonearm_domain::Recipe { kind, ..recipe }).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn objects(&self) -> BTreeSet<String> {
        let track = self.track().await;
        let listed = self.workshop.blobs.list(Some(track.organization_id), Some(track.index));
        listed.map_ok(|(key, _)| key.to_string()).try_collect().await.unwrap()
    }

    async fn has_object(&self, key: &ObjectKey) -> bool {
        self.workshop.blobs.head(key).await.unwrap().is_some()
    }

    /// Lets the hourly upkeep run.
    async fn clean_up(&self) {
        let tx = self.workshop.catalog.begin().await.unwrap();
        let (id, now) = (self.workshop.ambient.record_id(), self.workshop.ambient.now());
        tx.enqueue(Job::ForgetExpired {}, id, now, None).await.unwrap();
        tx.commit().await.unwrap();
        self.workshop.run_all().await;
    }
}

async fn new_files_take_the_place_of_all_old_ones(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let before = scene.state().await;
    let (replacement, upload) = scene
        .workshop
        .library
        .replace_source(&scene.owner, scene.id, Some("../remaster.wav".to_owned()))
        .await
        .unwrap();
    assert!(upload.upload_url.contains(&replacement.id.to_string()), "{}", upload.upload_url);
    scene.send(&replacement, new_sound()).await.unwrap();
    scene.workshop.run_all().await;
    let after = scene.state().await;
    assert_eq!(scene.replacement().await.state, ReplacementState::Completed);
    assert_eq!((after.track.id, after.track.index), (before.track.id, before.track.index));
    assert_eq!(after.track.status, TrackStatus::Ready);
    assert_eq!(after.track.file_name, "remaster.wav");
    assert!(after.track.info.size > before.track.info.size);
    assert_ne!(after.track.source, before.track.source);
    assert_ne!(after.track.cover, before.track.cover);
    assert_eq!(before.files.len(), after.files.len());
    assert_eq!(before.keys().intersection(&after.keys()).count(), 0);
    for key in after.files.iter().filter_map(TrackFile::object) {
        assert!(scene.has_object(key).await, "{key}");
    }
    let saved_as = |file: &TrackFile| match &file.outcome {
        FileOutcome::Made { file_name, .. } => file_name.starts_with("remaster."),
        FileOutcome::Failed { .. } => false,
    };
    assert!(after.files.iter().all(saved_as), "{:?}", after.files);
    let manifest = scene.workshop.catalog.manifest(scene.owner.organization_id, after.track.index).await;
    assert_eq!(manifest.unwrap().len(), after.files.len());
}

async fn a_replacement_is_undone_while_the_former_source_is_kept(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let library = &scene.workshop.library;
    let undo = async || {
        let latest = scene.replacement().await.id;
        scene.workshop.uploads.undo_replacement(&scene.owner, scene.id, latest).await
    };
    let before = scene.track().await;
    let name = Some("Remaster.wav".to_owned());
    let (replacement, _) = library.replace_source(&scene.owner, scene.id, name).await.unwrap();
    scene.send(&replacement, new_sound()).await.unwrap();
    scene.workshop.run_all().await;
    let replaced = scene.track().await;
    assert_eq!(replaced.file_name, "Remaster.wav");
    assert_eq!(replaced.shown_title(), before.shown_title(), "people see what they saw");
    // Shortly before the former source is removed.
    scene.workshop.clock.advance_seconds(DAY - 1);
    let undoing = undo().await.unwrap();
    assert_eq!((undoing.state, &undoing.source), (ReplacementState::Processing, &before.source));
    // A repeated request neither cancels the undo nor begins another one.
    assert_eq!(undo().await.unwrap().id, undoing.id);
    assert!(library.cancel_replacement(&scene.owner, scene.id, None).await.is_err());
    scene.workshop.clock.advance_seconds(1);
    scene.clean_up().await;
    let after = scene.track().await;
    assert_eq!((&after.source, &after.file_name), (&before.source, &before.file_name));
    assert_eq!((after.duration, after.info.size), (before.duration, before.info.size));
    let texts = |track: &Track| (track.player_title.clone(), track.player_subtitle.clone());
    assert_eq!(texts(&after), texts(&before), "what was derived is derived again");
    assert_eq!(scene.replacement().await.state, ReplacementState::Completed);
    // An undo is undone like any other. What a track has stays when the removal of its source was due.
    undo().await.unwrap();
    scene.workshop.run_all().await;
    let again = scene.track().await;
    assert_eq!((&again.source, texts(&again)), (&replaced.source, texts(&replaced)));
    scene.workshop.clock.advance_seconds(2 * DAY);
    scene.clean_up().await;
    assert!(!scene.has_object(&before.source.unwrap().key).await);
    assert!(scene.has_object(&replaced.source.unwrap().key).await);
    let refused = undo().await;
    assert!(
        matches!(refused, Err(Refusal::Conflict { code: ErrorCode::ReplacementEnded, .. })),
        "{refused:?}"
    );
}

async fn until_everything_is_made_nothing_changes(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let before = scene.state().await;
    scene.replace(new_sound()).await;
    assert_eq!(scene.state().await, before);
    assert_eq!(scene.replacement().await.state, ReplacementState::Processing);
    // Killed in the middle, it begins anew.
    write_program(&scene.ffmpeg, "kill -9 $$");
    let failed = scene.workshop.run_next().await.unwrap();
    assert!(failed.is_err());
    assert_eq!(scene.state().await, before);
}

async fn a_file_that_cannot_be_made_leaves_the_old_ones(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    scene.add("other", Transcode { bitrate: 96, ..Transcode::default() }).await;
    scene.workshop.run_all().await;
    let (before, objects) = (scene.state().await, scene.objects().await);
    // The recipe is changed to one that fails, and not rendered for the file that is there.
    scene.set_bitrate("other", FAILING_BITRATE).await;
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    let failed = scene.replacement().await;
    assert_eq!(failed.state, ReplacementState::Failed);
    assert!(failed.reason.as_deref().is_some_and(|reason| reason.starts_with("other: ")), "{failed:?}");
    assert_eq!(scene.state().await, before);
    scene.clean_up().await;
    assert_eq!(scene.objects().await, objects);
}

async fn the_end_of_a_replacement_is_an_event_of_the_track(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    scene.add("other", Transcode { bitrate: 96, ..Transcode::default() }).await;
    scene.workshop.run_all().await;
    let webhooks = &scene.workshop.webhooks;
    webhooks.set(&scene.owner, WebhookKind::Track, "http://127.0.0.1:8080/hook".into()).await.unwrap();
    let events = async || {
        let found = webhooks.deliveries(&scene.owner, DeliveryQuery::default(), None, 50).await.unwrap();
        found.into_iter().map(|delivery| delivery.event.as_str()).collect::<Vec<_>>()
    };
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    assert_eq!(scene.replacement().await.state, ReplacementState::Completed);
    assert_eq!(events().await, ["track.status_changed"]);
    scene.set_bitrate("other", FAILING_BITRATE).await;
    scene.replace(sound()).await;
    scene.workshop.run_all().await;
    assert_eq!(scene.replacement().await.state, ReplacementState::Failed);
    assert_eq!(events().await, ["track.status_changed"; 2]);
}

async fn a_recipe_that_comes_late_is_made_from_the_new_source(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let before = scene.state().await;
    scene.replace(new_sound()).await;
    scene.add("late", Transcode { bitrate: 64, ..Transcode::default() }).await;
    scene.workshop.run_all().await;
    let after = scene.state().await;
    assert_eq!(after.track.status, TrackStatus::Ready);
    assert_eq!(after.files.len(), before.files.len() + 1);
    assert!(after.files.iter().all(TrackFile::is_made));
    assert_eq!(scene.replacement().await.state, ReplacementState::Completed);
    assert_eq!(before.keys().intersection(&after.keys()).count(), 0);
}

/// A recipe is changed while the new files are rendered with its old settings.
async fn results_of_a_changed_recipe_do_not_count(database: TestDatabase) {
    for bitrate in [FAILING_BITRATE, 160] {
        let scene = Scene::open(&database).await;
        scene.add("other", Transcode { bitrate: 96, ..Transcode::default() }).await;
        scene.workshop.run_all().await;
        scene.set_bitrate("other", bitrate).await;
        scene.replace(new_sound()).await;
        // With these settings, the tool says that it was called, and waits for a file beside its output.
        let waiting = format!(
            r#"case "$*" in *{bitrate}k*) for word in "$@"; do case $word in file:*/out*) out="${{word#file:}}"
echo > "${{out%/*}}/called"; while [ ! -e "${{out%/*}}/go" ]; do :; done ;; esac; done ;; esac"#
        );
        let script = std::fs::read_to_string(&scene.ffmpeg).unwrap();
        write_program(&scene.ffmpeg, &format!("{waiting}\n{script}"));
        let is_over = AtomicBool::new(false);
        let running = async {
            let ended = scene.workshop.run_next().await;
            is_over.store(true, Ordering::Relaxed);
            ended
        };
        let changing = async {
            let mut is_changed = false;
            while !is_over.load(Ordering::Relaxed) {
                let folders = folders_below(&scene.ffmpeg.with_file_name("scratch"));
                for folder in folders.iter().filter(|folder| folder.join("called").exists()) {
                    if !is_changed {
                        scene.set_bitrate("other", 112).await;
                    }
                    is_changed = true;
                    std::fs::write(folder.join("go"), "").unwrap();
                }
                tokio::task::yield_now().await;
            }
            is_changed
        };
        let (ended, is_changed) = tokio::join!(running, changing);
        assert!(is_changed && matches!(ended, Some(Ok(()))), "{ended:?}");
        scene.workshop.run_all().await;
        let replacement = scene.replacement().await;
        assert_eq!(replacement.state, ReplacementState::Completed, "{replacement:?}");
        let state = scene.state().await;
        let others: Vec<_> =
            state.files.iter().filter(|file| file.recipe.index.as_str() == "other").collect();
        assert!(others.len() == 1 && others[0].is_made(), "{others:?}");
        scene.workshop.clock.advance_seconds(DAY);
        scene.clean_up().await;
        let objects = scene.objects().await;
        let of_other: Vec<_> = objects.iter().filter(|key| key.contains("/other.")).collect();
        assert_eq!(of_other, [&others[0].object().unwrap().to_string()]);
    }
}

async fn what_was_made_from_the_old_source_is_not_recorded_any_more(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let old = scene.track().await.source.unwrap().key;
    scene.add("slow", Transcode { bitrate: 64, ..Transcode::default() }).await;
    // With the old source, the tool waits for a file beside its output.
    let waiting = format!(
        r#"case "$*" in *{old}*) for word in "$@"; do case $word in file:*/out*)
out="${{word#file:}}"; while [ ! -e "${{out%/*}}/go" ]; do :; done; echo sound > "$out" ;; esac; done; exit ;; esac
"#
    );
    let script = std::fs::read_to_string(&scene.ffmpeg).unwrap();
    write_program(&scene.ffmpeg, &format!("{waiting}\n{script}"));
    let old_run = scene.workshop.run_next();
    let replacing = async {
        let scratch = scene.ffmpeg.with_file_name("scratch");
        while folders_below(&scratch).len() < 3 {
            tokio::task::yield_now().await;
        }
        let let_go_on = folders_below(&scratch);
        scene.replace(new_sound()).await;
        scene.workshop.run_all().await;
        let after = scene.state().await;
        for folder in let_go_on {
            std::fs::write(folder.join("go"), "").unwrap();
        }
        after
    };
    let (old_run, after) = tokio::join!(old_run, replacing);
    assert!(matches!(old_run, Some(Err(JobError::Cancelled))), "{old_run:?}");
    assert_eq!(scene.state().await, after);
    scene.workshop.run_all().await;
    let end = scene.state().await;
    assert_eq!(end, after);
    assert!(end.files.iter().any(|file| file.recipe.index.as_str() == "slow" && file.is_made()));
}

/// A folder and all folders below it.
pub(crate) fn folders_below(folder: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let below: Vec<_> = inside.filter(|path| path.is_dir()).flat_map(|path| folders_below(&path)).collect();
    std::iter::once(folder.to_owned()).chain(below).collect()
}

async fn one_replacement_at_a_time(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let first = scene.ask().await.unwrap();
    let second = scene.ask().await.unwrap();
    assert!(matches!(scene.send(&first, new_sound()).await, Err(Refusal::Conflict { .. })));
    scene.send(&second, new_sound()).await.unwrap();
    assert!(matches!(scene.send(&second, sound()).await, Err(Refusal::Conflict { .. })));
    let refused = scene.ask().await.unwrap_err();
    assert!(
        matches!(refused, Refusal::Conflict { code: ErrorCode::ReplacementInProgress, .. }),
        "{refused:?}"
    );
    scene.workshop.run_all().await;
    assert_eq!(scene.replacement().await.state, ReplacementState::Completed);
    assert!(scene.ask().await.is_ok());
    // A track without a source has its own upload URL.
    let (owner, id) = scene.workshop.create().await;
    let refused = scene.workshop.library.replace_source(&owner, id, None).await.unwrap_err();
    assert!(matches!(refused, Refusal::Unprocessable { code: ErrorCode::NoSource, .. }), "{refused:?}");
}

/// The audit log names whoever uploads by this.
async fn a_replacement_is_of_whoever_asked_last(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let id = PersonId::from_parts(scene.track().await.created_at, [1; 10]);
    let person = Caller::person(scene.owner.organization_id, id);
    scene.workshop.library.replace_source(&person, scene.id, None).await.unwrap();
    assert_eq!(scene.replacement().await.person_id, Some(id));
    scene.ask().await.unwrap();
    assert_eq!(scene.replacement().await.person_id, None);
    scene.workshop.library.replace_source(&person, scene.id, None).await.unwrap();
    assert_eq!(scene.replacement().await.person_id, Some(id));
}

async fn a_cancelled_replacement_leaves_nothing(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let (before, objects) = (scene.state().await, scene.objects().await);
    let library = &scene.workshop.library;
    let earlier = scene.ask().await.unwrap().id;
    let waiting = scene.ask().await.unwrap();
    // Whoever asked for an earlier one cancels none but that.
    let refused = library.cancel_replacement(&scene.owner, scene.id, Some(earlier)).await;
    assert!(matches!(refused, Err(Refusal::NotFound(_))), "{refused:?}");
    library.cancel_replacement(&scene.owner, scene.id, Some(waiting.id)).await.unwrap();
    assert!(scene.send(&waiting, new_sound()).await.is_err());
    assert!(matches!(library.replacement(&scene.owner, scene.id).await, Err(Refusal::NotFound(_))));
    assert!(matches!(
        library.cancel_replacement(&scene.owner, scene.id, None).await,
        Err(Refusal::NotFound(_))
    ));
    scene.replace(new_sound()).await;
    library.cancel_replacement(&scene.owner, scene.id, None).await.unwrap();
    scene.workshop.run_all().await;
    scene.clean_up().await;
    assert_eq!((scene.state().await, scene.objects().await), (before, objects));
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    // It can be undone until then.
    scene.workshop.clock.advance_seconds(DAY);
    let refused = library.cancel_replacement(&scene.owner, scene.id, None).await.unwrap_err();
    assert!(matches!(refused, Refusal::Conflict { code: ErrorCode::ReplacementEnded, .. }), "{refused:?}");
}

async fn a_deleted_track_is_not_replaced(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    scene.replace(new_sound()).await;
    scene.workshop.library.delete_track(&scene.owner, scene.id).await.unwrap();
    scene.workshop.run_all().await;
    let found = scene.workshop.catalog.replacement(scene.owner.organization_id, scene.id).await.unwrap();
    assert!(found.is_none_or(|it| it.state != ReplacementState::Processing));
    scene.clean_up().await;
    let left: Vec<_> = scene.workshop.blobs.list(None, None).try_collect().await.unwrap();
    let of_track: Vec<_> = left.iter().filter(|(key, _)| key.file.label.as_str() == "source").collect();
    assert!(of_track.is_empty(), "{of_track:?}");
}

/// The bytes that count for the quota, and those of the objects in the store without pictures.
async fn counted_and_stored(scene: &Scene) -> (u64, u64) {
    let organization = scene.owner.organization_id;
    let counted = scene.workshop.catalog.quota_usage(organization).await.unwrap().bytes;
    let listed: Vec<_> = scene.workshop.blobs.list(Some(organization), None).try_collect().await.unwrap();
    let is_sound =
        |key: &ObjectKey| !["jpg", "webp", "json"].iter().any(|end| key.to_string().ends_with(end));
    let stored = listed.iter().filter(|(key, _)| is_sound(key)).map(|(_, meta)| meta.size).sum();
    (counted, stored)
}

async fn what_is_kept_counts_until_it_goes(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    scene.clean_up().await;
    let library = &scene.workshop.library;
    let kind = RecipeKind::Transcode(Transcode { codec: Codec::Mp3, ..Transcode::default() });
    let recipe = library
        .add_recipe(&scene.owner, "late".parse().unwrap(), kind, tonearm_domain::CachePolicy::default())
        .await
        .unwrap();
    let (first, mut last) = (counted_and_stored(&scene).await, (0, 0));
    for step in 0..4 {
        match step {
            0 => drop(library.render_existing(&scene.owner, recipe.id).await.unwrap()),
            1 => {
                let kind = RecipeKind::Transcode(Transcode {
                    bitrate: 48,
                    codec: Codec::Mp3,
                    ..Transcode::default()
                });
                let update = UpdateRecipe { kind: Patch::Set(kind), ..UpdateRecipe::default() };
                library.update_recipe(&scene.owner, recipe.id, update).await.unwrap();
                library.render_existing(&scene.owner, recipe.id).await.unwrap();
            }
            2 => drop(library.remove_recipe(&scene.owner, recipe.id).await.unwrap()),
            _ => drop(scene.replace(new_sound()).await),
        }
        scene.workshop.run_all().await;
        scene.clean_up().await;
        let (counted, stored) = counted_and_stored(&scene).await;
        assert!(counted >= stored, "step {step}: {counted} of {stored} bytes count");
        assert!(stored >= last.1, "step {step}: nothing goes within a day");
        last = (counted, stored);
    }
    assert!(last > first, "{first:?} {last:?}");
    scene.workshop.clock.advance_seconds(DAY);
    scene.clean_up().await;
    let (counted, stored) = counted_and_stored(&scene).await;
    assert!(stored < last.1 && counted - stored <= last.0 - last.1, "{last:?} {counted} {stored}");
}

/// The headers may claim less sound than there is: then only the size of the finished file shows that it does not fit.
async fn files_that_exceed_the_quota_are_not_stored(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let organization = scene.owner.organization_id;
    let used = scene.workshop.catalog.quota_usage(organization).await.unwrap().bytes;
    let quotas = Quotas { bytes: Some(used + 1_000_000), ..Quotas::default() };
    let tx = scene.workshop.catalog.begin().await.unwrap();
    tx.set_quotas(organization, quotas).await.unwrap();
    tx.commit().await.unwrap();
    // However short the sound is, the tool writes this much.
    let large = r#"case "$*" in *96k*) for word in "$@"; do case $word in file:*/out*) printf %01500000d 0 > "${word#file:}" ;; esac; done
echo out_time_us=50000; exit ;; esac"#;
    let script = std::fs::read_to_string(&scene.ffmpeg).unwrap();
    write_program(&scene.ffmpeg, &format!("{large}\n{script}"));
    scene.add("large", Transcode { bitrate: 96, ..Transcode::default() }).await;
    scene.workshop.run_all().await;
    let files = scene.state().await.files;
    let file = files.iter().find(|file| file.recipe.index.as_str() == "large").unwrap();
    let FileOutcome::Failed { reason } = &file.outcome else { panic!("{file:?}") };
    assert!(reason.contains("quota"), "{reason}");
    assert!(!scene.objects().await.iter().any(|key| key.contains("/large.")), "it was never stored");
}

async fn what_was_replaced_goes_after_a_day(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let before = scene.state().await;
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    let after = scene.state().await;
    let old: Vec<ObjectKey> = before.files.iter().filter_map(TrackFile::object).cloned().collect();
    for (seconds, is_there) in [(0, true), (DAY - 1, true), (1, false)] {
        scene.workshop.clock.advance_seconds(seconds);
        scene.clean_up().await;
        for key in old.iter().chain([&before.track.source.as_ref().unwrap().key]) {
            assert_eq!(scene.has_object(key).await, is_there, "{key} after {seconds} more seconds");
        }
    }
    let left = scene.objects().await;
    let source = after.track.source.as_ref().unwrap().key.to_string();
    assert!(left.contains(&source) && after.keys().is_subset(&left));
    let old_cover = before.track.cover.unwrap().version.to_string();
    assert!(left.iter().all(|key| !key.contains(&old_cover)), "{left:?}");
}

async fn a_shared_source_stays_for_others(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(sound()).await;
    let shared = scene.track().await.source.unwrap().key;
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    scene.workshop.clock.advance_seconds(2 * DAY);
    scene.clean_up().await;
    let second = scene.workshop.catalog.track(scene.owner.organization_id, second).await;
    assert_eq!(second.unwrap().unwrap().source.unwrap().key, shared);
    assert!(scene.has_object(&shared).await);
}

async fn a_shared_source_goes_a_day_after_its_last_track_was_replaced(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(sound()).await;
    let shared = scene.track().await.source.unwrap().key;
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    scene.workshop.clock.advance_seconds(DAY - 3600);
    let second = Scene { id: second, ..scene };
    assert_eq!(second.track().await.source.unwrap().key, shared);
    second.replace(wav(&WavSpec { seconds: 0.3, ..WavSpec::default() })).await;
    second.workshop.run_all().await;
    assert_ne!(second.track().await.source.unwrap().key, shared);
    for (seconds, is_there) in [(2 * 3600, true), (DAY - 2 * 3600 - 1, true), (1, false)] {
        second.workshop.clock.advance_seconds(seconds);
        second.clean_up().await;
        assert_eq!(second.has_object(&shared).await, is_there, "{seconds} seconds later");
    }
}

/// Two tracks had the same source. The undo of one, and the end of the other, take nothing from the second.
async fn each_track_can_put_a_shared_source_back(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(sound()).await;
    let (first, shared) = (scene.id, scene.track().await.source.unwrap().key);
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    let second = Scene { id: second, ..scene };
    second.replace(new_sound()).await;
    second.workshop.run_all().await;
    assert_ne!(second.track().await.source.unwrap().key, shared);
    let (uploads, library) = (&second.workshop.uploads, &second.workshop.library);
    let catalog = &second.workshop.catalog;
    let latest = catalog.replacement(second.owner.organization_id, first).await.unwrap().unwrap();
    uploads.undo_replacement(&second.owner, first, latest.id).await.unwrap();
    second.workshop.run_all().await;
    library.delete_track(&second.owner, first).await.unwrap();
    second.workshop.run_all().await;
    assert!(second.has_object(&shared).await);

    // An undo that fails can be tried again.
    second.add("other", Transcode { bitrate: 96, ..Transcode::default() }).await;
    second.workshop.run_all().await;
    second.set_bitrate("other", FAILING_BITRATE).await;
    let before = second.replacement().await;
    uploads.undo_replacement(&second.owner, second.id, before.id).await.unwrap();
    second.workshop.run_all().await;
    let failed = second.replacement().await;
    assert!(failed.reason.is_some() && failed.state == ReplacementState::Completed, "{failed:?}");
    second.set_bitrate("other", 112).await;
    uploads.undo_replacement(&second.owner, second.id, failed.id).await.unwrap();
    second.workshop.run_all().await;
    assert_eq!(second.track().await.source.unwrap().key, shared);
    second.workshop.clock.advance_seconds(2 * DAY);
    second.clean_up().await;
    assert!(second.has_object(&shared).await);
}

/// A source that tracks share is counted once while it is kept, and once for each track that puts it back.
async fn undos_at_once_stay_within_the_quota(database: TestDatabase) {
    // Larger than all files of a track.
    let large = wav(&WavSpec { seconds: 30.0, ..WavSpec::default() });
    let scene = Scene::open(&database).await;
    let (organization, first) = (scene.owner.organization_id, scene.id);
    for view in scene.workshop.library.recipes(&scene.owner).await.unwrap() {
        if view.recipe.index.as_str() != "levels" {
            scene.workshop.library.remove_recipe(&scene.owner, view.recipe.id).await.unwrap();
        }
    }
    scene.replace(large.clone()).await;
    scene.workshop.run_all().await;
    let second = scene.another(large.clone()).await;
    scene.replace(new_sound()).await;
    let scene = Scene { id: second, ..scene };
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    let (catalog, uploads) = (&scene.workshop.catalog, &scene.workshop.uploads);
    let latest = async |track| catalog.replacement(organization, track).await.unwrap().unwrap();
    assert_eq!(latest(first).await.source, latest(second).await.source);
    let used = catalog.quota_usage(organization).await.unwrap().bytes;
    let most = used + large.len() as u64 / 2;
    let tx = catalog.begin().await.unwrap();
    tx.set_quotas(organization, Quotas { bytes: Some(most), ..Quotas::default() }).await.unwrap();
    tx.commit().await.unwrap();
    for track in [first, second] {
        let undone = latest(track).await.id;
        let undoing = uploads.undo_replacement(&scene.owner, track, undone).await.unwrap();
        assert!(undoing.is_undo());
    }
    scene.workshop.run_all().await;
    assert!(catalog.quota_usage(organization).await.unwrap().bytes <= most);
    let reasons = [latest(first).await.reason, latest(second).await.reason];
    let refused: Vec<&String> = reasons.iter().flatten().collect();
    assert!(refused.len() == 1 && refused[0].contains("quota"), "{reasons:?}");
}

/// A track is deleted although the row of its collection cannot be read.
async fn a_track_of_a_damaged_collection_is_deleted(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(sound()).await;
    let raw = Database::connect(&database.url).await.unwrap();
    for (damage, track) in [("theme = '7'", scene.id), ("created_at = 9223372036854775807", second)] {
        let damage = format!("UPDATE collection SET {damage}");
        assert_eq!(raw.execute_unprepared(&damage).await.unwrap().rows_affected(), 1);
        scene.workshop.library.delete_track(&scene.owner, track).await.unwrap();
    }
    raw.close().await.unwrap();
}

async fn a_run_that_lost_its_lease_removes_nothing(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let old = scene.track().await.source.unwrap().key;
    scene.replace(new_sound()).await;
    scene.workshop.run_all().await;
    scene.workshop.clock.advance_seconds(2 * DAY);
    let (catalog, ambient) = (&scene.workshop.catalog, &scene.workshop.ambient);
    let tx = catalog.begin().await.unwrap();
    tx.enqueue(Job::ForgetExpired {}, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    let (now, lease) = (ambient.now(), ambient.credential_id());
    let claimed = catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
    // A person drops the job, as another worker may take it over.
    let tx = catalog.begin().await.unwrap();
    tx.delete_job(claimed.id).await.unwrap();
    tx.commit().await.unwrap();
    let run = JobRun { claimed, cancel: CancellationToken::new() };
    let stale = scene.workshop.processing.run(&run).await;
    assert!(matches!(stale, Err(JobError::LeaseLost)), "{stale:?}");
    assert!(scene.has_object(&old).await);
    scene.clean_up().await;
    assert!(!scene.has_object(&old).await);
}

async fn a_source_that_others_have_is_taken_over(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(new_sound()).await;
    encode_no_sound(&scene.ffmpeg);
    let second = Scene { id: second, ..scene };
    second.replace(sound()).await;
    second.workshop.run_all().await;
    let replaced = second.replacement().await;
    assert_eq!(replaced.state, ReplacementState::Completed, "{:?}", replaced.reason);
    let made = second.state().await.files;
    assert!(made.iter().all(|file| matches!(file.outcome, FileOutcome::Made { .. })));
}
