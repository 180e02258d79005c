//! The number of statements per operation.

use tonearm_domain::{KeyType, Selection};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateKey, OpenedPlaySession};

use crate::on_both;
use crate::station::{FOR_EVER, Station};

on_both!(
    the_hot_play_path_asks_nothing,
    sessions_of_one_key_look_it_up_once,
    listeners_who_come_at_once_ask_once,
    sessions_cost_the_same_for_any_number_of_tracks,
    sessions_that_come_at_once_share_commits,
    a_shared_list_is_loaded_once_while_its_rows_stand,
);

async fn the_hot_play_path_asks_nothing(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (session, key) = (station.grant().await.session, station.create_key(KeyType::Share).await);
    let Station { node, track, .. } = &station;
    let play = || async {
        let (_, playable) = node.playback.play_track(session.id, track.id, None).await.unwrap();
        let variants: Vec<&str> = playable.variants.iter().map(|v| v.file.recipe.index.as_str()).collect();
        assert_eq!(variants, ["hq", "lq", "preview"]);
        let levels =
            r#"{"levels":[0.25,0.5],"num_samples":2,"metric":"peak","min":0.25,"max":0.5,"avg":0.375,"#;
        assert!(playable.levels.get().starts_with(levels), "{}", playable.levels.get());
        let download = node.playback.download(session.id, track.id, "hq", None).await.unwrap();
        assert!(download.url.contains("attachment=tone.mp3&ttl=30&verify="), "{}", download.url);
        node.playback.redirect_share(track.id, key.text.reveal(), None).await.unwrap();
    };
    play().await;
    let (queries, ()) = node.count(play()).await;
    assert_eq!(queries, 0);
}

/// Sessions end with the key that opened them. All sessions of a key look it up together.
async fn sessions_of_one_key_look_it_up_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let caller = Caller::from(&station.create_key(KeyType::Player).await.key);
    let (first, second) = (station.grant_by(&caller).await.session, station.grant_by(&caller).await.session);
    let Station { node, track, .. } = &station;
    let play = async |id| {
        node.playback.play_track(id, track.id, None).await.unwrap();
    };
    play(first.id).await;
    let (queries, ()) = node.count(play(first.id)).await;
    assert_eq!(queries, 0);
    let (queries, ()) = node.count(play(second.id)).await;
    assert_eq!(queries, 1, "the session itself");
}

async fn listeners_who_come_at_once_ask_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let session = station.grant().await.session;
    let Station { node, track, .. } = &station;
    let (alone, ()) = node
        .count(async {
            node.playback.play_track(session.id, track.id, None).await.unwrap();
        })
        .await;
    let fresh = crate::station::Node::start(&station.database, FOR_EVER).await;
    let (together, ()) = fresh
        .count(async {
            let listeners = (0..1000).map(|_| fresh.playback.play_track(session.id, track.id, None));
            for answer in futures::future::join_all(listeners).await {
                answer.unwrap();
            }
        })
        .await;
    // Session, track, its files, organization, collection, recipes.
    assert!(alone <= 6, "{alone}");
    assert_eq!(together, 6);
}

async fn sessions_cost_the_same_for_any_number_of_tracks(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    station.grant().await;
    station.add_tracks(9).await;
    let (few, opened) = station.node.count(station.grant()).await;
    assert_eq!(listed(&opened), 10);
    station.add_tracks(1990).await;
    let (many, opened) = station.node.count(station.grant()).await;
    assert_eq!(listed(&opened), 2000);
    assert_eq!(opened.first.unwrap().track.track.id, station.track.id);
    assert_eq!(few, many);
    // The organization, the collection, its tracks, and the new session.
    assert_eq!(many, 4);
    let (again, _) = station.node.count(station.grant()).await;
    assert_eq!(again, 1, "the list is kept");
}

/// The number of tracks that a session lists.
fn listed(opened: &OpenedPlaySession) -> usize {
    let elements: Vec<u8> = opened.tracks.chunks().flatten().collect();
    assert_eq!(elements.len(), opened.tracks.len());
    let titles: Vec<String> = serde_json::from_slice(&[b"[", &elements[..], b"]"].concat()).unwrap();
    titles.len()
}

async fn sessions_that_come_at_once_share_commits(database: TestDatabase) {
    const LISTENERS: usize = 500;
    let station = Station::open(database, FOR_EVER).await;
    station.grant().await;
    let listeners = futures::future::join_all((0..LISTENERS).map(|_| station.grant()));
    let (queries, opened) = station.node.count(listeners).await;
    for opened in opened {
        let stored = station.node.catalog.play_session(opened.session.id).await.unwrap().unwrap();
        assert_eq!(stored.expires_at, opened.session.expires_at);
    }
    assert!((queries as usize) < LISTENERS, "{queries} statements for {LISTENERS} sessions");
}

async fn a_shared_list_is_loaded_once_while_its_rows_stand(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let Station { node, track, .. } = &station;
    let create = CreateKey {
        collection_id: Some(track.collection_id),
        variants: Selection::one("hq".parse().unwrap()),
        ..CreateKey::new(KeyType::Share, "Key")
    };
    let key = node.library.create_key(&station.caller, create).await.unwrap();
    let open = async |after| node.playback.shared_collection(key.text.reveal(), after).await.unwrap();
    let shared = open(None).await;
    assert_eq!(shared.tracks().iter().map(|track| track.track.id).collect::<Vec<_>>(), [track.id]);
    let (queries, _) = node
        .count(async {
            let visitors = (0..100).map(|_| open(None));
            futures::future::join_all(visitors).await;
        })
        .await;
    assert_eq!(queries, 0);
    let tx = node.catalog.begin().await.unwrap();
    let mut changed = tx.track(track.organization_id, track.id).await.unwrap().unwrap();
    changed.player_title = Some("Another title".to_owned());
    tx.update_track(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(open(None).await.tracks()[0].title, "Another title");
    assert!(open(Some(track.id)).await.tracks().is_empty(), "it is another page");
}
