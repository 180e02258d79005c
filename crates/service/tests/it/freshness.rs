//! Caches never return outdated data after a change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tonearm_domain::{
    Action, CollectionId, Colour, KeyType, Patch, PlaySessionId, Selection, Track, TrackFile, TrackId,
    TrackStatus, VariantIndex,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{
    Caller, CreateCollection, CreateKey, CreateTrack, CreatedKey, LookupLimits, Refusal, Resource,
    UpdateCollection, UpdateOrganization, UpdateTrack,
};

use crate::on_both;
use crate::station::{FOR_EVER, Node, Station};

on_both!(
    a_revoked_key_is_refused_at_once,
    a_deleted_track_is_gone_at_once,
    a_deleted_collection_is_gone_at_once,
    new_titles_and_colours_are_seen_at_once,
    readers_in_between_bring_nothing_old_back,
    what_did_not_exist_is_found_once_it_does,
    a_list_that_was_empty_elsewhere_is_filled_at_once,
    a_file_that_was_made_is_listed_at_once,
    another_node_notices_within_two_seconds,
    pages_of_share_links_show_what_is_now,
);

fn renamed(title: &str) -> UpdateTrack {
    UpdateTrack { player_title: Patch::Set(title.to_owned()), ..UpdateTrack::default() }
}

async fn a_revoked_key_is_refused_at_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let key = station.create_key(KeyType::Share).await;
    let other = station.create_key(KeyType::Share).await;
    let redirect = |text: &str| {
        let (playback, track, text) = (&station.node.playback, station.track.id, text.to_owned());
        async move { playback.redirect_share(track, &text, None).await }
    };
    redirect(key.text.reveal()).await.unwrap();
    redirect(other.text.reveal()).await.unwrap();
    station.node.library.revoke_key(&station.caller, key.key.id).await.unwrap();
    assert!(matches!(redirect(key.text.reveal()).await, Err(Refusal::Unauthenticated { .. })));
    redirect(other.text.reveal()).await.unwrap();
}

async fn a_deleted_track_is_gone_at_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (session, key) = (station.grant().await.session, station.create_key(KeyType::Share).await);
    let Station { node, caller, track, .. } = &station;
    node.playback.play_track(session.id, track.id, None).await.unwrap();
    node.playback.redirect_share(track.id, key.text.reveal(), None).await.unwrap();
    node.library.delete_track(caller, track.id).await.unwrap();
    let gone = Refusal::NotFound(Resource::Track).to_string();
    let refused = |refusal: Refusal| assert_eq!(refusal.to_string(), gone);
    refused(node.playback.play_track(session.id, track.id, None).await.unwrap_err());
    refused(node.playback.download(session.id, track.id, "hq", None).await.unwrap_err());
    refused(node.playback.redirect_share(track.id, key.text.reveal(), None).await.unwrap_err());
    assert!(node.playback.play_session(caller, session.id).await.unwrap().first.is_none());
}

async fn a_deleted_collection_is_gone_at_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (session, key) = (station.grant().await.session, station.create_key(KeyType::Share).await);
    let Station { node, caller, track, .. } = &station;
    node.playback.redirect_share(track.id, key.text.reveal(), None).await.unwrap();
    node.library.delete_collection(caller, track.collection_id).await.unwrap();
    for refused in [
        node.playback.play_track(session.id, track.id, None).await.map(|_| ()),
        node.playback.play_session(caller, session.id).await.map(|_| ()),
        node.playback.download(session.id, track.id, "hq", None).await.map(|_| ()),
        node.playback.shared_track(track.id, key.text.reveal()).await.map(|_| ()),
        node.library.track(caller, track.id).await.map(|_| ()),
        node.playback.redirect_share(track.id, key.text.reveal(), None).await.map(|_| ()),
    ] {
        assert!(matches!(refused, Err(Refusal::NotFound(_))), "{refused:?}");
    }
}

