//! Requests with an idempotency key take effect once, whichever process dies at whatever time.

use std::time::Duration;

use tonearm_catalog::{Catalog, Claim};
use tonearm_domain::{Ambient, CollectionId, ErrorCode, OrganizationId};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{
    AttemptOutcome, CreateCollection, IdempotentAnswers, IdempotentRequest, Refusal, RequestAttempt,
};

use crate::on_both;
use crate::station::{FOR_EVER, Station};

on_both!(
    a_dead_process_frees_its_key_and_does_nothing_more,
    whoever_lost_the_claim_does_nothing,
    what_is_refused_leaves_nothing,
);

const CREDENTIAL: &str = "a key";

fn request() -> IdempotentRequest {
    IdempotentRequest {
        caller: [1; 32],
        organization_id: OrganizationId::from_uuid(uuid::Uuid::nil()),
        key: "order-1".to_owned(),
        fingerprint: [2; 32],
    }
}

async fn begin(repeats: &IdempotentAnswers) -> Result<RequestAttempt, Refusal> {
    repeats.begin(&request(), CREDENTIAL, Duration::from_millis(50)).await
}

async fn claim(repeats: &IdempotentAnswers) -> Claim {
    match begin(repeats).await.unwrap() {
        RequestAttempt::First(claim) => claim,
        RequestAttempt::Again(_) => panic!("it was answered already"),
    }
}

/// Creates a collection and responds with its ID, or refuses.
async fn make(station: &Station, is_refused: bool) -> AttemptOutcome<CollectionId> {
    let create = CreateCollection { title: "Once".to_owned(), ..CreateCollection::default() };
    let (made, _) = station.node.library.create_collection(&station.caller, create).await.unwrap();
    let id = made.collection.id;
    AttemptOutcome { answer: id, kept: (!is_refused).then(|| id.to_string().into_bytes()) }
}

async fn made(catalog: &Catalog, station: &Station) -> u64 {
    let page = tonearm_domain::LimitOffset::new(None, None).unwrap();
    catalog.collections(station.caller.organization_id, None, page).await.unwrap().0 - 1
}

fn repeats(station: &Station) -> (IdempotentAnswers, Ambient, tonearm_fixtures::ManualClock) {
    let (ambient, clock) = tonearm_fixtures::ambient();
    (IdempotentAnswers::new(station.node.catalog.clone(), ambient.clone()), ambient, clock)
}

async fn a_dead_process_frees_its_key_and_does_nothing_more(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (repeats, _, clock) = repeats(&station);
    // The process died before it had committed anything.
    claim(&repeats).await;
    let refused = begin(&repeats).await.unwrap_err();
    assert!(
        matches!(refused, Refusal::Conflict { code: ErrorCode::IdempotencyKeyInProgress, .. }),
        "{refused}"
    );
    clock.advance_seconds(20);
    let second = claim(&repeats).await;
    let id = repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(begin(&repeats).await.unwrap(), RequestAttempt::Again(id.to_string().into_bytes()));
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}

async fn whoever_lost_the_claim_does_nothing(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (repeats, _, clock) = repeats(&station);
    let first = claim(&repeats).await;
    // The process was paused for so long that another one took over.
    clock.advance_seconds(20);
    let second = claim(&repeats).await;
    let late = repeats.work(&first, CREDENTIAL, make(&station, false)).await.unwrap_err();
    assert!(matches!(late, Refusal::Conflict { .. }), "{late}");
    assert_eq!(made(&station.node.catalog, &station).await, 0);
    repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}

async fn what_is_refused_leaves_nothing(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (repeats, ..) = repeats(&station);
    let first = claim(&repeats).await;
    repeats.work(&first, CREDENTIAL, make(&station, true)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 0);
    let second = claim(&repeats).await;
    repeats.work(&second, CREDENTIAL, make(&station, false)).await.unwrap();
    assert_eq!(made(&station.node.catalog, &station).await, 1);
}
