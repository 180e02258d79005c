//! Webhooks, deliveries and the audit log.

use std::collections::HashSet;
use std::time::Duration;

use tonearm_catalog::{AuditFilter, Catalog, CatalogError, DeliveryFilter, EventRecord, Record};
use tonearm_domain::{
    Actor, Ambient, AuditAction, AuditEntry, ClaimedDelivery, DeliveryAttempt, DeliveryState, EndpointHealth,
    EventKind, EventPlace, ExpiredRows, FAILURES_IN_ORDER, MOST_ATTEMPTS_KEPT, OrganizationId, Origin,
    Webhook, WebhookDelivery, WebhookDeliveryId, WebhookKind,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    an_endpoint_shows_on_its_organization,
    a_delivery_is_claimed_once_and_again_when_its_lease_ends,
    many_claimers_never_get_the_same_delivery,
    what_is_paused_or_not_due_is_left_alone,
    an_attempt_is_recorded_by_its_holder_alone,
    of_a_delivery_the_last_attempts_are_kept,
    events_about_a_record_are_sent_one_after_another,
    versions_grow_whatever_the_clock_does,
    deliveries_are_replayed_given_up_and_forgotten,
    the_audit_log_is_read_by_filters_and_pages,
);

async fn organization(catalog: &Catalog, ambient: &Ambient) -> OrganizationId {
    let organization = bare_organization(ambient);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.commit().await.unwrap();
    organization.id
}

async fn endpoint(catalog: &Catalog, ambient: &Ambient, organization_id: OrganizationId) -> Webhook {
    let webhook = Webhook {
        id: ambient.record_id(),
        organization_id,
        kind: WebhookKind::File,
        url: HOSTILE.to_owned(),
        secret: vec![0, 1, 255],
        old_secrets: Some(vec![2]),
        rotated_at: Some(ambient.now()),
        health: EndpointHealth::default(),
        created_at: ambient.now(),
        expires_at: Some(ambient.now().plus_seconds(1_000_000)),
        made_by: Some(ambient.record_id()),
    };
    let tx = catalog.begin().await.unwrap();
    tx.put_webhook(&webhook).await.unwrap();
    tx.commit().await.unwrap();
    webhook
}

async fn queue(catalog: &Catalog, ambient: &Ambient, webhook: &Webhook) -> WebhookDelivery {
    queue_at(catalog, ambient, webhook, None).await
}

async fn queue_at(
    catalog: &Catalog,
    ambient: &Ambient,
    webhook: &Webhook,
    place: Option<EventPlace>,
) -> WebhookDelivery {
    let (id, subject) = (ambient.record_id(), webhook.id.uuid());
    let payload = format!("{{{HOSTILE:?}:1}}");
    let delivery =
        WebhookDelivery::new(id, webhook, EventKind::TrackFileFailed, subject, place, payload, ambient.now());
    let tx = catalog.begin().await.unwrap();
    tx.queue_delivery(&delivery).await.unwrap();
    tx.commit().await.unwrap();
    delivery
}

fn failed_attempt(ambient: &Ambient, delivery: &WebhookDelivery) -> DeliveryAttempt {
    DeliveryAttempt {
        delivery_id: delivery.id,
        number: delivery.attempts,
        url: "https://example.com".to_owned(),
        started_at: ambient.now(),
        duration_ms: 12,
        status: Some(500),
        response: "nul \0 is no text".to_owned(),
        error: Some("the endpoint responded with 500".to_owned()),
    }
}

async fn an_endpoint_shows_on_its_organization(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    assert_eq!(catalog.webhooks(organization).await.unwrap(), std::slice::from_ref(&webhook));
    let shown = || async { catalog.organization(organization).await.unwrap().unwrap().webhook_url_file };
    assert_eq!(shown().await.as_deref(), Some(HOSTILE));

    let tx = catalog.begin().await.unwrap();
    let moved = Webhook { url: "https://example.com".to_owned(), ..webhook.clone() };
    tx.put_webhook(&moved).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.webhooks(organization).await.unwrap(), [moved]);
    assert_eq!(shown().await.as_deref(), Some("https://example.com"));

    let tx = catalog.begin().await.unwrap();
    let second = Webhook { id: ambient.record_id(), ..webhook.clone() };
    assert!(matches!(tx.put_webhook(&second).await, Err(CatalogError::Taken(Record::Webhook))));
    drop(tx);

    let delivery = queue(&catalog, &ambient, &webhook).await;
    let tx = catalog.begin().await.unwrap();
    tx.delete_webhook(&webhook).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(shown().await, None);
    assert_eq!(catalog.delivery(organization, delivery.id).await.unwrap(), None);
}