async fn new_titles_and_colours_are_seen_at_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let session = station.grant().await.session;
    let Station { node, caller, track, .. } = &station;
    let played = || async { node.playback.play_track(session.id, track.id, None).await.unwrap().1.track };
    assert_eq!(played().await.track.player_title.as_deref(), Some("Tone"));
    node.library.update_track(caller, track.id, renamed("Another")).await.unwrap();
    assert_eq!(played().await.track.player_title.as_deref(), Some("Another"));

    let [red, blue] = ["#ff0000", "#0000ff"].map(|hex| hex.parse().unwrap());
    let update = UpdateOrganization { player_colour: Patch::Set(red), ..UpdateOrganization::default() };
    node.library.update_organization(caller, caller.organization_id, update).await.unwrap();
    assert_eq!(played().await.colours.base, red);
    let update = UpdateCollection { player_colour: Patch::Set(blue), ..UpdateCollection::default() };
    node.library.update_collection(caller, track.collection_id, update).await.unwrap();
    assert_eq!(played().await.colours.base, blue);
}

/// Readers load continuously; no load may be cached if a change overtook it.
async fn readers_in_between_bring_nothing_old_back(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let session = station.grant().await.session;
    let Station { node, caller, track, .. } = &station;
    let settled = Arc::new(AtomicU64::new(0));
    node.library.update_track(caller, track.id, renamed("0")).await.unwrap();
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (playback, settled, track) = (node.playback.clone(), Arc::clone(&settled), track.id);
            tokio::spawn(async move {
                loop {
                    let at_least = settled.load(Ordering::SeqCst);
                    let (_, playable) = playback.play_track(session.id, track, None).await.unwrap();
                    let seen: u64 = playable.track.track.player_title.unwrap().parse().unwrap();
                    assert!(seen >= at_least, "{seen} was read after {at_least} was committed");
                    if seen == 100 {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for title in 1..=100 {
        node.library.update_track(caller, track.id, renamed(&title.to_string())).await.unwrap();
        settled.store(title, Ordering::SeqCst);
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

async fn what_did_not_exist_is_found_once_it_does(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let elsewhere = Node::start(&station.database, FOR_EVER).await;
    let key = station.create_key(KeyType::Player).await;
    let Station { node, caller, .. } = &station;

    // A session that this node looked up before another node created it.
    let unknown: PlaySessionId = "11111111-2222-4333-8444-555555555555".parse().unwrap();
    let ask = || elsewhere.playback.public_play_session(unknown);
    for _ in 0..3 {
        let (queries, answer) = elsewhere.count(ask()).await;
        assert!(matches!(answer, Err(Refusal::Unauthenticated { .. })));
        assert_eq!(queries, 1, "what is not there is not remembered");
    }
    let mut session = station.grant().await.session;
    session.id = unknown;
    let tx = node.catalog.begin().await.unwrap();
    tx.insert_play_sessions(&[session.clone()]).await.unwrap();
    tx.commit().await.unwrap();
    ask().await.unwrap();

    // A key that another node has just created.
    elsewhere.access.key(key.text.reveal(), Action::Play).await.unwrap();
    elsewhere.playback.play_session(caller, session.id).await.unwrap();
}

async fn a_list_that_was_empty_elsewhere_is_filled_at_once(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let elsewhere = Node::start(&station.database, FOR_EVER).await;
    let session = station.grant().await.session;
    for (status, has_track) in [(TrackStatus::Processing, false), (TrackStatus::Ready, true)] {
        let tx = station.node.catalog.begin().await.unwrap();
        tx.update_track(&Track { status, ..station.track.clone() }).await.unwrap();
        tx.commit().await.unwrap();
        let opened = elsewhere.playback.public_play_session(session.id).await.unwrap();
        assert_eq!((opened.tracks.is_empty(), opened.first.is_some()), (!has_track, has_track), "{status:?}");
    }
}

async fn a_file_that_was_made_is_listed_at_once(database: TestDatabase) {
    let links = Links::open(database).await;
    let Station { node, caller, track, .. } = &links.station;
    let create = CreateTrack {
        collection_id: Some(track.collection_id),
        file_name: "second.wav".to_owned(),
        player_title: Some("Second".to_owned()),
        ..CreateTrack::default()
    };
    let second = node.library.create_track(caller, create).await.unwrap().0.track;
    let tx = node.catalog.begin().await.unwrap();
    tx.update_track(&Track { status: TrackStatus::Ready, duration: 60.0, ..second.clone() }).await.unwrap();
    tx.commit().await.unwrap();
    let link = links.create(caller, track.collection_id, None, "hq").await;
    let [shown] = links.all(&[&link]).await;
    assert_eq!(shown.unwrap().2, [(track.id, "Tone".to_owned())]);
    let recipes = node.catalog.recipes(caller.organization_id).await.unwrap();
    let recipe = recipes.into_iter().find(|recipe| recipe.index.as_str() == "hq").unwrap();
    let tx = node.catalog.begin().await.unwrap();
    tx.put_track_file(&TrackFile { track_id: second.id, ..links.station.made_by(recipe) }).await.unwrap();
    tx.commit().await.unwrap();
    let [shown] = links.all(&[&link]).await;
    assert_eq!(shown.unwrap().2.len(), 2);
}

async fn another_node_notices_within_two_seconds(database: TestDatabase) {
    let station = Station::open(database, LookupLimits::default()).await;
    let elsewhere = Node::start(&station.database, LookupLimits::default()).await;
    let at_once =
        Node::start(&station.database, LookupLimits { time_to_live: Duration::ZERO, ..FOR_EVER }).await;
    let key = station.create_key(KeyType::Share).await;
    let ask = |node: &Node| {
        let (playback, track, text) = (node.playback.clone(), station.track.id, key.text.reveal().to_owned());
        async move { playback.redirect_share(track, &text, None).await }
    };
    let player = station.create_key(KeyType::Player).await.key;
    let session = station.grant_by(&Caller::from(&player)).await.session.id;
    let play = |node: &Node| {
        let (playback, track) = (node.playback.clone(), station.track.id);
        async move { playback.play_track(session, track, None).await }
    };
    for node in [&elsewhere, &at_once] {
        ask(node).await.unwrap();
        play(node).await.unwrap();
    }
    station.node.library.revoke_key(&station.caller, key.key.id).await.unwrap();
    station.node.library.revoke_key(&station.caller, player.id).await.unwrap();
    let revoked = Instant::now();
    assert!(ask(&at_once).await.is_err(), "nothing is kept without a time to live");
    assert!(play(&at_once).await.is_err(), "a session ends with its key");
    assert!(play(&station.node).await.is_err(), "this node knows of it");
    while ask(&elsewhere).await.is_ok() || play(&elsewhere).await.is_ok() {
        assert!(revoked.elapsed() < Duration::from_secs(2), "the revoked keys still work elsewhere");
        tokio::task::yield_now().await;
    }
}

/// The page behind a share link: title, colour, and tracks with their titles. `None` if the link does not work.
type Shown = Option<(String, Option<Colour>, Vec<(TrackId, String)>)>;

/// Share links, and three nodes: one that makes the changes, another one, and one that reads everything each time.
struct Links {
    station: Station,
    elsewhere: Node,
    uncached: Node,
}

impl Links {
    async fn open(database: TestDatabase) -> Self {
        let station = Station::open(database, FOR_EVER).await;
        let elsewhere = Node::start(&station.database, LookupLimits::default()).await;
        let none = LookupLimits { time_to_live: Duration::ZERO, ..FOR_EVER };
        let uncached = Node::start(&station.database, none).await;
        Self { station, elsewhere, uncached }
    }

    async fn create(
        &self,
        owner: &Caller,
        collection: CollectionId,
        only: Option<TrackId>,
        variant: &str,
    ) -> CreatedKey {
        let create = CreateKey {
            collection_id: Some(collection),
            track_id: only,
            variants: Selection::one(variant.parse::<VariantIndex>().unwrap()),
            ..CreateKey::new(KeyType::Share, "Link")
        };
        self.station.node.library.create_key(owner, create).await.unwrap()
    }

    async fn shown(node: &Node, link: &CreatedKey) -> Shown {
        let shared = node.playback.shared_collection(link.text.reveal(), None).await.ok()?;
        let tracks = shared.tracks().iter().map(|view| (view.track.id, view.title.clone())).collect();
        Some((shared.title().to_owned(), shared.colours().map(|colours| colours.base), tracks))
    }

    /// What the links show after a change: at once at the node that made it, and within two seconds at the other one.
    async fn all<const N: usize>(&self, links: &[&CreatedKey; N]) -> [Shown; N] {
        let changed = Instant::now();
        let mut all = [const { None }; N];
        for (link, shown) in links.iter().zip(&mut all) {
            *shown = Self::shown(&self.uncached, link).await;
            assert_eq!(Self::shown(&self.station.node, link).await, *shown);
            while Self::shown(&self.elsewhere, link).await != *shown {
                assert!(changed.elapsed() < Duration::from_secs(2), "another node shows what was");
                tokio::task::yield_now().await;
            }
        }
        all
    }
}

async fn pages_of_share_links_show_what_is_now(database: TestDatabase) {
    let links = Links::open(database).await;
    let Station { node, caller, track, .. } = &links.station;
    let collection = track.collection_id;
    let create = CreateCollection { title: "Empty".to_owned(), ..CreateCollection::default() };
    let empty = node.library.create_collection(caller, create.clone()).await.unwrap().0.collection.id;
    let neighbour = node.library.create_organization("Neighbour").await.unwrap().organization.id;
    let neighbour = Caller::owner(neighbour);
    let create = CreateCollection { title: "Theirs".to_owned(), ..create };
    let theirs = node.library.create_collection(&neighbour, create).await.unwrap().0.collection.id;
    let all = [
        &links.create(caller, collection, None, "hq").await,
        &links.create(caller, collection, None, "lq").await,
        &links.create(caller, collection, Some(track.id), "hq").await,
        &links.create(caller, empty, None, "hq").await,
        &links.create(&neighbour, theirs, None, "hq").await,
    ];
    let [hq, lq, only, nothing, of_neighbour] = links.all(&all).await;
    assert_eq!(hq.as_ref().unwrap().2, [(track.id, "Tone".to_owned())]);
    assert_eq!((&lq, &only), (&hq, &hq));
    assert_eq!(nothing, Some(("Empty".to_owned(), None, Vec::new())));
    assert_eq!(of_neighbour, Some(("Theirs".to_owned(), None, Vec::new())));

    node.library.update_track(caller, track.id, renamed("Another")).await.unwrap();
    let [hq, ..] = links.all(&all).await;
    assert_eq!(hq.unwrap().2, [(track.id, "Another".to_owned())]);

    let update = UpdateCollection { title: Patch::Set("Second".to_owned()), ..UpdateCollection::default() };
    node.library.update_collection(caller, collection, update).await.unwrap();
    let [hq, ..] = links.all(&all).await;
    assert_eq!(hq.unwrap().0, "Second");

    let red: Colour = "#ff0000".parse().unwrap();
    let update = UpdateOrganization { player_colour: Patch::Set(red), ..UpdateOrganization::default() };
    node.library.update_organization(caller, caller.organization_id, update).await.unwrap();
    let [hq, ..] = links.all(&all).await;
    assert_eq!(hq.unwrap().1, Some(red));

    let recipes = node.catalog.recipes(caller.organization_id).await.unwrap();
    let removed = recipes.iter().find(|recipe| recipe.index.as_str() == "lq").unwrap();
    node.library.remove_recipe(caller, removed.id).await.unwrap();
    let [hq, lq, ..] = links.all(&all).await;
    assert!(hq.is_some_and(|shown| shown.2.len() == 1) && lq.is_none_or(|shown| shown.2.is_empty()));

    node.library.revoke_key(caller, all[0].key.id).await.unwrap();
    let [hq, _, only, ..] = links.all(&all).await;
    assert!(hq.is_none() && only.is_some_and(|shown| shown.2.len() == 1), "only the revoked link has ended");

    node.library.delete_track(caller, track.id).await.unwrap();
    let [_, _, only, nothing, of_neighbour] = links.all(&all).await;
    assert!(only.is_none_or(|shown| shown.2.is_empty()));
    assert_eq!((nothing.unwrap().0, of_neighbour.unwrap().0), ("Empty".to_owned(), "Theirs".to_owned()));
    node.library.delete_collection(caller, empty).await.unwrap();
    let [_, _, _, nothing, of_neighbour] = links.all(&all).await;
    assert!(nothing.is_none() && of_neighbour.is_some());
}
