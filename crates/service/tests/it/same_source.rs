//! Tracks whose sources have the same bytes.

use std::path::PathBuf;
use std::time::Duration;

use futures::TryStreamExt;
use tonearm_domain::{
    Codec, FileOutcome, ObjectKey, RecipeKind, SourceSlot, Track, TrackFile, TrackId, TrackStatus, Transcode,
};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{BucketProxy, Fault, S3Server, TestDatabase};
use tonearm_media::MediaConfig;
use tonearm_service::{Caller, CreateTrack};

use crate::on_both;
use crate::workshop::{Workshop, encode_no_sound, sound};

on_both!(
    what_was_made_is_taken_over,
    a_shared_source_goes_with_its_last_track,
    organizations_share_nothing,
    files_with_other_words_are_made,
    files_that_are_gone_are_made,
    an_original_is_in_its_own_folder,
    files_of_a_source_that_is_replaced_meanwhile_are_not_taken,
    a_former_title_is_not_taken_over,
);

/// A workshop whose ffmpeg can be removed.
struct Scene {
    workshop: Workshop,
    ffmpeg: PathBuf,
    owner: Caller,
    first: TrackId,
}

impl Scene {
    /// Opens a scene with one fully rendered track.
    async fn open(database: &TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ffmpeg, ffprobe) = crate::workshop::write_scripts(folder.path());
        let config = MediaConfig { ffmpeg: ffmpeg.clone(), ffprobe, concurrency: 8, ..MediaConfig::find() };
        let workshop = Workshop::open_with(database, folder, None, config).await;
        let (owner, first) = workshop.upload(sound()).await;
        workshop.run_all().await;
        Self { workshop, ffmpeg, owner, first }
    }

    fn take_ffmpeg_away(&self) {
        encode_no_sound(&self.ffmpeg);
    }

    async fn track(&self, id: TrackId) -> Track {
        self.workshop.catalog.track(self.owner.organization_id, id).await.unwrap().unwrap()
    }

    /// Another track in the collection of the first, with the same bytes; not processed yet.
    async fn another(&self, create: CreateTrack) -> TrackId {
        // IDs of the same millisecond have no order.
        self.workshop.clock.advance_seconds(1);
        let collection_id = Some(self.track(self.first).await.collection_id);
        let create = CreateTrack { collection_id, file_name: "again.wav".to_owned(), ..create };
        let (created, _) = self.workshop.library.create_track(&self.owner, create).await.unwrap();
        self.workshop.send(&self.owner, created.track.id, sound()).await.unwrap();
        created.track.id
    }

    async fn objects(&self, track: &Track) -> Vec<ObjectKey> {
        let listed = self.workshop.blobs.list(Some(track.organization_id), Some(track.index));
        listed.map_ok(|(key, _)| key).try_collect().await.unwrap()
    }

    async fn files(&self, id: TrackId) -> Vec<TrackFile> {
        self.workshop.catalog.files_of_track(id).await.unwrap()
    }

    async fn has_object(&self, key: &ObjectKey) -> bool {
        self.workshop.blobs.head(key).await.unwrap().is_some()
    }
}

fn made(file: &TrackFile) -> (&ObjectKey, u64, String) {
    match &file.outcome {
        FileOutcome::Made { key, size, data, .. } => (key, *size, format!("{data:?}")),
        FileOutcome::Failed { reason } => panic!("{}: {reason}", file.recipe.index),
    }
}

async fn what_was_made_is_taken_over(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    scene.take_ffmpeg_away();
    let second = scene.another(CreateTrack::default()).await;
    scene.workshop.run_all().await;
    let (first, second) = (scene.track(scene.first).await, scene.track(second).await);
    assert_eq!(second.status, TrackStatus::Ready, "{:?}", second.status_reason);
    assert_eq!((second.duration, &second.info), (first.duration, &first.info));
    assert_eq!(second.source, first.source);
    assert!(second.cover.is_some());
    let (before, after) = (scene.files(first.id).await, scene.files(second.id).await);
    assert!(!before.is_empty());
    assert_eq!(before.len(), after.len());
    let objects = scene.objects(&second).await;
    for (one, other) in before.iter().zip(&after) {
        let ((_, size, data), (key, own_size, own_data)) = (made(one), made(other));
        assert_eq!((one.recipe.id, size, data), (other.recipe.id, own_size, own_data));
        assert!(objects.contains(key), "{key} is not in the track's own folder");
    }
    let sources = objects.iter().filter(|key| key.file.label.as_str() == "source").count();
    assert_eq!(sources, 0, "{objects:?}");
}