async fn a_delivery_is_claimed_once_and_again_when_its_lease_ends(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let delivery = queue(&catalog, &ambient, &webhook).await;
    assert_eq!(catalog.delivery(organization, delivery.id).await.unwrap().unwrap(), delivery);
    let claim = || async {
        let (now, lease) = (ambient.now(), ambient.credential_id());
        catalog.claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 10).await.unwrap()
    };
    let first = claim().await;
    assert_eq!((first.len(), first[0].delivery.attempts, first[0].delivery.id), (1, 1, delivery.id));
    assert_eq!(claim().await, []);
    assert_eq!(catalog.due_webhooks(ambient.now()).await.unwrap(), []);
    clock.advance_seconds(30);
    let second = claim().await;
    assert_eq!(second[0].delivery.attempts, 2);
}

async fn many_claimers_never_get_the_same_delivery(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    for _ in 0..30 {
        queue(&catalog, &ambient, &webhook).await;
    }
    let claimers = (0..8).map(|_| {
        let (catalog, ambient, id) = (catalog.clone(), ambient.clone(), webhook.id);
        tokio::spawn(async move {
            let (now, mut got) = (ambient.now(), Vec::new());
            for _ in 0..8 {
                let lease = ambient.credential_id();
                let claimed =
                    catalog.claim_deliveries(id, now, lease, now.plus_seconds(30), 3).await.unwrap();
                got.extend(claimed.into_iter().map(|claimed| claimed.delivery.id));
            }
            got
        })
    });
    let mut all: Vec<WebhookDeliveryId> = Vec::new();
    for claimer in claimers.collect::<Vec<_>>() {
        all.extend(claimer.await.unwrap());
    }
    assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (30, 30));
}

async fn what_is_paused_or_not_due_is_left_alone(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let due = || async { catalog.due_webhooks(ambient.now()).await.unwrap().len() };
    assert_eq!(due().await, 0);
    queue(&catalog, &ambient, &webhook).await;
    assert_eq!(due().await, 1);
    let pause = EndpointHealth { failures: 5, paused_until: Some(ambient.now().plus_seconds(10)) };
    let tx = catalog.begin().await.unwrap();
    tx.update_webhook_health(webhook.id, pause).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(due().await, 0);
    clock.advance_seconds(10);
    assert_eq!(due().await, 1);
}

async fn an_attempt_is_recorded_by_its_holder_alone(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let delivery = queue(&catalog, &ambient, &webhook).await;
    let claim = || async {
        let (now, lease) = (ambient.now(), ambient.credential_id());
        let mut claimed =
            catalog.claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 1).await.unwrap();
        let mut claimed = claimed.remove(0);
        claimed.delivery.failures += 1;
        claimed.delivery.due_at = Some(now.plus_seconds(300));
        claimed
    };
    let late = claim().await;
    clock.advance_seconds(30);
    let holder = claim().await;
    let record = |claimed| {
        let (catalog, ambient) = (&catalog, &ambient);
        async move {
            let tx = catalog.begin().await.unwrap();
            let attempt = failed_attempt(ambient, &delivery_of(&claimed));
            let recorded = tx.record_attempt(&claimed, &attempt).await.unwrap();
            tx.commit().await.unwrap();
            recorded
        }
    };
    assert!(!record(late).await);
    assert!(record(holder.clone()).await);
    assert!(!record(holder.clone()).await, "nobody holds it any more");
    let stored = catalog.delivery(organization, delivery.id).await.unwrap().unwrap();
    assert_eq!((stored.attempts, stored.failures, stored.due_at), (2, 1, holder.delivery.due_at));
    let attempts = catalog.delivery_attempts(delivery.id).await.unwrap();
    let expected = failed_attempt(&ambient, &holder.delivery);
    assert_eq!(
        attempts,
        [DeliveryAttempt { response: expected.response.replace('\0', "\u{FFFD}"), ..expected }]
    );
}

