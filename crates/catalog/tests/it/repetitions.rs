//! Requests with an idempotency key: one claim takes effect, and effect and response are one transaction.

use std::time::Duration;

use futures::future::join_all;
use tonearm_catalog::{
    Catalog, Claim, ConnectOptions, Gathered, IdempotentRequest, Purpose, Repetition, in_request,
};
use tonearm_domain::{Ambient, Collection, Organization};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::{bare_collection, stored_collection};

crate::on_both!(
    a_claim_is_taken_once,
    a_claim_that_was_taken_over_has_no_effect,
    transactions_of_one_piece_of_work_are_one,
    a_piece_of_work_is_rolled_back_as_a_whole,
    a_piece_of_work_sees_its_own_changes_and_takes_one_connection,
    a_request_holds_one_connection,
);

fn claim(ambient: &Ambient) -> Claim {
    let request = IdempotentRequest {
        caller: [1; 32],
        organization_id: ambient.record_id(),
        key: "order-1".to_owned(),
        fingerprint: [2; 32],
    };
    Claim { request, id: ambient.credential_id::<tonearm_domain::RequestId>().uuid() }
}

/// Another claim for the same request.
fn another(ambient: &Ambient, first: &Claim) -> Claim {
    Claim { request: first.request.clone(), ..claim(ambient) }
}

async fn a_claim_is_taken_once(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let first = claim(&ambient);
    let take = async |claim: &Claim| {
        let now = ambient.now();
        catalog.claim_repeatable(claim, now, now.plus_seconds(20)).await.unwrap()
    };
    assert_eq!(catalog.repetition(&first.request, ambient.now()).await.unwrap(), None);
    assert_eq!(take(&first).await, Repetition::First);
    assert_eq!(take(&another(&ambient, &first)).await, Repetition::Running);
    let other = IdempotentRequest { fingerprint: [3; 32], ..first.request.clone() };
    assert_eq!(take(&Claim { request: other, ..claim(&ambient) }).await, Repetition::Mismatch);
    // A claim lasts only as long as it is renewed.
    clock.advance_seconds(19);
    assert!(catalog.renew_claim(&first, ambient.now().plus_seconds(20)).await.unwrap());
    clock.advance_seconds(19);
    assert_eq!(take(&another(&ambient, &first)).await, Repetition::Running);
    clock.advance_seconds(1);
    assert_eq!(catalog.repetition(&first.request, ambient.now()).await.unwrap(), None);
    let second = another(&ambient, &first);
    assert_eq!(take(&second).await, Repetition::First);
    assert!(!catalog.renew_claim(&first, ambient.now().plus_seconds(20)).await.unwrap());
    assert!(!catalog.forget_claim(&first).await.unwrap());
    assert!(catalog.forget_claim(&second).await.unwrap());
    assert_eq!(take(&first).await, Repetition::First);
}

async fn a_claim_that_was_taken_over_has_no_effect(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let first = claim(&ambient);
    let now = ambient.now();
    catalog.claim_repeatable(&first, now, now.plus_seconds(20)).await.unwrap();
    clock.advance_seconds(20);
    let (second, now) = (another(&ambient, &first), ambient.now());
    assert_eq!(
        catalog.claim_repeatable(&second, now, now.plus_seconds(20)).await.unwrap(),
        Repetition::First
    );
    let keep = async |claim: &Claim, answer: &[u8]| {
        let tx = catalog.begin().await.unwrap();
        let kept = tx.keep_answer(claim, answer.to_vec(), now.plus_seconds(100)).await.unwrap();
        tx.commit().await.unwrap();
        kept
    };
    assert!(!keep(&first, b"late").await);
    assert!(keep(&second, b"in time").await);
    assert!(!keep(&second, b"again").await, "an answer is final");
    assert!(!catalog.forget_claim(&second).await.unwrap());
    let known = catalog.repetition(&first.request, now).await.unwrap();
    assert_eq!(known, Some(Repetition::Answered(b"in time".to_vec())));
}

async fn insert(catalog: &Catalog, collection: &Collection) {
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(collection).await.unwrap();
    tx.commit().await.unwrap();
}

async fn is_there(catalog: &Catalog, organization: &Organization, collection: &Collection) -> bool {
    catalog.collection(organization.id, collection.id).await.unwrap().is_some()
}

async fn transactions_of_one_piece_of_work_are_one(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let [one, two] = [(); 2].map(|()| bare_collection(&ambient, &organization));
    let (is_as_one, gathered) = catalog
        .as_one(async {
            insert(&catalog, &one).await;
            insert(&catalog, &two).await;
            catalog.is_as_one()
        })
        .await;
    assert!(is_as_one && !catalog.is_as_one());
    assert!(!is_there(&catalog, &organization, &one).await, "nobody sees it yet");
    let Gathered::Open(tx) = gathered else { panic!("nothing was held") };
    tx.commit().await.unwrap();
    assert!(is_there(&catalog, &organization, &one).await && is_there(&catalog, &organization, &two).await);
    let (_, gathered) = catalog.as_one(catalog.collection(organization.id, one.id)).await;
    assert!(matches!(gathered, Gathered::Nothing));
}

async fn a_piece_of_work_is_rolled_back_as_a_whole(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let [one, two] = [(); 2].map(|()| bare_collection(&ambient, &organization));
    let (_, gathered) = catalog.as_one(insert(&catalog, &one)).await;
    drop(gathered);
    assert!(!is_there(&catalog, &organization, &one).await);
    // Work that drops a later transaction has lost the earlier one too, and the result says so.
    let (_, gathered) = catalog
        .as_one(async {
            insert(&catalog, &one).await;
            let tx = catalog.begin().await.unwrap();
            tx.insert_collection(&two).await.unwrap();
            drop(tx);
        })
        .await;
    assert!(matches!(gathered, Gathered::Lost));
    insert(&catalog, &two).await;
    assert!(!is_there(&catalog, &organization, &one).await && is_there(&catalog, &organization, &two).await);
}

async fn a_piece_of_work_sees_its_own_changes_and_takes_one_connection(database: TestDatabase) {
    let options = ConnectOptions {
        max_connections: 1,
        acquire_timeout: Duration::from_secs(10),
        ..ConnectOptions::default()
    };
    let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
    let (ambient, _) = ambient();
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let [one, two] = [(); 2].map(|()| bare_collection(&ambient, &organization));
    let work = async {
        insert(&catalog, &one).await;
        insert(&catalog, &two).await;
        join_all([&one, &two].map(|added| is_there(&catalog, &organization, added))).await
    };
    let (seen, gathered) = catalog.as_one(work).await;
    assert_eq!(seen, [true, true]);
    drop(gathered);
    assert!(!is_there(&catalog, &organization, &one).await);
}

async fn a_request_holds_one_connection(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let request = async |is_held: bool| {
        let (catalog, organization, id) = (catalog.clone(), organization.id, collection.id);
        let work = async move {
            let tx = catalog.begin().await.unwrap();
            let held = is_held.then_some(tx);
            catalog.collection(organization, id).await.unwrap();
            drop(held);
        };
        tokio::spawn(in_request(ambient.clone(), Purpose::Add, work, || None)).await
    };
    assert!(request(false).await.is_ok());
    assert!(request(true).await.unwrap_err().is_panic());
}
