//! How many records organizations keep in the database, and what happens when these are enough.

#![allow(clippy::large_futures, reason = "one at a time, and for a moment")]

use std::sync::Arc;

use sea_orm::ConnectionTrait;
use serde_json::json;
use tonearm_catalog::{
    Catalog, CatalogError, ConnectOptions, Purpose, Right, Transaction, act_on, in_request,
};
use tonearm_domain::{
    Ambient, AuditAction, AuditEntry, Collection, Creator, ExpiredRows, FileData, Metadata, Organization,
    Origin, PlaySession, QuotaKind, RecordLimits, RecordUsage, Selection, VariantIndex, VariantList,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;
use crate::upgrades::{COUNTED_CHANGES, RECORD_COUNTS, go_back};

tonearm_fixtures::on_both_empty!(
    counts_are_those_of_the_rows,
    transactions_do_not_wait_for_the_counts_of_others,
    nothing_is_added_where_there_is_no_room,
    rows_of_earlier_versions_are_counted,
    changes_of_all_counted_columns_count,
);

/// What the database should contain besides the two collections, each with the number of its organization.
struct Model {
    /// How many bytes more than compact JSON an object with one member has.
    spaces: u64,
    creators: Vec<(usize, Creator)>,
    sessions: Vec<(usize, PlaySession)>,
}

impl Model {
    fn used(&self, organization: usize) -> RecordUsage {
        let creators = self
            .creators
            .iter()
            .filter(|(at, _)| *at == organization)
            .map(|(_, creator)| creator.organization_index.len() as u64 + self.bytes(&creator.metadata));
        let sessions = self.sessions.iter().filter(|(at, _)| *at == organization);
        let sessions = sessions.map(|(_, session)| self.bytes(&session.metadata));
        let bytes: Vec<u64> = creators.chain(sessions).collect();
        RecordUsage { records: bytes.len() as u64, metadata: bytes.iter().sum() }
    }

    fn bytes(&self, metadata: &Metadata) -> u64 {
        let compact = serde_json::to_string(metadata.as_map()).unwrap().len() as u64;
        compact + if metadata.as_map().is_empty() { 0 } else { self.spaces }
    }
}

fn pick(ambient: &Ambient, below: usize) -> usize {
    usize::from(u16::from_le_bytes(ambient.random())) % below
}

fn note(ambient: &Ambient) -> Metadata {
    match pick(ambient, 3) {
        0 => metadata(json!({})),
        size => metadata(json!({ "note": "é".repeat(size * pick(ambient, 300)) })),
    }
}

/// Random histories, compared with a model after each step.
async fn counts_are_those_of_the_rows(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let places = [stored_collection(&catalog, &ambient).await, stored_collection(&catalog, &ambient).await];
    let usage = async |at: usize| catalog.record_usage(places[at].0.id).await.unwrap();
    let first = [usage(0).await, usage(1).await];
    assert_eq!(first.map(|used| used.records), [1, 1], "the collections");
    let spaces = u64::from(database.url.starts_with("postgres"));
    let mut model = Model { spaces, creators: Vec::new(), sessions: Vec::new() };
    for step in 0..150 {
        let at = pick(&ambient, 2);
        take_a_step(&catalog, &ambient, &places, at, &mut model).await;
        for at in [0, 1] {
            let (used, expected) = (usage(at).await, model.used(at));
            assert_eq!(used.records - first[at].records, expected.records, "step {step}");
            assert_eq!(used.metadata - first[at].metadata, expected.metadata, "step {step}");
        }
    }
    assert!(model.creators.len() > 5 && !model.sessions.is_empty());
}

async fn take_a_step(
    catalog: &Catalog,
    ambient: &Ambient,
    places: &[(Organization, Collection); 2],
    at: usize,
    model: &mut Model,
) {
    let tx = catalog.begin().await.unwrap();
    match pick(ambient, 5) {
        0 => {
            let added = Creator { metadata: note(ambient), ..creator(ambient, &places[at].0) };
            tx.insert_creator(&added).await.unwrap();
            model.creators.push((at, added));
        }
        1 if !model.creators.is_empty() => {
            let changed = pick(ambient, model.creators.len());
            let (_, changed) = &mut model.creators[changed];
            changed.metadata = note(ambient);
            changed.organization_index = "x".repeat(pick(ambient, 50));
            tx.update_creator(changed).await.unwrap();
        }
        2 if model.creators.len() > 8 => {
            let (at, gone) = model.creators.swap_remove(pick(ambient, model.creators.len()));
            tx.delete_creator(places[at].0.id, gone.id).await.unwrap();
        }
        // Of both organizations, in one statement.
        3 => {
            let added: Vec<_> =
                (0..=pick(ambient, 6)).map(|more| session(ambient, places, (at + more) % 2)).collect();
            let sessions: Vec<_> = added.iter().map(|(_, session)| session.clone()).collect();
            tx.insert_play_sessions(&sessions).await.unwrap();
            model.sessions.extend(added);
        }
        _ => {
            // What is rolled back is not counted.
            add_two(&tx, ambient, &places[at]).await;
            drop(tx);
            let until = ambient.now().plus_seconds(pick(ambient, 50) as i64);
            while catalog.delete_expired(ExpiredRows::PlaySessions, until, 7).await.unwrap() == 7 {}
            model.sessions.retain(|(_, session)| session.expires_at > until);
            return catalog.merge_record_counts().await.unwrap();
        }
    }
    tx.commit().await.unwrap();
}

fn session(ambient: &Ambient, places: &[(Organization, Collection); 2], at: usize) -> (usize, PlaySession) {
    let expires_at = ambient.now().plus_seconds(pick(ambient, 100) as i64);
    let session = play_session(ambient, &places[at].1);
    (at, PlaySession { metadata: note(ambient), expires_at, ..session })
}

async fn add_two(
    tx: &Transaction,
    ambient: &Ambient,
    (organization, collection): &(Organization, Collection),
) {
    tx.insert_creator(&creator(ambient, organization)).await.unwrap();
    tx.insert_upload_session(&upload_session(ambient, collection)).await.unwrap();
}

/// On SQLite they wait for the one writer anyway.
async fn transactions_do_not_wait_for_the_counts_of_others(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    if database.url.starts_with("sqlite") {
        return catalog.merge_record_counts().await.unwrap();
    }
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let open = catalog.begin().await.unwrap();
    open.insert_creator(&creator(&ambient, &organization)).await.unwrap();
    let other = catalog.begin().await.unwrap();
    other.insert_creator(&creator(&ambient, &organization)).await.unwrap();
    other.commit().await.unwrap();
    catalog.merge_record_counts().await.unwrap();
    assert_eq!(catalog.record_usage(organization.id).await.unwrap().records, 2);
    open.commit().await.unwrap();
    let merges = [catalog.merge_record_counts(), catalog.merge_record_counts()];
    for merged in futures::future::join_all(merges).await {
        merged.unwrap();
    }
    assert_eq!(catalog.record_usage(organization.id).await.unwrap().records, 3);
}

async fn nothing_is_added_where_there_is_no_room(database: TestDatabase) {
    let (setup, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&setup, &ambient).await;
    let (other, _) = stored_collection(&setup, &ambient).await;
    let of = async |organization: &Organization, hash: [u8; 32]| {
        let key = Arc::new(api_key(&ambient, organization));
        let tx = setup.begin().await.unwrap();
        tx.insert_api_key(&key, &hash).await.unwrap();
        tx.commit().await.unwrap();
        Right::Key { key, hash }
    };
    let (own, others) = (of(&organization, [1; 32]).await, of(&other, [2; 32]).await);
    let used = async || setup.record_usage(organization.id).await.unwrap();
    let write = async |limits, purpose, right: &Right, creators: [&Creator; 2]| {
        let options = ConnectOptions { record_limits: limits, ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database.database_url(), options).await.unwrap();
        let work = async {
            assert!(act_on(right.clone()));
            let tx = catalog.begin().await?;
            let [before, after] = creators;
            match purpose {
                Purpose::Add if before.id == after.id => tx.update_creator(after).await?,
                Purpose::Add => tx.insert_creator(after).await?,
                Purpose::End => {}
            }
            tx.commit().await
        };
        let written = in_request(ambient.clone(), purpose, work, || None);
        match written.await {
            Ok(()) => None,
            Err(CatalogError::QuotaExceeded(exceeded)) => Some(exceeded.kind),
            Err(error) => panic!("{error:?}"),
        }
    };
    let records = |records| RecordLimits { records: Some(records), metadata: None };
    let texts = |bytes| RecordLimits { records: None, metadata: Some(bytes) };
    let first = creator(&ambient, &organization);
    let add = async |limits, purpose, right: &Right| {
        write(limits, purpose, right, [&first, &creator(&ambient, &organization)]).await
    };
    assert_eq!(add(RecordLimits::default(), Purpose::Add, &own).await, None);
    assert_eq!(add(records(used().await.records + 1), Purpose::Add, &own).await, None);
    let full = used().await;
    assert_eq!(add(records(full.records), Purpose::Add, &own).await, Some(QuotaKind::Records));
    assert_eq!(add(records(full.records), Purpose::End, &own).await, None);
    assert_eq!(add(texts(full.metadata), Purpose::Add, &own).await, Some(QuotaKind::Metadata));
    assert_eq!(add(texts(full.metadata), Purpose::End, &own).await, None);
    assert_eq!(add(texts(full.metadata + 1), Purpose::Add, &own).await, None);

    // What there is may become smaller, but not larger.
    let large = Creator { metadata: metadata_of(100), ..creator(&ambient, &organization) };
    let (larger, smaller) = (
        Creator { metadata: metadata_of(101), ..large.clone() },
        Creator { metadata: metadata_of(99), ..large.clone() },
    );
    let tx = setup.begin().await.unwrap();
    tx.insert_creator(&large).await.unwrap();
    tx.commit().await.unwrap();
    for limit in [used().await.metadata, 1] {
        let limit = texts(limit);
        assert_eq!(write(limit, Purpose::Add, &own, [&large, &larger]).await, Some(QuotaKind::Metadata));
        assert_eq!(write(limit, Purpose::Add, &own, [&large, &large]).await, None);
        assert_eq!(write(limit, Purpose::Add, &own, [&large, &smaller]).await, None);
        let tx = setup.begin().await.unwrap();
        tx.update_creator(&large).await.unwrap();
        tx.commit().await.unwrap();
    }

    // One organization takes no room from another.
    let limit = records(used().await.records);
    assert_eq!(add(limit, Purpose::Add, &own).await, Some(QuotaKind::Records));
    assert_eq!(add(limit, Purpose::Add, &Right::Session(organization.id)).await, Some(QuotaKind::Records));
    assert_eq!(add(limit, Purpose::Add, &others).await, None);
}

fn metadata_of(bytes: usize) -> Metadata {
    metadata(json!({ "note": "x".repeat(bytes) }))
}

async fn rows_of_earlier_versions_are_counted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let by = creator(&ambient, &organization);
    let recipe = recipe(&ambient, &organization, None, "levels", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&by).await.unwrap();
    tx.put_track_file(&made_file(&ambient, &track, &recipe, FileData::NONE)).await.unwrap();
    tx.insert_upload_session(&upload_session(&ambient, &collection)).await.unwrap();
    tx.commit().await.unwrap();
    stored_track(&catalog, full_track(&ambient, &collection, &by)).await;
    let counted = catalog.record_usage(organization.id).await.unwrap();
    assert_eq!(counted.records, 6);
    go_back(&database, catalog, RECORD_COUNTS).await;
    let catalog = database.upgraded().await;
    assert_eq!(catalog.record_usage(organization.id).await.unwrap(), counted);
}

