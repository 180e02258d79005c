//! Manifests in the store, for nodes without a catalog.

use futures::TryStreamExt;
use tonearm_domain::{
    Generation, Job, ObjectKey, Outage, RecipeKind, Track, TrackManifest, Transcode, VariantIndex,
};
use tonearm_fixtures::{S3Server, TestDatabase};
use tonearm_media::MediaConfig;
use tonearm_service::{
    Caller, FindingKind, JobError, Remedy, StoreIdentity, Verification, VerifyEvent, VerifyState, VerifyTerms,
};

use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(
    a_manifest_follows_the_files,
    tracks_from_before_get_theirs,
    a_store_that_is_away_is_waited_for,
    a_worker_that_slept_does_no_harm,
    a_manifest_of_a_lost_time_is_overtaken,
    lost_transactions_are_noticed_by_whoever_looks,
);

async fn track_of(workshop: &Workshop, owner: &Caller, id: tonearm_domain::TrackId) -> Track {
    workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap()
}

/// Everything in a track's folder.
async fn objects(workshop: &Workshop, track: &Track) -> Vec<ObjectKey> {
    let listed = workshop.blobs.list(Some(track.organization_id), Some(track.index));
    listed.map_ok(|(key, _)| key).try_collect().await.unwrap()
}

async fn manifests(workshop: &Workshop, track: &Track) -> Vec<(u64, TrackManifest)> {
    let mut found = Vec::new();
    for key in objects(workshop, track).await {
        let Some(generation) = TrackManifest::generation(&key) else { continue };
        let body = workshop.blobs.get(&key, None).await.unwrap().unwrap();
        let bytes: bytes::BytesMut = body.stream.try_collect().await.unwrap();
        found.push((generation.number(), serde_json::from_slice(&bytes).unwrap()));
    }
    found
}

async fn a_manifest_follows_the_files(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = track_of(&workshop, &owner, id).await;
    workshop.give_cover(&track).await;
    assert_eq!(manifests(&workshop, &track).await, []);
    workshop.run_all().await;
    let in_catalog = workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap();
    let files = workshop.catalog.files_of_track(id).await.unwrap();
    assert_eq!(in_catalog.len(), files.iter().filter(|file| file.is_made()).count());
    let [(before, stored)] = &manifests(&workshop, &track).await[..] else { panic!("there is one") };
    assert_eq!(*stored, in_catalog);

    let index: VariantIndex = "added".parse().unwrap();
    let kind = RecipeKind::Transcode(Transcode::default());
    workshop.library.add_variant(&owner, id, index.clone(), kind).await.unwrap();
    workshop.run_all().await;
    let [(after, stored)] = &manifests(&workshop, &track).await[..] else { panic!("there is one") };
    assert!(after > before);
    let added = workshop.catalog.files_of_track(id).await.unwrap();
    let added = added.iter().find(|file| file.recipe.index == index).unwrap();
    let tonearm_domain::FileOutcome::Made { key, .. } = &added.outcome else { panic!("{added:?}") };
    assert_eq!(stored.file(&index, key.file.content_type), Some(&key.file));

    workshop.library.delete_track(&owner, id).await.unwrap();
    workshop.run_all().await;
    assert_eq!(objects(&workshop, &track).await, []);
}

async fn tracks_from_before_get_theirs(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let mut tracks = Vec::new();
    for _ in 0..3 {
        let (owner, id) = workshop.upload(sound()).await;
        let track = track_of(&workshop, &owner, id).await;
        workshop.give_cover(&track).await;
        // Runs all jobs except the one that would write the manifest.
        while let Some(result) = workshop.run_next().await {
            result.unwrap();
            if workshop.is_queued(&[publication(&track)]).await {
                break;
            }
        }
        tracks.push(track);
    }
    for pending in workshop.catalog.pending_jobs().await.unwrap() {
        if matches!(pending.job, Some(Job::PublishManifest { .. })) {
            let tx = workshop.catalog.begin().await.unwrap();
            tx.delete_job(pending.id).await.unwrap();
            tx.commit().await.unwrap();
        }
    }
    let tx = workshop.catalog.begin().await.unwrap();
    let (id, now) = (workshop.ambient.record_id(), workshop.ambient.now());
    tx.enqueue(Job::PublishManifests {}, id, now, None).await.unwrap();
    tx.commit().await.unwrap();
    workshop.run_all().await;
    for track in tracks {
        let in_catalog = workshop.catalog.manifest(track.organization_id, track.index).await.unwrap();
        assert_eq!(manifests(&workshop, &track).await, [(1, in_catalog)]);
    }
    assert_eq!(workshop.catalog.tracks_without_manifest(None, 10).await.unwrap(), []);
}

fn publication(track: &Track) -> Job {
    Job::PublishManifest { organization_id: track.organization_id, track_id: track.id }
}

