//! Causes of failures: only faults of the file itself become a verdict on it.

use std::path::PathBuf;
use std::time::Duration;

use futures::StreamExt;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{
    CachePolicy, ClaimedJob, Codec, ErrorCode, Outage, RecipeKind, Source, Track, TrackId, TrackStatus,
    Transcode,
};
use tonearm_fixtures::audio::{WavSpec, transcode, write_wav};
use tonearm_fixtures::{CommitProxy, Loss, S3Server, TestDatabase};
use tonearm_media::{MediaConfig, MediaLimits, TierLimits};
use tonearm_service::{Caller, JobError, JobRun, Refusal};

use crate::on_both;
use crate::workshop::{Workshop, sound, write_program};

on_both!(
    a_store_that_is_away_is_waited_for,
    tools_that_do_not_work_are_waited_for,
    a_source_that_the_store_lost_or_changed_is_waited_for,
    what_is_no_audio_is_refused_and_can_be_retried,
    tracks_need_no_sound_that_nobody_asked_for,
    a_file_over_which_processes_hang_for_a_day_is_refused,
    every_file_of_a_track_gets_larger_limits,
    a_source_that_the_disk_has_no_room_for_is_not_fetched,
);

async fn track(workshop: &Workshop, owner: &Caller, id: TrackId) -> Track {
    workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap()
}

/// Runs the track's job, which must end in an outage that leaves the track processing.
async fn waits(workshop: &Workshop, owner: &Caller, id: TrackId, expected: Outage) {
    let result = workshop.run_next().await.unwrap();
    let is_expected = matches!(&result, Err(JobError::Outage { outage, .. }) if *outage == expected);
    assert!(is_expected, "{result:?}");
    assert_eq!(track(workshop, owner, id).await.status, TrackStatus::Processing);
}

async fn becomes_ready(workshop: &Workshop, owner: &Caller, id: TrackId) {
    workshop.run_all().await;
    let track = track(workshop, owner, id).await;
    assert_eq!(track.status, TrackStatus::Ready, "{:?}", track.status_reason);
}

async fn a_store_that_is_away_is_waited_for(database: TestDatabase) {
    let mut s3 = S3Server::start();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, Some(s3.url()), MediaConfig::find()).await;
    let (owner, id) = workshop.upload(sound()).await;
    s3.stop();
    waits(&workshop, &owner, id, Outage::Store).await;
    s3.restart();
    becomes_ready(&workshop, &owner, id).await;
}

async fn tools_that_do_not_work_are_waited_for(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let ffmpeg = folder.path().join("ffmpeg");
    write_program(&ffmpeg, "echo Invalid data found when processing input >&2; exit 1");
    let config = MediaConfig { ffmpeg: ffmpeg.clone(), ..MediaConfig::find() };
    let workshop = Workshop::open_with(&database, folder, None, config).await;
    let (owner, id) = workshop.upload(sound()).await;
    waits(&workshop, &owner, id, Outage::Tools).await;
    write_program(&ffmpeg, "kill -s KILL $$");
    waits(&workshop, &owner, id, Outage::Memory).await;
    std::fs::remove_file(&ffmpeg).unwrap();
    waits(&workshop, &owner, id, Outage::Tools).await;
    // A program found in `PATH` runs in the same confinement as the real one.
    write_program(&ffmpeg, "exec ffmpeg \"$@\"");
    becomes_ready(&workshop, &owner, id).await;
}

async fn a_source_that_the_store_lost_or_changed_is_waited_for(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, None, MediaConfig::find()).await;
    let (owner, id) = workshop.upload(sound()).await;
    let path = source_path(&workshop, &owner, id).await;
    let bytes = std::fs::read(&path).unwrap();

    std::fs::remove_file(&path).unwrap();
    waits(&workshop, &owner, id, Outage::Source).await;
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    waits(&workshop, &owner, id, Outage::Source).await;
    std::fs::write(&path, vec![0; bytes.len()]).unwrap();
    waits(&workshop, &owner, id, Outage::Source).await;
    std::fs::write(&path, bytes).unwrap();
    becomes_ready(&workshop, &owner, id).await;
}

