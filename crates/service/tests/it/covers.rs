//! Covers of collections and organizations: what receivers of webhooks are told, and what tracks show afterwards.

use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::timeout;
use tonearm_domain::{CoverOwner, ErrorCode, Patch, WebhookKind};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{DeliveryQuery, Refusal, UpdateCollection};

use crate::history::picture;
use crate::on_both;
use crate::workshop::Workshop;

on_both!(
    a_cover_is_removed_as_it_was_set,
    a_change_of_a_collection_is_reported_if_there_is_one,
    a_cover_whose_client_leaves_is_not_left_half_done,
);

async fn a_cover_is_removed_as_it_was_set(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.create().await;
    let organization_id = owner.organization_id;
    let collection = workshop.catalog.track(organization_id, id).await.unwrap().unwrap().collection_id;
    for of in [CoverOwner::Collection(collection), CoverOwner::Organization] {
        let accepted = workshop.uploads.accept_cover(owner.origin, organization_id, of, picture(0)).await;
        accepted.unwrap();
        let covers = async || {
            let collection = workshop.catalog.collection(organization_id, collection).await.unwrap().unwrap();
            let organization = workshop.catalog.organization(organization_id).await.unwrap().unwrap();
            [
                (collection.cover.is_some(), collection.theme.found.is_empty()),
                (organization.cover.is_some(), organization.theme.found.is_empty()),
            ]
        };
        assert!(covers().await.contains(&(true, false)));
        workshop.library.reset_cover(&owner, of).await.unwrap();
        assert_eq!(covers().await, [(false, true); 2]);
        let refused = workshop.library.reset_cover(&owner, of).await.unwrap_err();
        assert!(matches!(refused, Refusal::Conflict { code: ErrorCode::NoUploadedCover, .. }), "{refused:?}");
    }
}

async fn a_change_of_a_collection_is_reported_if_there_is_one(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.create().await;
    let organization_id = owner.organization_id;
    let collection = workshop.catalog.track(organization_id, id).await.unwrap().unwrap().collection_id;
    let url = "http://127.0.0.1:8080/hook";
    workshop.webhooks.set(&owner, WebhookKind::Collection, url.into()).await.unwrap();
    let reported = async || {
        let query = DeliveryQuery::default();
        workshop.webhooks.deliveries(&owner, query, None, 50).await.unwrap().len()
    };
    let of = CoverOwner::Collection(collection);
    workshop.uploads.accept_cover(owner.origin, organization_id, of, picture(1)).await.unwrap();
    assert_eq!(reported().await, 1, "a cover is a change");
    let same = UpdateCollection { title: Patch::Set("First".to_owned()), ..UpdateCollection::default() };
    workshop.library.update_collection(&owner, collection, same).await.unwrap();
    assert_eq!(reported().await, 1, "nothing changed");
    workshop.library.reset_cover(&owner, of).await.unwrap();
    assert_eq!(reported().await, 2);
}

/// What it claims of the quota would count for a day.
async fn a_cover_whose_client_leaves_is_not_left_half_done(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.create().await;
    let organization_id = owner.organization_id;
    let claimed = async || {
        let tx = workshop.catalog.begin().await.unwrap();
        tx.quota_usage(organization_id).await.unwrap().bytes
    };
    let of = CoverOwner::Track(id);
    let mut accepting =
        Box::pin(workshop.uploads.accept_cover(owner.origin, organization_id, of, picture(0)));
    while claimed().await == 0 && (&mut accepting).now_or_never().is_none() {
        tokio::task::yield_now().await;
    }
    drop(accepting);
    timeout(Duration::from_secs(30), async {
        while workshop.track(&owner, id).await.cover.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("the cover is put to use");
}