async fn a_store_that_is_away_is_waited_for(database: TestDatabase) {
    let mut s3 = S3Server::start();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop::open_with(&database, folder, Some(s3.url()), MediaConfig::find()).await;
    let (owner, id) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let track = track_of(&workshop, &owner, id).await;
    let tx = workshop.catalog.begin().await.unwrap();
    let (job_id, now) = (workshop.ambient.record_id(), workshop.ambient.now());
    tx.enqueue(publication(&track), job_id, now, None).await.unwrap();
    tx.commit().await.unwrap();
    s3.stop();
    let result = workshop.run_next().await.unwrap();
    assert!(matches!(result, Err(JobError::Outage { outage: Outage::Store, .. })), "{result:?}");
    s3.restart();
    workshop.run_all().await;
    // Manifests that were replaced meanwhile and not removed are left to the sweep.
    let newest = manifests(&workshop, &track).await.into_iter().max_by_key(|(number, _)| *number);
    let in_catalog = workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap();
    assert_eq!(newest.unwrap().1, in_catalog);
}

async fn a_worker_that_slept_does_no_harm(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = track_of(&workshop, &owner, id).await;
    workshop.give_cover(&track).await;
    // A worker begins a generation before any file is rendered, and is then paused.
    let tx = workshop.catalog.begin().await.unwrap();
    let slept = tx.next_manifest(owner.organization_id, id, None).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    assert_eq!((slept.generation, slept.manifest.is_empty()), (Generation::new(1).unwrap(), true));
    workshop.run_all().await;
    let key = TrackManifest::key(owner.organization_id, track.index, slept.generation);
    let json = serde_json::to_vec(&slept.manifest).unwrap();
    workshop.blobs.put_bytes(&key, json.into()).await.unwrap();
    let found = manifests(&workshop, &track).await;
    let in_catalog = workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap();
    assert_eq!(found.iter().max_by_key(|(number, _)| *number).unwrap().1, in_catalog);
    assert!(!workshop.catalog.object_is_known(&key).await.unwrap(), "the sweep removes it");
}

/// Puts a manifest that the database does not know and that names no file, as after lost transactions. Returns its
/// generation.
async fn put_unknown(workshop: &Workshop, track: &Track) -> u64 {
    let known = manifests(workshop, track).await.into_iter().map(|(number, _)| number).max().unwrap_or(0);
    let key = TrackManifest::key(track.organization_id, track.index, Generation::new(known + 7).unwrap());
    let json = serde_json::to_vec(&TrackManifest::default()).unwrap();
    workshop.blobs.put_bytes(&key, json.into()).await.unwrap();
    known + 7
}

/// Nodes without a catalog follow the newest manifest in the store.
async fn followed(workshop: &Workshop, track: &Track) -> (u64, TrackManifest) {
    manifests(workshop, track).await.into_iter().max_by_key(|(number, _)| *number).unwrap()
}

async fn a_manifest_of_a_lost_time_is_overtaken(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = track_of(&workshop, &owner, id).await;
    workshop.run_all().await;
    let unknown = put_unknown(&workshop, &track).await;
    let kind = RecipeKind::Transcode(Transcode::default());
    workshop.library.add_variant(&owner, id, "added".parse().unwrap(), kind).await.unwrap();
    workshop.run_all().await;
    let in_catalog = workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap();
    let (number, stored) = followed(&workshop, &track).await;
    assert!(number > unknown, "{number} {unknown}");
    assert_eq!(stored, in_catalog);
    let numbers = manifests(&workshop, &track).await;
    assert!(numbers.iter().all(|(number, _)| *number != unknown), "it is removed");
}

async fn lost_transactions_are_noticed_by_whoever_looks(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = track_of(&workshop, &owner, id).await;
    workshop.run_all().await;
    let in_catalog = workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap();
    let (catalog, blobs) = (workshop.catalog.clone(), workshop.blobs.clone());
    let verify = async |repairs| {
        let verification = Verification::new(catalog.clone(), blobs.clone(), workshop.ambient.clone());
        let mut found = Vec::new();
        let mut hear = |event: VerifyEvent<'_>| {
            // Manifests that were replaced are left to the sweep.
            if let VerifyEvent::Finding(finding) = event
                && finding.kind == FindingKind::UnknownManifest
            {
                found.push((finding.kind, finding.remedy, finding.track_id));
            }
        };
        let terms = VerifyTerms { repairs, ..VerifyTerms::default() };
        verification.run(terms, VerifyState::new(workshop.ambient.now()), &mut hear).await.unwrap();
        found
    };
    assert_eq!(verify(false).await, []);
    for who in ["verify", "sweep", "adopt"] {
        put_unknown(&workshop, &track).await;
        let found = |remedy| (FindingKind::UnknownManifest, remedy, Some(id));
        assert_eq!(verify(false).await, [found(Remedy::Repairable)], "{who}");
        match who {
            "verify" => assert_eq!(verify(true).await, [found(Remedy::Queued)]),
            "sweep" => {
                let tx = catalog.begin().await.unwrap();
                let (job, now) = (workshop.ambient.record_id(), workshop.ambient.now());
                tx.enqueue(Job::SweepObjects {}, job, now, None).await.unwrap();
                tx.commit().await.unwrap();
            }
            _ => {
                let identity = StoreIdentity::new(catalog.clone(), blobs.clone(), workshop.ambient.clone());
                identity.adopt().await.unwrap();
            }
        }
        workshop.run_all().await;
        assert_eq!(followed(&workshop, &track).await.1, in_catalog, "{who}");
        assert_eq!(verify(false).await, [], "{who}");
    }
}