async fn tracks_need_no_sound_that_nobody_asked_for(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, None, MediaConfig::find()).await;
    let (owner, id) = workshop.create().await;
    for view in workshop.library.recipes(&owner).await.unwrap() {
        if view.recipe.kind.recipe_type().is_playable() {
            workshop.library.remove_recipe(&owner, view.recipe.id).await.unwrap();
        }
    }
    workshop.send(&owner, id, sound()).await.unwrap();
    becomes_ready(&workshop, &owner, id).await;
}

async fn a_file_over_which_processes_hang_for_a_day_is_refused(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let ffmpeg = folder.path().join("ffmpeg");
    write_program(&ffmpeg, "exec sleep 600");
    let normal = TierLimits {
        wall: Duration::from_millis(300),
        wall_per_sound_second: 0.0,
        wall_per_100_mib: 0.0,
        ..TierLimits::default()
    };
    let limits = MediaLimits { normal, fallback: None };
    let config = MediaConfig { ffmpeg, limits, ..MediaConfig::find() };
    let workshop = Workshop::open_with(&database, folder, None, config).await;
    let (owner, id) = workshop.upload(sound()).await;
    waits(&workshop, &owner, id, Outage::Overload).await;

    let now = workshop.ambient.now();
    let lease = workshop.ambient.credential_id();
    let claimed = workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
    let cancel = CancellationToken::new();
    let failing_for = |seconds: i64| {
        let failing_since = Some(now.plus_seconds(-seconds));
        JobRun { claimed: ClaimedJob { failing_since, ..claimed.clone() }, cancel: cancel.clone() }
    };
    let result = workshop.processing.run(&failing_for(24 * 3600 - 1)).await;
    assert!(matches!(result, Err(JobError::Outage { outage: Outage::Overload, .. })), "{result:?}");
    assert_eq!(track(&workshop, &owner, id).await.status, TrackStatus::Processing);
    workshop.processing.run(&failing_for(24 * 3600)).await.unwrap();
    assert_eq!(track(&workshop, &owner, id).await.status, TrackStatus::InitError);
}

/// An ffmpeg that runs out of memory with the normal limits: a string of 64 MiB does not fit. It prints ffmpeg's
/// message beforehand, because the shell's differs; the message is ignored if the run succeeds.
const GREEDY: &str = r#"echo "Cannot allocate memory" >&2
x=01234567
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do x=$x$x; done
exec ffmpeg "$@""#;

/// A tone as FLAC, which requires a decoder.
async fn flac(seconds: f64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let [wav, flac] = ["tone.wav", "tone.flac"].map(|name| folder.path().join(name));
    write_wav(&WavSpec { seconds, sample_rate: 8000, ..WavSpec::default() }, &wav).unwrap();
    transcode(&wav, &flac, &[]).await;
    std::fs::read(flac).unwrap()
}

/// The measurement needs larger limits first, and then each file does: for short and for long sound.
async fn every_file_of_a_track_gets_larger_limits(database: TestDatabase) {
    for seconds in [1.0, 21.0] {
        let folder = tempfile::tempdir().unwrap();
        let [ffmpeg, ffprobe] = ["ffmpeg", "ffprobe"].map(|name| folder.path().join(name));
        write_program(&ffmpeg, GREEDY);
        write_program(&ffprobe, &GREEDY.replace("exec ffmpeg", "exec ffprobe"));
        let of = |memory| TierLimits { memory, ..TierLimits::default() };
        let limits = MediaLimits { normal: of(64 << 20), fallback: Some(of(1 << 30)) };
        let config = MediaConfig { ffmpeg, ffprobe, limits, ..MediaConfig::find() };
        let workshop = Workshop::open_with(&database, folder, None, config).await;
        let (owner, id) = workshop.upload(flac(seconds).await).await;
        becomes_ready(&workshop, &owner, id).await;

        // A file that is added later to a ready track gets the larger limits too.
        let kind = RecipeKind::Transcode(Transcode { codec: Codec::Flac, ..Transcode::default() });
        let (index, cache) = ("later".parse().unwrap(), CachePolicy::default());
        let added = workshop.library.add_recipe(&owner, index, kind, cache).await.unwrap();
        workshop.library.render_existing(&owner, added.id).await.unwrap();
        workshop.run_all().await;
        let files = workshop.catalog.files_of_track(id).await.unwrap();
        assert!(files.iter().any(|file| file.recipe.id == added.id), "{files:?}");
        assert!(files.iter().all(|file| file.is_made()), "{files:?}");
        assert_eq!(track(&workshop, &owner, id).await.status, TrackStatus::Ready);
    }
}