/// Renaming a variant changes the selections of play sessions that an earlier version opened, and erasing a person changes
/// titles in the audit log.
async fn changes_of_all_counted_columns_count(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let name = |text: &str| text.parse::<VariantIndex>().unwrap();
    let (short, long) = (name("hq"), name(&"h".repeat(60)));
    let variants = Selection::Only(VariantList::new([short.clone()]).unwrap());
    let entry = AuditEntry {
        id: ambient.record_id(),
        organization_id: Some(organization.id),
        at: ambient.now(),
        origin: Origin::command_line(),
        action: AuditAction::MemberJoin,
        subject_id: None,
        title: Some("Ada".to_owned()),
    };
    let tx = catalog.begin().await.unwrap();
    tx.insert_play_sessions(&[PlaySession { variants, ..play_session(&ambient, &collection) }])
        .await
        .unwrap();
    tx.audit(&entry).await.unwrap();
    tx.commit().await.unwrap();
    let raw = database.raw().await;
    raw.execute_unprepared("UPDATE play_session SET recipes = NULL").await.unwrap();
    let used = async |catalog: &Catalog| catalog.record_usage(organization.id).await.unwrap();
    let before = used(&catalog).await;
    let tx = catalog.begin().await.unwrap();
    tx.rename_in_selections(organization.id, &short, &long).await.unwrap();
    tx.replace_audit_titles(&[entry.id], "Ada L.").await.unwrap();
    tx.commit().await.unwrap();
    let renamed = used(&catalog).await;
    assert_eq!(renamed, RecordUsage { metadata: before.metadata + 58 + 3, ..before });
    // An earlier version had not counted this. What it removed was then more than it had counted.
    catalog.close().await.unwrap();
    raw.execute_unprepared("UPDATE record_count SET bytes = -1").await.unwrap();
    go_back(&database, database.catalog().await, COUNTED_CHANGES).await;
    let catalog = database.upgraded().await;
    assert_eq!(used(&catalog).await, renamed);
    let tx = catalog.begin().await.unwrap();
    tx.rename_in_selections(organization.id, &long, &short).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(used(&catalog).await, RecordUsage { metadata: before.metadata + 3, ..before });
}
