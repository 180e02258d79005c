//! Dumps of all tables, and loading them into either database.

use std::collections::BTreeMap;

use sea_orm::ConnectionTrait;
use serde_json::Value;
use tonearm_catalog::{
    Catalog, ColumnKind, ConnectOptions, DumpPage, DumpRow, DumpTable, LEFT_OUT, Migrate, RestoreError,
    Restoring, RowKey,
};
use tonearm_domain::{
    Ambient, FileData, Job, Replacement, ReplacementState, SearchWords, StoreId, TextChanges, Track,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

tonearm_fixtures::on_both_empty!(
    every_table_is_dumped_or_left_out_for_a_reason,
    what_ended_since_is_not_restored,
    rows_are_the_same_in_either_database,
    counters_and_searches_go_on,
    backups_of_earlier_versions_are_brought_up_to_date,
    what_does_not_fit_is_refused,
    a_dump_is_of_one_moment,
    pages_are_bounded_in_bytes,
    rows_are_marked_until_the_store_is_tied,
    refused_rows_are_named_and_can_be_skipped,
);

#[tokio::test]
async fn rows_that_cannot_be_read_are_named_and_left_out_alone() {
    let database = TestDatabase::sqlite();
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    let mut tracks = Vec::new();
    for _ in 0..3 {
        tracks.push(stored_track(&catalog, bare_track(&ambient, &collection)).await.id.to_string());
    }
    tracks.sort();
    let raw = database.raw().await;
    let ids = "SELECT id FROM track ORDER BY id";
    // In the middle, at the end, and everywhere.
    for (which, expected) in [
        (format!("{ids} LIMIT 1 OFFSET 1"), 1..2),
        (format!("{ids} LIMIT 1 OFFSET 2"), 2..3),
        (ids.to_owned(), 0..3),
    ] {
        let damage = format!("UPDATE track SET created_at = 'odd' WHERE id IN ({which})");
        raw.execute_unprepared(&damage).await.unwrap();
        let snapshot = catalog.snapshot().await.unwrap();
        let table = tracks_of(&catalog).await;
        let page = snapshot.page(&table, None).await.unwrap();
        let left_out: Vec<&str> = page.left_out.iter().map(RowKey::as_str).collect();
        assert_eq!(left_out, tracks[expected.clone()], "{which}");
        assert_eq!(page.rows.len(), 3 - expected.len());
        let last = page.last.unwrap();
        assert_eq!(last.as_str(), tracks[2]);
        assert_eq!(snapshot.page(&table, Some(&last)).await.unwrap(), DumpPage::default());
        drop(snapshot);
        raw.execute_unprepared("UPDATE track SET created_at = 1").await.unwrap();
    }
    // An id of another type than all others.
    raw.execute_unprepared(&format!("UPDATE track SET id = 'odd' WHERE id IN ({ids} LIMIT 1)"))
        .await
        .unwrap();
    let snapshot = catalog.snapshot().await.unwrap();
    let table = tracks_of(&catalog).await;
    let (mut names, mut last, mut count) = (Vec::new(), None, 0);
    loop {
        let page = snapshot.page(&table, last.as_ref()).await.unwrap();
        names.extend(page.left_out.iter().map(|key| key.as_str().to_owned()));
        count += page.rows.len();
        last = page.last;
        if last.is_none() {
            break;
        }
    }
    assert_eq!((names.as_slice(), count), (&["odd".to_owned()][..], 2));
}

async fn refused_rows_are_named_and_can_be_skipped(database: TestDatabase) {
    let (source, (ambient, _)) = (TestDatabase::sqlite().catalog().await, ambient());
    let (_, collection) = stored_collection(&source, &ambient).await;
    for _ in 0..3 {
        stored_track(&source, bare_track(&ambient, &collection)).await;
    }
    let (mut dumped, steps) = dump(&source).await;
    let (table, rows) = dumped.get_mut("track").unwrap();
    let [id, parent, order] = ["id", "collection_id", "track_order"].map(|column| table_place(table, column));
    let unknown = ambient.record_id::<tonearm_domain::CollectionId>();
    rows[0][parent] = unknown.to_string().into();
    rows[2][order] = "not a number".into();
    let refused_ids = [&rows[0][id], &rows[2][id]].map(|id| id.as_str().unwrap().to_owned());
    let restoring = open(&database).await;
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    let loading = restoring.begin().await.unwrap();
    let mut refused = Vec::new();
    for table in loading.tables() {
        for row in loading.insert_accepted(table, &dumped[&table.name].1).await.unwrap() {
            assert!(!row.reason.is_empty());
            refused.push((table.name.clone(), row.key));
        }
    }
    assert_eq!(refused, refused_ids.map(|id| ("track".to_owned(), id)));
    loading.commit().await.unwrap();
    restoring.finish(&|_| {}).await.unwrap();
    let options = ConnectOptions { migrate: Migrate::Never, ..ConnectOptions::default() };
    let catalog = Catalog::connect(&database.database_url(), options).await.unwrap();
    let window = tonearm_domain::LimitOffset::default();
    let (_, tracks) =
        catalog.tracks_in_collection(collection.organization_id, collection.id, None, window).await.unwrap();
    assert_eq!(tracks.len(), 1);
}

/// Rows by table.
pub(crate) type Dump = BTreeMap<String, (DumpTable, Vec<DumpRow>)>;

pub(crate) async fn dump(catalog: &Catalog) -> (Dump, Vec<String>) {
    let snapshot = catalog.snapshot().await.unwrap();
    let mut dump = Dump::new();
    for table in snapshot.tables() {
        let (mut rows, mut last) = (Vec::<DumpRow>::new(), None);
        loop {
            let page = snapshot.page(table, last.as_ref()).await.unwrap();
            assert_eq!(page.left_out, []);
            rows.extend(page.rows);
            last = page.last;
            if last.is_none() {
                break;
            }
        }
        dump.insert(table.name.clone(), (table.clone(), rows));
    }
    (dump, snapshot.steps().to_vec())
}

async fn open(database: &TestDatabase) -> Restoring {
    Restoring::open(&database.database_url(), &ConnectOptions::default(), &|_| {}).await.unwrap()
}

pub(crate) async fn restored(dump: &Dump, steps: &[String], into: &TestDatabase) -> Catalog {
    let restoring = open(into).await;
    restoring.prepare(steps, &|_| {}).await.unwrap();
    let loading = restoring.begin().await.unwrap();
    let tables: Vec<DumpTable> = dump.values().map(|(table, _)| table.clone()).collect();
    loading.require(&tables).unwrap();
    for table in loading.tables() {
        loading.insert(table, &dump[&table.name].1).await.unwrap();
    }
    loading.commit().await.unwrap();
    restoring.finish(&|_| {}).await.unwrap();
    let options = ConnectOptions { migrate: Migrate::Never, ..ConnectOptions::default() };
    Catalog::connect(&into.database_url(), options).await.unwrap()
}

/// Rows with parsed JSON, because the two databases write it differently.
fn comparable_rows(dump: &Dump) -> BTreeMap<&str, Vec<Vec<Value>>> {
    let cell = |kind: ColumnKind, cell: &Value| match (kind, cell.as_str()) {
        (ColumnKind::Json, Some(text)) => serde_json::from_str(text).unwrap(),
        _ => cell.clone(),
    };
    let row = |table: &DumpTable, row: &DumpRow| {
        table.columns.iter().zip(row).map(|(column, it)| cell(column.kind, it)).collect::<Vec<Value>>()
    };
    let mut tables = BTreeMap::new();
    for (name, (table, rows)) in dump {
        let mut rows: Vec<Vec<Value>> = rows.iter().map(|it| row(table, it)).collect();
        // Sorted by the text of the row, because servers collate text differently.
        rows.sort_by_key(|row| serde_json::to_string(row).unwrap());
        tables.insert(name.as_str(), rows);
    }
    tables
}

/// Rows with every kind of value, in as many tables as practical.
async fn fill(catalog: &Catalog, ambient: &Ambient) {
    let organization = full_organization(ambient);
    let creator = creator(ambient, &organization);
    let collection = full_collection(ambient, &organization, &creator);
    let mut track = full_track(ambient, &collection, &creator);
    track.duration = 0.1 + 0.2;
    let recipe = recipe(ambient, &organization, None, "clip", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.insert_collection(&collection).await.unwrap();
    tx.insert_recipe(&recipe).await.unwrap();
    tx.insert_track(&track).await.unwrap();
    tx.put_track_file(&made_file(
        ambient,
        &track,
        &recipe,
        FileData::Picture { width: 1, height: 2, colour: None },
    ))
    .await
    .unwrap();
    tx.insert_play_sessions(&[play_session(ambient, &collection)]).await.unwrap();
    tx.insert_api_key(&api_key(ambient, &organization), &ambient.random()).await.unwrap();
    let job = Job::ProcessTrack { organization_id: organization.id, track_id: track.id };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    // More than one page.
    for _ in 0..450 {
        stored_track(catalog, bare_track(ambient, &collection)).await;
    }
}

async fn every_table_is_dumped_or_left_out_for_a_reason(database: TestDatabase) {
    let catalog = database.catalog().await;
    let snapshot = catalog.snapshot().await.unwrap();
    let mut named: Vec<String> = snapshot.tables().iter().map(|table| table.name.clone()).collect();
    named.extend(LEFT_OUT.iter().map(|(table, _)| (*table).to_owned()));
    named.sort_unstable();
    let sql = match database.url.starts_with("sqlite") {
        // The search index is rebuilt from its table.
        true => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' \
             AND name NOT LIKE 'track_search_trigram%'"
        }
        false => "SELECT CAST(tablename AS text) AS name FROM pg_tables WHERE schemaname = current_schema()",
    };
    let raw = database.raw().await;
    let statement = sea_orm::Statement::from_string(raw.get_database_backend(), sql);
    let rows = raw.query_all_raw(statement).await.unwrap();
    let mut live: Vec<String> = rows.iter().map(|row| row.try_get("", "name").unwrap()).collect();
    live.sort_unstable();
    assert_eq!(named, live, "each table is dumped, or is in LEFT_OUT with a reason");
    let other = match database.url.starts_with("sqlite") {
        true => TestDatabase::postgres().await,
        false => TestDatabase::sqlite(),
    };
    let other = other.catalog().await;
    assert_eq!(other.snapshot().await.unwrap().tables(), snapshot.tables(), "both databases have the same");
}

/// A replacement that can be undone.
fn replacement(ambient: &Ambient, track: &Track) -> Replacement {
    Replacement {
        id: ambient.record_id(),
        organization_id: track.organization_id,
        track_id: track.id,
        state: ReplacementState::Completed,
        reason: None,
        file_name: None,
        source: Some(source(ambient, track)),
        former_file_name: Some("former.wav".to_owned()),
        text_changes: TextChanges::default(),
        created_at: ambient.now(),
        expires_at: ambient.now().plus_seconds(60),
        person_id: None,
        api_key_id: None,
    }
}

/// A link, a session or a device of the time of a backup may have ended since.
async fn what_ended_since_is_not_restored(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    fill(&catalog, &ambient).await;
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let replaced = replacement(&ambient, &track);
    let tx = catalog.begin().await.unwrap();
    tx.put_replacement(&replaced).await.unwrap();
    tx.commit().await.unwrap();
    let (dumped, steps) = dump(&catalog).await;
    let again = restored(&dumped, &steps, &TestDatabase::sqlite()).await;
    let again = again.replacement(organization.id, track.id).await.unwrap().unwrap();
    assert_eq!(again, Replacement { former_file_name: None, ..replaced.clone() });
    assert!(replaced.undone(ambient.record_id(), ambient.now()).is_some());
    assert!(again.undone(ambient.record_id(), ambient.now()).is_none(), "its former source may be gone");
    let ending = ["invitation", "known_device", "play_session", "sign_in", "undo_entry", "upload_session"];
    for table in ending {
        assert!(!dumped.contains_key(table), "{table}");
    }
    // A backup of an earlier version has these tables.
    let mut tables: Vec<DumpTable> = dumped.values().map(|(table, _)| table.clone()).collect();
    let old = |name: &str| DumpTable { name: name.to_owned(), ..tables[0].clone() };
    let (known, unknown) = (old("play_session"), old("of_the_future"));
    let into = TestDatabase::sqlite();
    let restoring = open(&into).await;
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    let loading = restoring.begin().await.unwrap();
    tables.push(known);
    loading.require(&tables).unwrap();
    tables.push(unknown);
    assert!(loading.require(&tables).is_err());
}

async fn rows_are_the_same_in_either_database(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    fill(&catalog, &ambient).await;
    let (first, steps) = dump(&catalog).await;
    assert!(first["track"].1.len() == 451 && !first["job"].1.is_empty());
    for into in [TestDatabase::sqlite(), TestDatabase::postgres().await] {
        let second = restored(&first, &steps, &into).await;
        let (second, _) = dump(&second).await;
        assert_eq!(comparable_rows(&first), comparable_rows(&second));
        // And back again.
        let back = TestDatabase::sqlite();
        let third = restored(&second, &steps, &back).await;
        let (third, _) = dump(&third).await;
        assert_eq!(comparable_rows(&first), comparable_rows(&third));
    }
}

async fn counters_and_searches_go_on(database: TestDatabase) {
    let (catalog, (ambient, _)) = (TestDatabase::sqlite().catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let mut found = bare_track(&ambient, &collection);
    found.player_title = Some("Nightingale".to_owned());
    let found = stored_track(&catalog, found).await;
    let (dumped, steps) = dump(&catalog).await;
    let catalog = restored(&dumped, &steps, &database).await;
    let records = async |catalog: &Catalog| catalog.record_usage(organization.id).await.unwrap().records;
    assert_eq!(records(&catalog).await, 2, "the collection and the track are counted");
    let later = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    assert_eq!(later.order, found.order + 1);
    let (again, _) = dump(&catalog).await;
    let column = |table: &str, column: &str| {
        let (table, rows) = &again[table];
        let place = table.columns.iter().position(|it| it.name == column).unwrap();
        rows.iter().map(|row| row[place].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(column("track", "id").len(), 2);
    // The trigger counts again, and counts once.
    let more = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&more).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(records(&catalog).await, 4);
    let (again, _) = dump(&catalog).await;
    let (table, rows) = &again["collection_count"];
    let place = table.columns.iter().position(|it| it.name == "collections").unwrap();
    assert_eq!(rows.iter().map(|row| row[place].clone()).collect::<Vec<_>>(), [Value::from(2)]);
    let query = tonearm_domain::PageQuery {
        words: SearchWords::parse("ghtinga"),
        sort: tonearm_domain::TrackSort::Order,
        cursor: tonearm_domain::Cursor::First,
        limit: 10,
    };
    let page = catalog.track_page(organization.id, Some(collection.id), &query).await.unwrap();
    assert_eq!(page.rows.iter().map(|track| track.id).collect::<Vec<_>>(), [found.id]);
}

/// The later steps are removed from the backup, as if an earlier version had written it.
async fn backups_of_earlier_versions_are_brought_up_to_date(database: TestDatabase) {
    let (catalog, (ambient, _)) = (TestDatabase::sqlite().catalog().await, ambient());
    fill(&catalog, &ambient).await;
    let (mut dumped, mut steps) = dump(&catalog).await;
    // Tables that later steps have added.
    let last = steps.iter().position(|step| step == "m0046_person_language").unwrap();
    steps.truncate(last);
    for table in ["old_api_key", "master_secret", "acme_account", "acme_certificate"] {
        dumped.remove(table).unwrap();
    }
    let added = [
        ("person", "language"),
        ("person", "claimed_at"),
        ("second_factor", "sign_in_id"),
        ("second_factor", "wrong_elsewhere"),
        ("second_factor", "wrong_elsewhere_at"),
        ("second_factor", "wrong_where_known"),
        ("second_factor", "wrong_where_known_at"),
        ("listener_track", "country"),
        ("listener_track", "excerpts"),
        ("listener_track", "played"),
        ("listener_track", "delivered_millis"),
        ("listen_sum", "reported_millis"),
        ("listen_sum", "played_millis"),
        ("job", "traceparent"),
        ("webhook_delivery", "traceparent"),
        ("webhook_delivery", "record_id"),
        ("webhook_delivery", "version"),
        ("track", "event_version"),
        ("collection", "event_version"),
        ("webhook", "event_version"),
        ("source_import", "spent_millis"),
        ("transcription", "job_id"),
        ("transcription", "pieces"),
        ("track_file", "object_sha256"),
        ("track", "cover_objects"),
        ("track", "cover_basis"),
        ("collection", "cover_objects"),
        ("organization", "cover_objects"),
        ("answered_job", "status"),
        ("api_key", "made_by_key"),
        ("api_key", "recipes"),
        ("signing_key", "made_by_key"),
        ("signing_key", "expires_at"),
        ("webhook", "made_by_key"),
        ("webhook", "expires_at"),
        ("idempotent_request", "organization_id"),
        ("webhook_attempt", "organization_id"),
        ("track", "api_key_id"),
        ("source_replacement", "api_key_id"),
        ("source_import", "person_id"),
        ("source_replacement", "former_file_name"),
        ("source_replacement", "text_changes"),
        ("import_bucket", "made_by_key"),
        ("import_bucket", "expires_at"),
    ];
    for (table, column) in added {
        let (table, rows) = dumped.get_mut(table).unwrap();
        let place = table.columns.iter().position(|found| found.name == column).unwrap();
        table.columns.remove(place);
        for row in rows {
            row.remove(place);
        }
    }
    let catalog = restored(&dumped, &steps, &database).await;
    assert_eq!(dump(&catalog).await.0["track"].1.len(), 451);
}

async fn what_does_not_fit_is_refused(database: TestDatabase) {
    let (catalog, (ambient, _)) = (TestDatabase::sqlite().catalog().await, ambient());
    stored_collection(&catalog, &ambient).await;
    let (dumped, steps) = dump(&catalog).await;

    let mut newer = steps.clone();
    newer.push("m9999_of_the_future".to_owned());
    let refused = open(&database).await.prepare(&newer, &|_| {}).await.unwrap_err();
    assert!(matches!(refused, RestoreError::Newer { .. }), "{refused}");

    let mut tables: Vec<DumpTable> = dumped.values().map(|(table, _)| table.clone()).collect();
    tables[0].columns.pop();
    let restoring = open(&database).await;
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    let refused = restoring.begin().await.unwrap().require(&tables).unwrap_err();
    assert!(matches!(refused, RestoreError::OtherTables { .. }), "{refused}");
    drop(restoring);

    // A load that is dropped leaves nothing, and an invalid row is refused.
    let restoring = open(&database).await;
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    let loading = restoring.begin().await.unwrap();
    let (organizations, rows) = &dumped["organization"];
    loading.insert(organizations, rows).await.unwrap();
    assert!(loading.insert(organizations, &[vec![Value::from(1)]]).await.is_err());
    drop(loading);
    drop(restoring);

    let full = restored(&dumped, &steps, &database).await;
    full.close().await.unwrap();
    let restoring = open(&database).await;
    let refused = restoring.require_empty().await.unwrap_err();
    assert!(matches!(refused, RestoreError::NotEmpty { .. }), "{refused}");
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    let refused = restoring.begin().await.err().unwrap();
    assert!(matches!(refused, RestoreError::NotEmpty { .. }), "{refused}");
}

async fn a_dump_is_of_one_moment(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let snapshot = catalog.snapshot().await.unwrap();
    stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tracks = snapshot.tables().iter().find(|table| table.name == "track").unwrap();
    assert_eq!(snapshot.page(tracks, None).await.unwrap().rows.len(), 1);
    assert_eq!(snapshot.tracks_between(None, None, 10).await.unwrap().len(), 1);
    drop(snapshot);
    assert_eq!(
        catalog.snapshot().await.unwrap().page(&tracks_of(&catalog).await, None).await.unwrap().rows.len(),
        2
    );
}

async fn tracks_of(catalog: &Catalog) -> DumpTable {
    let snapshot = catalog.snapshot().await.unwrap();
    snapshot.tables().iter().find(|table| table.name == "track").unwrap().clone()
}

/// This includes the rows of a version without a table for the mark.
async fn rows_are_marked_until_the_store_is_tied(database: TestDatabase) {
    let (source, (ambient, _)) = (TestDatabase::sqlite().catalog().await, ambient());
    stored_collection(&source, &ambient).await;
    let (dumped, mut steps) = dump(&source).await;
    steps.retain(|step| step != "m0053_operations");
    let restoring = open(&database).await;
    assert_eq!(restoring.unfinished().await.unwrap(), None, "there is no table at all");
    restoring.prepare(&steps, &|_| {}).await.unwrap();
    assert_eq!(restoring.unfinished().await.unwrap(), None);
    for is_kept in [false, true] {
        let loading = restoring.begin().await.unwrap();
        let (organizations, rows) = &dumped["organization"];
        loading.insert(organizations, rows).await.unwrap();
        loading.mark("20300131T235959.000Z ab").await.unwrap();
        if is_kept {
            loading.commit().await.unwrap();
        }
    }
    let noted = restoring.unfinished().await.unwrap();
    assert_eq!(noted.as_deref(), Some("20300131T235959.000Z ab"));
    restoring.finish(&|_| {}).await.unwrap();

    // The next attempt finds the mark, and tying the store removes it.
    let restoring = open(&database).await;
    assert!(restoring.unfinished().await.unwrap().is_some());
    restoring.finish(&|_| {}).await.unwrap();
    let options = ConnectOptions { migrate: Migrate::Never, ..ConnectOptions::default() };
    let catalog = Catalog::connect(&database.database_url(), options).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    let id = StoreId::new(ambient.short_id());
    tx.replace_store_id(id, ambient.now()).await.unwrap();
    assert!(tx.tie_store(id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    catalog.close().await.unwrap();
    assert_eq!(open(&database).await.unfinished().await.unwrap(), None);
}

async fn pages_are_bounded_in_bytes(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    // One of the rows is larger than a page.
    for bytes in std::iter::repeat_n(300_000, 60).chain([6_000_000]) {
        let mut track = bare_track(&ambient, &collection);
        track.status_reason = Some("x".repeat(bytes));
        stored_track(&catalog, track).await;
    }
    let snapshot = catalog.snapshot().await.unwrap();
    let table = tracks_of(&catalog).await;
    let (mut all, mut last) = (Vec::<DumpRow>::new(), None);
    loop {
        let page = snapshot.page(&table, last.as_ref()).await.unwrap();
        let rows = page.rows;
        let bytes = serde_json::to_string(&rows).unwrap().len();
        assert!(rows.len() <= 1 || bytes < 5_000_000, "{} rows of {bytes} bytes", rows.len());
        all.extend(rows);
        last = page.last;
        if last.is_none() {
            break;
        }
    }
    let mut keys: Vec<String> = all.iter().map(|row| row[table_place(&table, "id")].to_string()).collect();
    keys.dedup();
    assert_eq!(keys.len(), 61);
}

fn table_place(table: &DumpTable, column: &str) -> usize {
    table.columns.iter().position(|found| found.name == column).unwrap()
}