async fn a_source_that_the_disk_has_no_room_for_is_not_fetched(database: TestDatabase) {
    let s3 = S3Server::start();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, Some(s3.url()), MediaConfig::find()).await;
    let (owner, id) = workshop.upload(sound()).await;
    let uploaded = track(&workshop, &owner, id).await;
    let source = uploaded.source.clone().map(|source| Source { size: 1 << 60, ..source });
    set_track(&workshop, &Track { source, ..uploaded.clone() }).await;
    // If the source were fetched, its length would differ, and the store would be blamed.
    waits(&workshop, &owner, id, Outage::Disk).await;
    set_track(&workshop, &uploaded).await;
    becomes_ready(&workshop, &owner, id).await;
}

async fn set_track(workshop: &Workshop, track: &Track) {
    let tx = workshop.catalog.begin().await.unwrap();
    tx.update_track(track).await.unwrap();
    tx.commit().await.unwrap();
}

async fn source_path(workshop: &Workshop, owner: &Caller, id: TrackId) -> PathBuf {
    let source = track(workshop, owner, id).await.source.unwrap();
    workshop.blobs.local_path(&source.key).unwrap()
}

async fn what_is_no_audio_is_refused_and_can_be_retried(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, None, MediaConfig::find()).await;
    let (owner, id) = workshop.upload(b"These are words, not sound. ".repeat(100)).await;
    workshop.run_all().await;
    let refused = track(&workshop, &owner, id).await;
    assert_eq!(refused.status, TrackStatus::InitError);
    assert!(refused.status_reason.is_some());

    let retried = workshop.library.retry_track(&owner, id, None).await.unwrap().track;
    assert_eq!((retried.status, retried.status_reason), (TrackStatus::Processing, None));
    workshop.run_all().await;
    assert_eq!(track(&workshop, &owner, id).await.status, TrackStatus::InitError);

    // If no file is missing, there is nothing to retry.
    let (owner, id) = workshop.upload(sound()).await;
    becomes_ready(&workshop, &owner, id).await;
    let refusal = workshop.library.retry_track(&owner, id, None).await.unwrap_err();
    assert!(matches!(refusal, Refusal::Conflict { code: ErrorCode::NothingToRetry, .. }), "{refusal:?}");
}

/// It is unknown whether the row that references the object exists, so the object stays. Here the row exists.
#[tokio::test]
async fn an_upload_whose_commit_is_unknown_keeps_its_bytes() {
    let proxy = CommitProxy::start().await;
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_at(&proxy.url, folder, None, MediaConfig::find()).await;
    let (owner, id) = workshop.create().await;
    proxy.lose(Loss::AnswerAndServer);
    let refused = workshop.send(&owner, id, sound()).await.unwrap_err();
    assert!(matches!(refused, Refusal::UnknownOutcome(_)), "{refused:?}");
    assert!(proxy.has_lost());
    proxy.open();
    assert!(source_path(&workshop, &owner, id).await.exists());
    becomes_ready(&workshop, &owner, id).await;

    // A commit that is known to have failed leaves nothing.
    let (owner, id) = workshop.create().await;
    proxy.lose(Loss::Commit);
    let refused = workshop.send(&owner, id, sound()).await.unwrap_err();
    assert!(matches!(refused, Refusal::Unavailable(_)), "{refused:?}");
    let index = track(&workshop, &owner, id).await.index;
    let left = workshop.blobs.list(Some(owner.organization_id), Some(index)).count().await;
    assert_eq!(left, 0);
    workshop.send(&owner, id, sound()).await.unwrap();
    becomes_ready(&workshop, &owner, id).await;
}