async fn a_shared_source_goes_with_its_last_track(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(CreateTrack::default()).await;
    let third = scene.another(CreateTrack::default()).await;
    scene.workshop.run_all().await;
    let first = scene.track(scene.first).await;
    let (second, third) = (scene.track(second).await, scene.track(third).await);
    let source = first.source.clone().unwrap().key;
    assert_eq!(third.source.as_ref().map(|source| &source.key), Some(&source));
    for (track, is_kept) in [(&first, true), (&third, true), (&second, false)] {
        scene.workshop.library.delete_track(&scene.owner, track.id).await.unwrap();
        scene.workshop.run_all().await;
        assert_eq!(scene.has_object(&source).await, is_kept, "after {}", track.file_name);
        let left: Vec<_> = scene.objects(track).await.into_iter().filter(|key| *key != source).collect();
        assert_eq!(left, []);
    }
    assert_eq!(scene.objects(&first).await, []);
}

async fn organizations_share_nothing(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let (other, id) = scene.workshop.upload(sound()).await;
    scene.workshop.run_all().await;
    let theirs = scene.workshop.catalog.track(other.organization_id, id).await.unwrap().unwrap();
    let own = scene.track(scene.first).await;
    assert_ne!(theirs.source.as_ref().map(|it| &it.key), own.source.as_ref().map(|it| &it.key));
    assert_eq!(theirs.source.unwrap().key.organization_id, other.organization_id);
}

async fn files_with_other_words_are_made(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let tagged = RecipeKind::Transcode(Transcode { is_strip_tags: false, ..Transcode::default() });
    let bare = RecipeKind::Transcode(Transcode { codec: Codec::Flac, ..Transcode::default() });
    for (index, kind) in [("tagged", tagged), ("bare", bare)] {
        let index = index.parse().unwrap();
        scene.workshop.library.add_variant(&scene.owner, scene.first, index, kind).await.unwrap();
    }
    scene.workshop.run_all().await;
    let recipes = scene.files(scene.first).await;
    let titled = CreateTrack { player_title: Some("Another title".to_owned()), ..CreateTrack::default() };
    let second = scene.another(titled).await;
    for file in recipes.iter().filter(|file| file.recipe.track_id.is_some()) {
        let (index, kind) = (file.recipe.index.clone(), file.recipe.kind.clone());
        scene.workshop.library.add_variant(&scene.owner, second, index, kind).await.unwrap();
    }
    scene.take_ffmpeg_away();
    // Everything except the file whose tags would contain the other title.
    while let Some(result) = scene.workshop.run_next().await {
        if result.is_err() {
            break;
        }
    }
    let missing: Vec<_> = {
        let made = scene.files(second).await;
        let is_made = |index: &str| made.iter().any(|file| file.recipe.index.as_str() == index);
        recipes.iter().map(|file| file.recipe.index.as_str()).filter(|index| !is_made(index)).collect()
    };
    assert_eq!(missing, ["tagged"]);
}

/// The title is in the tags of the file of the first track, which then gets the title of the second.
async fn a_former_title_is_not_taken_over(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let tagged = RecipeKind::Transcode(Transcode { is_strip_tags: false, ..Transcode::default() });
    let add = async |id| {
        let index = "tagged".parse().unwrap();
        scene.workshop.library.add_variant(&scene.owner, id, index, tagged.clone()).await.unwrap();
    };
    let title = async |title: &str| {
        let player_title = Some(title.to_owned());
        let track = Track { player_title, ..scene.track(scene.first).await };
        let tx = scene.workshop.catalog.begin().await.unwrap();
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
    };
    title("A secret").await;
    add(scene.first).await;
    scene.workshop.run_all().await;
    title("Public").await;
    scene.take_ffmpeg_away();
    for (words, is_copied) in [("Public", false), ("A secret", true)] {
        let titled = CreateTrack { player_title: Some(words.to_owned()), ..CreateTrack::default() };
        let id = scene.another(titled).await;
        add(id).await;
        while let Some(Ok(())) = scene.workshop.run_next().await {}
        let has_tagged = scene.files(id).await.iter().any(|file| file.recipe.index.as_str() == "tagged");
        assert_eq!(has_tagged, is_copied, "{words}");
        // Its other jobs would fail again and again.
        scene.workshop.library.delete_track(&scene.owner, id).await.unwrap();
        while scene.workshop.run_next().await.is_some() {}
    }
}