/// It may be replayed as often as somebody likes.
async fn of_a_delivery_the_last_attempts_are_kept(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let delivery = queue(&catalog, &ambient, &webhook).await;
    let before = catalog.record_usage(organization).await.unwrap();
    for _ in 0..MOST_ATTEMPTS_KEPT + 2 {
        let (now, lease) = (ambient.now(), ambient.credential_id());
        let claimed =
            catalog.claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 1).await.unwrap();
        let tx = catalog.begin().await.unwrap();
        let attempt = failed_attempt(&ambient, &claimed[0].delivery);
        assert!(tx.record_attempt(&claimed[0], &attempt).await.unwrap());
        assert!(tx.replay_delivery(organization, delivery.id, now).await.unwrap());
        tx.commit().await.unwrap();
    }
    let kept = catalog.delivery_attempts(delivery.id).await.unwrap();
    let numbers: Vec<u32> = kept.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, (3..=MOST_ATTEMPTS_KEPT + 2).collect::<Vec<_>>());
    // They count as records of the organization, until they are deleted with their delivery.
    let text = |attempt: &DeliveryAttempt| {
        attempt.url.len() + attempt.response.len() + attempt.error.as_ref().unwrap().len()
    };
    let more: usize = kept.iter().map(text).sum();
    let used = catalog.record_usage(organization).await.unwrap();
    assert_eq!(used.records - before.records, u64::from(MOST_ATTEMPTS_KEPT));
    assert_eq!(used.metadata - before.metadata, more as u64);
    let tx = catalog.begin().await.unwrap();
    tx.delete_webhook(&webhook).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.delivery_attempts(delivery.id).await.unwrap(), []);
    let left = catalog.record_usage(organization).await.unwrap();
    assert_eq!(left.records, before.records - 2, "the endpoint, the delivery and its attempts are gone");
}

async fn events_about_a_record_are_sent_one_after_another(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let [one, other] = [(); 2].map(|()| ambient.record_id::<tonearm_domain::TrackId>().uuid());
    let place = |record_id, version| Some(EventPlace { record_id, version });
    let mut queued = Vec::new();
    // Queued last, the earliest version is still the first.
    for place in [place(one, 2), place(one, 3), place(other, 9), None, None, place(one, 1)] {
        queued.push(queue_at(&catalog, &ambient, &webhook, place).await);
    }
    assert_eq!(catalog.delivery(organization, queued[0].id).await.unwrap().unwrap(), queued[0]);
    let ids = |of: &[usize]| of.iter().map(|index| queued[*index].id).collect::<HashSet<_>>();
    let claim = async || {
        let (now, lease) = (ambient.now(), ambient.credential_id());
        catalog.claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 10).await.unwrap()
    };
    let ids_of =
        |claimed: &[ClaimedDelivery]| claimed.iter().map(|one| one.delivery.id).collect::<HashSet<_>>();
    let first = claim().await;
    assert_eq!(ids_of(&first), ids(&[5, 2, 3, 4]));
    assert_eq!(claim().await, []);
    assert_eq!(catalog.due_webhooks(ambient.now()).await.unwrap(), []);
    let end = async |mut claimed: ClaimedDelivery, failures: Option<u32>| {
        let delivery = &mut claimed.delivery;
        (delivery.failures, delivery.due_at) = match failures {
            Some(failures) => (failures, Some(ambient.now().plus_seconds(300))),
            None => (0, None),
        };
        if failures.is_none() {
            (delivery.state, delivery.finished_at) = (DeliveryState::Delivered, Some(ambient.now()));
        }
        let attempt = failed_attempt(&ambient, &claimed.delivery);
        let tx = catalog.begin().await.unwrap();
        assert!(tx.record_attempt(&claimed, &attempt).await.unwrap());
        tx.commit().await.unwrap();
    };
    // While it waits for its second retry, it still holds up the later ones.
    let mut first = first.into_iter();
    end(first.next_back().unwrap(), Some(FAILURES_IN_ORDER - 1)).await;
    for claimed in first {
        end(claimed, None).await;
    }
    assert_eq!(claim().await, []);
    assert_eq!(catalog.next_delivery_due(ambient.now()).await.unwrap(), Some(Duration::from_secs(300)));
    clock.advance_seconds(300);
    let again = claim().await;
    assert_eq!(ids_of(&again), ids(&[5]));
    end(again.into_iter().next().unwrap(), Some(FAILURES_IN_ORDER)).await;
    // It no longer does. The next one holds up the one after it, until it is delivered.
    let second = claim().await;
    assert_eq!(ids_of(&second), ids(&[0]));
    assert_eq!(claim().await, []);
    end(second.into_iter().next().unwrap(), None).await;
    assert_eq!(ids_of(&claim().await), ids(&[1]));
}

async fn versions_grow_whatever_the_clock_does(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let next = async || {
        let tx = catalog.begin().await.unwrap();
        let version = tx.next_event_version(EventRecord::Webhook(webhook.id), ambient.now()).await.unwrap();
        tx.commit().await.unwrap();
        version
    };
    let start = ambient.now();
    let mut versions = vec![next().await, next().await];
    clock.set(start.plus_seconds(-3600));
    versions.push(next().await);
    clock.set(start.plus_seconds(1));
    versions.push(next().await);
    let millis = start.unix_millis();
    assert_eq!(versions, [millis, millis + 1, millis + 2, millis + 1000]);
    let tx = catalog.begin().await.unwrap();
    let unknown = tx.next_event_version(EventRecord::Collection(ambient.record_id()), ambient.now()).await;
    assert!(matches!(unknown, Err(CatalogError::Missing(Record::Collection))), "{unknown:?}");
}

