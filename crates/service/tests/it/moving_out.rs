//! Tracks that are moved to a new collection while somebody deletes the old one.

use tonearm_domain::TrackId;
use tonearm_fixtures::TestDatabase;
use tonearm_service::{CreateCollection, CreateTrack, Refusal, SelectedTracks};

use crate::store_scene::{Ground, Scene};

crate::on_both!(moving_tracks_out_and_deleting_their_collection_wait_for_each_other);

fn titled(title: &str) -> CreateCollection {
    CreateCollection { title: title.to_owned(), ..CreateCollection::default() }
}

async fn moving_tracks_out_and_deleting_their_collection_wait_for_each_other(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = Scene::set(&database, ground.open().await).await;
    let (library, caller) = (&scene.library, &scene.caller);
    for round in 0..20 {
        let old = library.create_collection(caller, titled("Old")).await.unwrap().0.collection.id;
        let mut tracks: Vec<TrackId> = Vec::new();
        for number in 0..3 {
            let file_name = format!("{number}.wav");
            let create = CreateTrack { collection_id: Some(old), file_name, ..CreateTrack::default() };
            tracks.push(library.create_track(caller, create).await.unwrap().0.track.id);
        }
        let selected = SelectedTracks::new(tracks.clone()).unwrap();
        let new = scene.ambient.record_id();
        let (moved, deleted) = tokio::join!(
            library.move_tracks_to_new_collection(caller, &selected, new, titled("New")),
            library.delete_collection(caller, old),
        );
        deleted.unwrap();
        match moved {
            Ok(changed) => {
                assert_eq!(changed.count, 3, "round {round}");
                for track in tracks {
                    assert_eq!(library.track(caller, track).await.unwrap().track.collection_id, new);
                }
            }
            Err(Refusal::Conflict { .. } | Refusal::NotFound(_)) => {}
            Err(other) => panic!("round {round}: {other:?}"),
        }
    }
}
