//! Uploads, added variants, changed and removed recipes, deletions, restorations and dying workers, all concurrently.
//!
//! Whatever the order, in the end every track is in a final status, every recipe of a track was rendered or has failed,
//! no rendered file was replaced by a failure, and no job is left.
//!
//! `TONEARM_INTERLEAVINGS` sets the number of tracks; the default is 30. ffmpeg is replaced by a script that writes a
//! few bytes, or fails for one bitrate, so that thousands of runs take seconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::PendingJob;
use tonearm_domain::{
    Codec, FileOutcome, Job, LevelsSettings, OrganizationId, Origin, Patch, PersonId, Recipe, RecipeKind,
    SourceSlot, TrackFile, TrackId, TrackStatus, Transcode, VariantId,
};
use tonearm_fixtures::{Dice, TestDatabase};
use tonearm_service::{
    Caller, CreateCollection, CreateTrack, JobError, JobRun, Refusal, UpdateRecipe, UploadTerms,
};

use crate::on_both;
use crate::workshop::{FAILING_BITRATE, Workshop, sound};

on_both!(every_order_ends_well);

/// The number of tracks that are processed concurrently.
const AT_ONCE: usize = 6;
const WORKERS: usize = 3;
/// The length of a lease in milliseconds, by the clock of the test.
const LEASE: i64 = 60_000;

/// Yields to other tasks, for a random number of times.
async fn pause(dice: &mut Dice) {
    for _ in 0..dice.below(60) {
        tokio::task::yield_now().await;
    }
    if dice.below(3) == 0 {
        tokio::time::sleep(Duration::from_micros(dice.number() % 4000)).await;
    }
}

async fn every_order_ends_well(database: TestDatabase) {
    let rounds = std::env::var("TONEARM_INTERLEAVINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let workshop = Arc::new(Workshop::open(&database).await);
    let (next, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let workers: Vec<_> = (0..WORKERS as u64)
        .map(|seed| tokio::spawn(work(workshop.clone(), Dice(seed + 1000), over.clone())))
        .collect();
    let mut scenarios = Vec::new();
    for _ in 0..AT_ONCE {
        let (workshop, next) = (workshop.clone(), next.clone());
        scenarios.push(tokio::spawn(async move {
            loop {
                let round = next.fetch_add(1, Ordering::SeqCst);
                if round >= rounds {
                    return;
                }
                Box::pin(one_track(&workshop, round)).await;
            }
        }));
    }
    for scenario in scenarios {
        scenario.await.unwrap();
    }
    over.store(true, Ordering::SeqCst);
    let mut deaths = 0;
    for worker in workers {
        deaths += worker.await.unwrap();
    }
    assert!(deaths > 0, "no worker died, so that was not tried");
    for job in workshop.catalog.pending_jobs().await.unwrap() {
        assert!(job.failed_at.is_none(), "{job:?}");
    }
    println!("{rounds} tracks, {deaths} deaths of workers");
}

/// Whether a job may be left at the end: it is due in hours or days, or has failed for good.
fn may_stay(job: &PendingJob) -> bool {
    job.failed_at.is_some() || matches!(job.kind.as_str(), "expire_upload" | "purge_track")
}

/// Claims and runs jobs until none is left that is due soon; sometimes dies in the middle of one. Returns the number of
/// deaths.
async fn work(workshop: Arc<Workshop>, mut dice: Dice, over: Arc<AtomicBool>) -> usize {
    let mut deaths = 0;
    loop {
        let now = workshop.ambient.now();
        let lease = workshop.ambient.credential_id();
        let claimed = workshop.catalog.claim_job(now, lease, now.plus_millis(LEASE)).await.unwrap();
        let Some(claimed) = claimed else {
            if over.load(Ordering::SeqCst)
                && workshop.catalog.pending_jobs().await.unwrap().iter().all(may_stay)
            {
                return deaths;
            }
            // A job whose workers died waits for minutes, so the clock advances while there is nothing to do.
            workshop.clock.advance_millis(200);
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        };
        let run = JobRun { claimed, cancel: CancellationToken::new() };
        let polls = if dice.below(6) == 0 { dice.number() % 120 } else { u64::MAX };
        match until_poll(polls, workshop.processing.run(&run)).await {
            None => {
                deaths += 1;
                // Its lease expires, as do the leases of all other workers, as if they had been paused.
                workshop.clock.advance_millis(LEASE + 1);
            }
            Some(Ok(()) | Err(JobError::LeaseLost)) => {}
            Some(Err(JobError::Cancelled)) => {
                let now = workshop.ambient.now();
                workshop.catalog.retry_job(&run.claimed, now, "cancelled").await.unwrap();
            }
            Some(Err(error)) => panic!("{:?}: {error:?}", run.claimed.job),
        }
    }
}

/// Drops a future after this many polls, as if its process were killed.
async fn until_poll<F: Future>(mut left: u64, future: F) -> Option<F::Output> {
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        future.poll_unpin(context).map(Some)
    })
    .await
}