fn delivery_of(claimed: &tonearm_domain::ClaimedDelivery) -> WebhookDelivery {
    claimed.delivery.clone()
}

async fn deliveries_are_replayed_given_up_and_forgotten(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = organization(&catalog, &ambient).await;
    let webhook = endpoint(&catalog, &ambient, organization).await;
    let old = queue(&catalog, &ambient, &webhook).await;
    clock.advance_seconds(100);
    let young = queue(&catalog, &ambient, &webhook).await;
    assert_eq!(catalog.give_up_deliveries(young.created_at, ambient.now(), 1000).await.unwrap(), 1);
    let in_state = |state| {
        let catalog = &catalog;
        async move {
            let filter = DeliveryFilter { webhook_id: Some(webhook.id), state: Some(state) };
            let found = catalog.deliveries(organization, filter, None, 50).await.unwrap();
            found.into_iter().map(|delivery| delivery.id).collect::<Vec<_>>()
        }
    };
    assert_eq!(in_state(DeliveryState::Failed).await, [old.id]);
    assert_eq!(in_state(DeliveryState::Pending).await, [young.id]);

    let tx = catalog.begin().await.unwrap();
    let other = ambient.record_id();
    assert!(!tx.replay_delivery(other, old.id, ambient.now()).await.unwrap());
    assert!(tx.replay_delivery(organization, old.id, ambient.now()).await.unwrap());
    assert_eq!(tx.replay_failed(webhook.id, ambient.now()).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(in_state(DeliveryState::Pending).await, [young.id, old.id]);

    clock.advance_seconds(1);
    let now = ambient.now();
    assert_eq!(catalog.give_up_deliveries(now, now, 1).await.unwrap(), 1);
    assert_eq!(catalog.give_up_deliveries(now, now, 1000).await.unwrap(), 1);
    let before = now.plus_millis(-1);
    let remove = |until| catalog.delete_expired(ExpiredRows::WebhookDeliveries, until, 1000);
    assert_eq!(remove(before).await.unwrap(), 0);
    assert_eq!(remove(now).await.unwrap(), 2);
}

async fn the_audit_log_is_read_by_filters_and_pages(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (own, other): (OrganizationId, OrganizationId) = (ambient.record_id(), ambient.record_id());
    let key = ambient.record_id();
    let address = Some("2001:db8::1".parse().unwrap());
    let actions = [AuditAction::TrackCreate, AuditAction::TrackDelete, AuditAction::KeyCreate];
    let tx = catalog.begin().await.unwrap();
    for (organization, action) in actions.map(|action| (own, action)).into_iter().chain([(other, actions[0])])
    {
        let actor = if action == AuditAction::KeyCreate { Actor::CommandLine } else { Actor::Key(key) };
        let entry = AuditEntry {
            id: ambient.record_id(),
            organization_id: Some(organization),
            at: ambient.now(),
            origin: Origin { actor, address },
            action,
            subject_id: Some(key.uuid()),
            title: Some(HOSTILE.to_owned()),
        };
        tx.audit(&entry).await.unwrap();
        clock.advance_seconds(1);
    }
    tx.commit().await.unwrap();
    let read = |filter: AuditFilter, before, limit| {
        let catalog = &catalog;
        async move { catalog.audit_entries(Some(own), &filter, before, limit).await.unwrap() }
    };
    let all = read(AuditFilter::default(), None, 10).await;
    let names = |lines: &[tonearm_domain::AuditRecord]| {
        lines.iter().map(|line| line.action.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&all), ["api_key.create", "track.delete", "track.create"]);
    assert_eq!((all[1].actor.as_str(), all[1].actor_id, all[1].address), ("key", Some(key.uuid()), address));
    assert_eq!((all[0].actor.as_str(), all[0].actor_id), ("command_line", None));
    assert_eq!(all[0].title.as_deref(), Some(HOSTILE));
    assert_eq!(read(AuditFilter::default(), Some(all[0].id), 1).await, all[1..2]);
    let of = |action: &str| AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
    assert_eq!(read(of("track"), None, 10).await, all[1..]);
    assert_eq!(read(of("track.create"), None, 10).await, all[2..]);
    assert_eq!(read(of("tra"), None, 10).await, []);
    let by_key = AuditFilter { actor_id: Some(key.uuid()), ..AuditFilter::default() };
    assert_eq!(read(by_key, None, 10).await, all[1..]);
    let between = AuditFilter { since: Some(all[1].at), until: Some(all[0].at), ..AuditFilter::default() };
    assert_eq!(read(between, None, 10).await, all[1..2]);
    assert_eq!(catalog.audit_entries(None, &AuditFilter::default(), None, 10).await.unwrap(), []);
}
