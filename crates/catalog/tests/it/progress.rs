//! The progress of tracks that are being processed, and recipes that are rendered for older tracks.

use tonearm_domain::{
    FileData, Job, Making, Rendering, Track, TrackProgress, TrackStatus, VariantIndex, VariantProgress,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    progress_is_told_again_and_again,
    a_rendering_goes_on_where_it_was,
    early_tracks_play_while_they_are_made,
    files_go_with_their_recipe,
    tracks_that_are_rendered_now_are_told,
);

fn progress(percent: u8) -> TrackProgress {
    let making = Making::Running { percent };
    TrackProgress { variants: vec![VariantProgress { index: VariantIndex::from_static("hq"), making }] }
}

async fn progress_is_told_again_and_again(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let with = |status| Track { status, ..bare_track(&ambient, &collection) };
    let told = stored_track(&catalog, with(TrackStatus::Processing)).await;
    let untold = stored_track(&catalog, with(TrackStatus::FallbackProcessing)).await;
    stored_track(&catalog, with(TrackStatus::Ready)).await;
    for percent in [10, 70] {
        catalog.put_track_progress(told.id, &progress(percent), ambient.now()).await.unwrap();
        assert_eq!(catalog.track_progress(told.id).await.unwrap(), Some(progress(percent)));
    }
    let mut expected = [
        (told.id, TrackStatus::Processing, Some(progress(70))),
        (untold.id, TrackStatus::FallbackProcessing, None),
    ];
    // Created at the same time, they are ordered by ID only.
    expected.sort_by_key(|(id, ..)| *id);
    assert_eq!(catalog.tracks_in_the_making(organization.id, None).await.unwrap(), expected);
    let tx = catalog.begin().await.unwrap();
    tx.delete_track_progress(told.id).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.track_progress(told.id).await.unwrap(), None);
}

async fn a_rendering_goes_on_where_it_was(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let mut renderable = Vec::new();
    for status in TrackStatus::ALL {
        let mut track = Track { status, ..bare_track(&ambient, &collection) };
        track.source = Some(source(&ambient, &track));
        let track = stored_track(&catalog, track).await;
        if status.is_settled() {
            renderable.push(track.id);
        }
    }
    stored_track(&catalog, Track { status: TrackStatus::Ready, ..bare_track(&ambient, &collection) }).await;
    // Tracks created at the same time are ordered by ID only.
    renderable.sort();
    assert_eq!(catalog.count_renderable_tracks(organization.id).await.unwrap(), 3);
    let next = async |after| {
        let tx = catalog.begin().await.unwrap();
        tx.renderable_tracks(organization.id, after, 1).await.unwrap().pop()
    };
    assert_eq!(next(None).await, Some(renderable[0]));
    assert_eq!(next(Some(renderable[0])).await, Some(renderable[1]));
    assert_eq!(next(Some(renderable[1])).await, Some(renderable[2]));
    assert_eq!(next(Some(renderable[2])).await, None);

    let recipe = recipe(&ambient, &organization, None, "late", 0);
    let begun = Rendering::begun(organization.id, recipe.id, 2, ambient.now());
    let ended = Rendering {
        done: 2,
        failed: 1,
        examined: 2,
        is_at_end: true,
        cursor: Some(renderable[1]),
        finished_at: Some(ambient.now()),
        ..begun.clone()
    };
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&recipe).await.unwrap();
    for step in [&begun, &ended] {
        tx.put_rendering(step).await.unwrap();
        assert_eq!(tx.rendering(organization.id, recipe.id).await.unwrap().as_ref(), Some(step));
    }
    tx.commit().await.unwrap();
    assert_eq!(catalog.rendering(organization.id, recipe.id).await.unwrap(), Some(ended.clone()));
    assert_eq!(catalog.renderings(organization.id).await.unwrap(), [ended]);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, recipe.id, ambient.now()).await.unwrap());
    tx.delete_removed_recipe(organization.id, recipe.id).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.rendering(organization.id, recipe.id).await.unwrap(), None);
}

async fn early_tracks_play_while_they_are_made(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    for (status, is_early, plays) in [
        (TrackStatus::Processing, true, true),
        (TrackStatus::FallbackProcessing, true, true),
        (TrackStatus::Processing, false, false),
        (TrackStatus::Error, true, false),
        (TrackStatus::Ready, false, true),
    ] {
        let track = Track { status, is_early, ..bare_track(&ambient, &collection) };
        let track = stored_track(&catalog, track).await;
        let found = playable_tracks(&catalog, &collection, Some(track.id)).await;
        assert_eq!(!found.is_empty(), plays, "{status} {is_early}");
        assert_eq!(track.is_playable(), plays);
        assert!(catalog.track_is_living(organization.id, track.id).await.unwrap());
    }
}

async fn files_go_with_their_recipe(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let [hq, lq] = ["hq", "lq"].map(|index| recipe(&ambient, &organization, None, index, 0));
    let kept = made_file(&ambient, &track, &lq, FileData::NONE);
    let tx = catalog.begin().await.unwrap();
    for recipe in [&hq, &lq] {
        tx.insert_recipe(recipe).await.unwrap();
    }
    tx.put_track_file(&made_file(&ambient, &track, &hq, FileData::NONE)).await.unwrap();
    tx.put_track_file(&kept).await.unwrap();
    assert_eq!(tx.delete_files_of_recipe(hq.id, ambient.now(), 10).await.unwrap().0, [(track.id, false)]);
    assert_eq!(tx.delete_files_of_recipe(hq.id, ambient.now(), 10).await.unwrap().0, []);
    tx.commit().await.unwrap();
    assert_eq!(catalog.files_of_track(track.id).await.unwrap(), [kept]);
}

async fn tracks_that_are_rendered_now_are_told(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let recipe = recipe(&ambient, &organization, None, "hq", 0);
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let told = async || catalog.renderings_in_the_making(organization.id, ambient.now()).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    let job = Job::RenderTrack {
        organization_id: organization.id,
        track_id: track.id,
        variant_id: recipe.id,
        run: None,
    };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(told().await, [], "it waits for its turn");
    let until = ambient.now().plus_seconds(30);
    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap().unwrap();
    assert_eq!(told().await, [(recipe.id, TrackProgress::default())]);
    catalog.put_track_progress(track.id, &progress(40), ambient.now()).await.unwrap();
    assert_eq!(told().await, [(recipe.id, progress(40))]);
    let (stranger, _) = stored_collection(&catalog, &ambient).await;
    assert_eq!(catalog.renderings_in_the_making(stranger.id, ambient.now()).await.unwrap(), []);
    clock.advance_seconds(31);
    assert_eq!(told().await, [], "its worker is gone");
}