/// The operations on one track.
struct Scene<'a> {
    workshop: &'a Workshop,
    owner: Caller,
    person: Caller,
    track_id: TrackId,
    /// A transcode of the organization that is changed and rendered again.
    changed: VariantId,
    /// A transcode that is removed.
    removed: VariantId,
}

async fn one_track(workshop: &Workshop, round: usize) {
    let scene = Scene::set(workshop).await;
    let dice = |actor: u64| Dice((round as u64) << 8 | actor);
    let added = tokio::join!(
        scene.upload(dice(1)),
        scene.add_variants(dice(2)),
        scene.change_recipe(dice(3)),
        scene.remove_recipe(dice(4)),
        scene.delete_and_restore(dice(5)),
    )
    .1;
    let files = scene.settled(round).await;
    scene.check(round, &files, &added).await;
}

impl<'a> Scene<'a> {
    async fn set(workshop: &'a Workshop) -> Self {
        let organization = workshop.library.create_organization("Example Radio").await.unwrap();
        let organization_id = organization.organization.id;
        let owner = Caller::owner(organization_id);
        let person = Caller::person(organization_id, PersonId::from_uuid(uuid::Uuid::nil()));
        for view in workshop.library.recipes(&owner).await.unwrap() {
            workshop.library.remove_recipe(&owner, view.recipe.id).await.unwrap();
        }
        let mut ids = Vec::new();
        for (index, kind) in [
            ("original", RecipeKind::Original {}),
            ("levels", RecipeKind::Levels(LevelsSettings::default())),
            // Keeps the track playable whatever happens to the other recipes: a track in `error` accepts no variants.
            ("kept", transcode(80)),
            ("changed", transcode(64)),
            ("removed", transcode(65)),
        ] {
            let recipe = workshop
                .library
                .add_recipe(&owner, index.parse().unwrap(), kind, tonearm_domain::CachePolicy::default())
                .await
                .unwrap();
            ids.push(recipe.id);
        }
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = workshop.library.create_collection(&owner, create).await.unwrap();
        let create = CreateTrack {
            collection_id: Some(collection.collection.id),
            file_name: "tone.wav".to_owned(),
            ..CreateTrack::default()
        };
        let (track, _) = workshop.library.create_track(&owner, create).await.unwrap();
        workshop.give_cover(&track.track).await;
        Self { workshop, owner, person, track_id: track.track.id, changed: ids[3], removed: ids[4] }
    }

    fn organization_id(&self) -> OrganizationId {
        self.owner.organization_id
    }