/// The second track has found the first, whose source is replaced before its files are read.
async fn files_of_a_source_that_is_replaced_meanwhile_are_not_taken(database: TestDatabase) {
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let folder = tempfile::tempdir().unwrap();
    let (ffmpeg, ffprobe) = crate::workshop::write_scripts(folder.path());
    // Each file has other bytes.
    let script = std::fs::read_to_string(&ffmpeg).unwrap().replace("echo sound", "echo sound $$ $word");
    std::fs::write(&ffmpeg, script).unwrap();
    let config = MediaConfig { ffmpeg: ffmpeg.clone(), ffprobe, concurrency: 8, ..MediaConfig::find() };
    let workshop = Workshop::open_with(&database, folder, Some(proxy.url().to_owned()), config).await;
    let (owner, first) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let scene = Scene { workshop, ffmpeg, owner, first };
    let old = scene.track(first).await.source.unwrap();
    let second = scene.another(CreateTrack::default()).await;
    let held = old.key.to_string();
    proxy.set(move |request| {
        (request.method == "HEAD" && request.target.ends_with(&held)).then_some(Fault::Hold)
    });
    let processing = scene.workshop.run_next();
    let replacing = async {
        while !proxy
            .requests()
            .iter()
            .any(|it| it.method == "HEAD" && it.target.ends_with(&old.key.to_string()))
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (replacement, _) =
            scene.workshop.library.replace_source(&scene.owner, first, None).await.unwrap();
        let slot = SourceSlot {
            replacement_id: Some(replacement.id),
            ..SourceSlot::of_track(scene.owner.organization_id, first)
        };
        let new = wav(&WavSpec { seconds: 0.2, ..WavSpec::default() });
        scene.workshop.send_to(&scene.owner, slot, new).await.unwrap();
        while scene.track(first).await.source.as_ref() == Some(&old) {
            scene.workshop.run_next().await.unwrap().unwrap();
        }
        proxy.release();
    };
    let (processed, ()) = tokio::join!(processing, replacing);
    processed.unwrap().unwrap();
    assert_eq!(scene.track(second).await.status, TrackStatus::Ready);
    let hashes = async |id| -> Vec<[u8; 32]> {
        let files = scene.files(id).await;
        let hash = |file: &TrackFile| match &file.outcome {
            FileOutcome::Made { sha256, .. } => sha256.unwrap(),
            FileOutcome::Failed { reason } => panic!("{reason}"),
        };
        files.iter().filter(|file| file.recipe.kind.recipe_type().is_playable()).map(hash).collect()
    };
    let (new, own) = (hashes(first).await, hashes(second).await);
    assert!(!own.is_empty() && own.iter().all(|hash| !new.contains(hash)), "{own:?} and {new:?}");
    assert_eq!(scene.track(second).await.source.unwrap().sha256, old.sha256);
}

async fn files_that_are_gone_are_made(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    for file in scene.files(scene.first).await {
        scene.workshop.blobs.delete(made(&file).0).await.unwrap();
    }
    let second = scene.another(CreateTrack::default()).await;
    scene.workshop.run_all().await;
    assert_eq!(scene.track(second).await.status, TrackStatus::Ready);
    for file in scene.files(second).await {
        assert!(scene.has_object(made(&file).0).await);
    }
}

async fn an_original_is_in_its_own_folder(database: TestDatabase) {
    let scene = Scene::open(&database).await;
    let second = scene.another(CreateTrack::default()).await;
    scene.workshop.run_all().await;
    let track = scene.track(second).await;
    let files = scene.files(second).await;
    let file = files.iter().find(|file| file.recipe.kind == (RecipeKind::Original {})).unwrap();
    let (key, size, _) = made(file);
    assert_eq!((key.folder, size), (track.index, track.source.as_ref().unwrap().size));
    assert_ne!(track.source.unwrap().key.folder, track.index);
    let body = scene.workshop.blobs.get(key, None).await.unwrap().unwrap();
    let bytes: bytes::BytesMut = body.stream.try_collect().await.unwrap();
    assert!(bytes == sound());
}
