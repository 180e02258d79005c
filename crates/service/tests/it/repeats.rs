//! Requests that may be repeated have one effect, whoever dies when.

use std::time::Duration;

use tonearm_catalog::{Catalog, Claim};
use tonearm_domain::{Ambient, CollectionId};
use tonearm_fixtures::Place;
use tonearm_service::{CreateCollection, Refusal, RepeatableRequest, Repeats, Turn, Worked};

use crate::on_both;
use crate::station::{FOR_EVER, Station};

on_both!(
    a_dead_process_frees_its_key_and_does_nothing_more,
    whoever_lost_the_claim_does_nothing,
    what_is_refused_leaves_nothing,
);

const CREDENTIAL: &str = "a key";

fn request() -> RepeatableRequest {
    RepeatableRequest { caller: [1; 32], key: "order-1".to_owned(), fingerprint: [2; 32] }
}

async fn turn(repeats: &Repeats) -> Result<Turn, Refusal> {
    repeats.turn(&request(), CREDENTIAL, Duration::from_millis(50)).await
}

async fn claim(repeats: &Repeats) -> Claim {
    match turn(repeats).await.unwrap() {
        Turn::First(claim) => claim,
        Turn::Again(_) => panic!("it was answered already"),
    }
}

/// Makes a collection and answers with its id, or refuses.
async fn make(station: &Station, is_refused: bool) -> Worked<CollectionId> {
    let create = CreateCollection { title: "Once".to_owned(), ..CreateCollection::default() };
    let (made, _) = station.node.library.create_collection(&station.caller, create).await.unwrap();
    let id = made.collection.id;
    Worked { answer: id, kept: (!is_refused).then(|| id.to_string().into_bytes()) }
}

async fn made(catalog: &Catalog, station: &Station) -> u64 {
    let page = tonearm_domain::Page::new(None, None).unwrap();
    catalog.collections(station.caller.organization_id, None, page).await.unwrap().0 - 1
}

fn repeats(station: &Station) -> (Repeats, Ambient, tonearm_fixtures::ManualClock) {
    let (ambient, clock) = tonearm_fixtures::ambient();
    (Repeats::new(station.node.catalog.clone(), ambient.clone()), ambient, clock)
}

async fn a_dead_process_frees_its_key_and_does_nothing_more(place: Place) {
    let station = Station::open(place, FOR_EVER).await;
    let (repeats, _, clock) = repeats(&station);
    // It died before it had committed anything.
    claim(&repeats).await;
    let refused = turn(&repeats).await.unwrap_err();
    assert!(matches!(refused, Refusal::Conflict { code: "idempotency_key_in_progress", .. }), "{refused}");
    clock.advance_seconds(20);
    let second = claim(&repeats).await;
    let id = repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(turn(&repeats).await.unwrap(), Turn::Again(id.to_string().into_bytes()));
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}

async fn whoever_lost_the_claim_does_nothing(place: Place) {
    let station = Station::open(place, FOR_EVER).await;
    let (repeats, _, clock) = repeats(&station);
    let first = claim(&repeats).await;
    // Its process was asleep for so long that another took over.
    clock.advance_seconds(20);
    let second = claim(&repeats).await;
    let late = repeats.work(&first, CREDENTIAL, make(&station, false)).await.unwrap_err();
    assert!(matches!(late, Refusal::Conflict { .. }), "{late}");
    assert_eq!(made(&station.node.catalog, &station).await, 0);
    repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}

async fn what_is_refused_leaves_nothing(place: Place) {
    let station = Station::open(place, FOR_EVER).await;
    let (repeats, ..) = repeats(&station);
    let first = claim(&repeats).await;
    repeats.work(&first, CREDENTIAL, make(&station, true)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 0);
    let second = claim(&repeats).await;
    repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}