    async fn upload(&self, mut dice: Dice) {
        let origin = Origin { actor: self.owner.origin.actor, address: None };
        loop {
            pause(&mut dice).await;
            let body = futures::stream::iter([Ok(Bytes::from(sound()))]);
            let (organization_id, terms) = (self.organization_id(), UploadTerms::default());
            let accepted = self
                .workshop
                .uploads
                .accept_source(origin, SourceSlot::of_track(organization_id, self.track_id), body, terms)
                .await;
            match accepted {
                Ok(_) => return,
                // Deleted at the moment.
                Err(Refusal::NotFound(_)) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    }

    /// Adds variants to the track, one of which always fails. Returns those that were accepted.
    async fn add_variants(&self, mut dice: Dice) -> Vec<Recipe> {
        let mut added = Vec::new();
        for (index, bitrate) in [("own-1", 96), ("own-2", FAILING_BITRATE), ("own-3", 97)] {
            loop {
                pause(&mut dice).await;
                let (id, index) = (self.track_id, index.parse().unwrap());
                match self.workshop.library.add_variant(&self.owner, id, index, transcode(bitrate)).await {
                    Ok((recipe, _)) => {
                        added.push(recipe);
                        break;
                    }
                    // No source yet, or deleted at the moment.
                    Err(Refusal::Unprocessable { .. } | Refusal::NotFound(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        added
    }

    /// Gives a recipe settings that fail, and renders it for existing tracks.
    async fn change_recipe(&self, mut dice: Dice) {
        pause(&mut dice).await;
        let update = UpdateRecipe { kind: Patch::Set(transcode(FAILING_BITRATE)), ..UpdateRecipe::default() };
        self.workshop.library.update_recipe(&self.owner, self.changed, update).await.unwrap();
        for _ in 0..dice.below(3) {
            pause(&mut dice).await;
            self.workshop.library.render_existing(&self.owner, self.changed).await.unwrap();
        }
    }

    async fn remove_recipe(&self, mut dice: Dice) {
        for _ in 0..dice.below(6) {
            pause(&mut dice).await;
        }
        self.workshop.library.remove_recipe(&self.owner, self.removed).await.unwrap();
    }

    async fn delete_and_restore(&self, mut dice: Dice) {
        for _ in 0..dice.below(3) {
            pause(&mut dice).await;
            self.workshop.library.delete_track(&self.person, self.track_id).await.unwrap();
            pause(&mut dice).await;
            self.workshop.library.restore_track(&self.person, self.track_id).await.unwrap();
        }
    }

    /// Waits until the track is processed and no job is queued for it. Bounded by one minute.
    async fn settled(&self, round: usize) -> Vec<TrackFile> {
        for _ in 0..6000 {
            let track = self.track().await;
            if track.status.is_final() && !self.has_jobs().await {
                return self.workshop.catalog.files_of_track(self.track_id).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let jobs = self.workshop.catalog.pending_jobs().await.unwrap();
        panic!("round {round}: {:?} for good; jobs: {jobs:?}", self.track().await.status);
    }

    async fn track(&self) -> tonearm_domain::Track {
        self.workshop.catalog.track(self.organization_id(), self.track_id).await.unwrap().unwrap()
    }

    async fn has_jobs(&self) -> bool {
        let (organization_id, track_id) = (self.organization_id(), self.track_id);
        let process = Job::ProcessTrack { organization_id, track_id };
        let queueing = Job::QueueRendering { organization_id, variant_id: self.changed };
        let removal = Job::RemoveRecipe { organization_id, variant_id: self.removed };
        let rendering = self.workshop.catalog.rendering(organization_id, self.changed).await.unwrap();
        let is_rendering = rendering.is_some_and(|rendering| rendering.finished_at.is_none());
        is_rendering || self.workshop.is_queued(&[process, queueing, removal]).await
    }

    async fn check(&self, round: usize, files: &[TrackFile], added: &[Recipe]) {
        let track = self.track().await;
        let recipes =
            self.workshop.catalog.recipes_for_track(self.organization_id(), self.track_id).await.unwrap();
        let of = |id: VariantId| files.iter().find(|file| file.recipe.id == id);
        for recipe in &recipes {
            assert!(of(recipe.id).is_some(), "round {round}: {} was never tried", recipe.index);
        }
        for recipe in added {
            let fails = recipe.kind == transcode(FAILING_BITRATE);
            let is_made = of(recipe.id).is_some_and(TrackFile::is_made);
            assert_eq!(is_made, !fails, "round {round}: {} of {:?}", recipe.index, track.status);
        }
        assert!(of(self.removed).is_none(), "round {round}: a removed recipe has a file");
        assert_eq!(track.status, TrackStatus::Incomplete, "round {round}: {:?}", track.status_reason);
        for file in files {
            if let FileOutcome::Made { key, .. } = &file.outcome {
                assert!(
                    self.workshop.blobs.head(key).await.unwrap().is_some(),
                    "round {round}: no object {key}"
                );
            }
            if file.recipe.kind == transcode(64) {
                assert!(file.is_made(), "round {round}: what was made was replaced by a failure");
            }
        }
    }
}

fn transcode(bitrate: u16) -> RecipeKind {
    RecipeKind::Transcode(Transcode { codec: Codec::Mp3, bitrate, ..Transcode::default() })
}
