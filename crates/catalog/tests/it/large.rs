//! Lists and look-ups in a library of 100,000 tracks. None of them reads more rows than its page needs. The test checks
//! the statements that the code runs, with the plans that the databases choose for them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use serde_json::Value as Json;
use tonearm_catalog::{AuditFilter, Catalog, DeliveryFilter, UsageFilter};
use tonearm_domain::{
    AuditEntryId, CollectionSort, CreatorId, Cursor, Day, DeliveryState, KeyScope, LimitOffset, ListPosition,
    OrganizationId, PageQuery, SearchWords, SortValue, Timestamp, TrackFilter, TrackOrder, TrackOrderKey,
    TrackSort, TrackStatus, VariantIndex,
};
use tonearm_fixtures::{Collections, Dialect, LargeLibrary, ambient};

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(no_list_or_look_up_reads_many_rows);

/// The maximum number of rows that one part of a plan may process: the rows of a search that are counted, plus a
/// margin.
const MOST_ROWS: f64 = 2500.0;

/// Tables that are large in this test.
const LARGE: [&str; 8] = [
    "track",
    "track_file",
    "track_search",
    "track_search_trigram",
    "usage",
    "audit_entry",
    "webhook_delivery",
    "collection",
];

struct Library {
    catalog: Catalog,
    rows: LargeLibrary,
    /// The creator of half of the tracks, and the creator of a few.
    creators: [CreatorId; 2],
}

async fn filled(database: &TestDatabase) -> Library {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let [hq, levels] = ["hq", "levels"].map(|name| recipe(&ambient, &organization, None, name, 0));
    let webhook = LargeLibrary::endpoint(ambient.record_id(), organization.id, ambient.now());
    let tx = catalog.begin().await.unwrap();
    for recipe in [&hq, &levels] {
        tx.insert_recipe(recipe).await.unwrap();
    }
    tx.put_webhook(&webhook).await.unwrap();
    tx.commit().await.unwrap();
    let group = |count, tracks| Collections { count, tracks };
    let rows = LargeLibrary {
        dialect: Dialect::of_url(&database.url),
        organization_id: organization.id,
        hq: hq.id,
        levels: levels.id,
        collections: vec![group(1, 20_000), group(1, 20), group(1999, 40)],
        last_day: Day::of(ambient.now()),
        days: 3,
        played_each_day: 5000,
        audit: 100_000,
        deliveries: Some((webhook.id, 100_000)),
    };
    let raw = database.raw().await;
    for statement in rows.statements() {
        raw.execute_unprepared(&statement).await.unwrap();
    }
    let creators = [(); 2].map(|()| creator(&ambient, &organization));
    let tx = catalog.begin().await.unwrap();
    for creator in &creators {
        tx.insert_creator(creator).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (condition, creator, index) in
        [("track_order % 2 = 0", &creators[0], "'often'"), ("track_order = 31", &creators[1], "file_name")]
    {
        let creator = match rows.dialect {
            Dialect::Sqlite => format!("x'{}'", creator.id.uuid().simple()),
            Dialect::Postgres => format!("'{}'", creator.id),
        };
        let update = format!(
            "UPDATE track SET creator_id = {creator}, organization_index = {index} WHERE {condition}"
        );
        raw.execute_unprepared(&update).await.unwrap();
    }
    let few_failed = "UPDATE track SET track_status_id = 'error', status_rank = 0 WHERE track_order = 17";
    raw.execute_unprepared(few_failed).await.unwrap();
    let creators = creators.map(|creator| creator.id);
    if rows.dialect == Dialect::Postgres {
        // The updates have left as much dead space as the tracks take.
        raw.execute_unprepared("VACUUM FULL track").await.unwrap();
        // On a busy machine, the server would take other samples of the rows while the statements are explained.
        raw.execute_unprepared(
            "DO $$ DECLARE t regclass; BEGIN \
             FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace LOOP \
             EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t); END LOOP; END $$",
        )
        .await
        .unwrap();
        raw.execute_unprepared("VACUUM ANALYZE").await.unwrap();
    }
    Library { catalog, rows, creators }
}

/// All queries of people, players and nodes that must not grow with the library.
async fn ask_for_everything(library: &Library) {
    let Library { catalog, rows, creators } = library;
    let own = rows.organization_id;
    let [large, small] = [0, 1].map(LargeLibrary::collection);
    let [first, middle] = [0, 15_000].map(LargeLibrary::track);
    let page = |offset| LimitOffset::new(Some(50), Some(offset)).unwrap();
    for (collection, offset) in [(large, 0), (large, 9_800), (large, 19_950), (small, 0)] {
        let (_, found) = catalog.tracks_in_collection(own, collection, None, page(offset)).await.unwrap();
        assert!(found.len() >= 20);
    }
    catalog.tracks_in_collection(own, large, Some(middle), page(0)).await.unwrap();
    catalog.track(own, middle).await.unwrap().unwrap();
    catalog.track_is_living(own, middle).await.unwrap();
    catalog.files_of_track(middle).await.unwrap();
    catalog.files_of_tracks(&[first, middle]).await.unwrap();
    catalog.manifest(own, LargeLibrary::word(15_000).parse().unwrap()).await.unwrap();
    let hq = VariantIndex::from_static("hq");
    catalog.shared_tracks(own, large, None, &hq, (None, 1000)).await.unwrap();
    catalog.shared_tracks(own, large, None, &hq, (Some(middle), 1000)).await.unwrap();
    catalog.shared_tracks(own, large, Some(middle), &hq, (None, 1000)).await.unwrap();
    catalog.collection(own, large).await.unwrap().unwrap();
    catalog.collections(own, Some(large), page(0)).await.unwrap();
    catalog.recipes(own).await.unwrap();
    catalog.recipes_for_track(own, middle).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    tx.own_variants(own, KeyScope::Organization, &["own"]).await.unwrap();
    drop(tx);
    lists(catalog, own).await;
    look_ups(catalog, own, creators).await;
    logs(catalog, own).await;
    usage(catalog, rows).await;
}

/// Every list in the dashboard, at its beginning and in its middle.
async fn lists(catalog: &Catalog, own: OrganizationId) {
    let middle = LargeLibrary::track(15_000);
    for within in [None, Some(LargeLibrary::collection(0))] {
        for sort in TrackSort::ALL {
            for cursor in [Cursor::First, Cursor::After(middle), Cursor::Before(middle)] {
                let query = PageQuery { words: None, sort, cursor, limit: 50 };
                assert_eq!(catalog.track_page(own, within, &query).await.unwrap().rows.len(), 50);
            }
        }
        for text in ["take", &LargeLibrary::word(15_000), "take nowhere"] {
            let query = PageQuery {
                words: SearchWords::parse(text),
                sort: TrackSort::Newest,
                cursor: Cursor::First,
                limit: 50,
            };
            catalog.track_page(own, within, &query).await.unwrap();
        }
    }
    for sort in CollectionSort::ALL {
        let cursor = Cursor::After(LargeLibrary::collection(1000));
        let query = PageQuery { words: None, sort, cursor, limit: 50 };
        assert_eq!(catalog.collection_page(own, &query).await.unwrap().rows.len(), 50);
    }
    let (now, nowhere) = (ambient().0.now(), Cursor::First);
    catalog.trashed_tracks(own, now, nowhere, 50).await.unwrap();
    catalog.trashed_collections(own, now, Cursor::First, 50).await.unwrap();
}

/// Look-ups by API clients: filters that match many tracks, few and none, alone and combined, in every order.
async fn look_ups(catalog: &Catalog, own: OrganizationId, [often, seldom]: &[CreatorId; 2]) {
    let none = TrackFilter::default;
    let index = |text: &str| Some(text.to_owned());
    let (many, few) =
        (Some(vec![TrackStatus::Ready]), Some(vec![TrackStatus::Error, TrackStatus::InitError]));
    let often_ready = TrackFilter { creator: Some(*often), statuses: many.clone(), ..none() };
    let late = LargeLibrary::track(15_000).uuid().get_timestamp().map(|at| at.to_unix().0 as i64);
    let filters = [
        none(),
        often_ready.clone(),
        TrackFilter { creator: Some(*seldom), ..none() },
        TrackFilter { organization_index: index("often"), ..none() },
        TrackFilter { organization_index: index("often"), creator: Some(*seldom), ..none() },
        TrackFilter { organization_index: index("nothing"), ..none() },
        TrackFilter { statuses: few, ..none() },
        TrackFilter { words: SearchWords::parse("take"), ..often_ready.clone() },
        TrackFilter { words: SearchWords::parse(&LargeLibrary::word(15_000)), ..none() },
        TrackFilter { created_since: late.and_then(Timestamp::from_unix_seconds), ..often_ready },
        // Matches no track, which no index can show.
        TrackFilter {
            words: SearchWords::parse("take"),
            organization_index: index("often"),
            creator: Some(*often),
            statuses: Some(vec![TrackStatus::Ready, TrackStatus::Initialized]),
            ..none()
        },
    ];
    for filter in filters {
        for collection in [None, Some(LargeLibrary::collection(0))] {
            let filter = TrackFilter { collection, ..filter.clone() };
            for key in TrackOrderKey::ALL {
                for is_descending in [false, true] {
                    let order = TrackOrder { key, is_descending };
                    if key == TrackOrderKey::Order && collection.is_none() {
                        continue;
                    }
                    let first = catalog.look_up_tracks(own, &filter, order, (None, 50)).await.unwrap();
                    let from = (first.next.as_ref(), 50);
                    catalog.look_up_tracks(own, &filter, order, from).await.unwrap();
                }
            }
        }
    }
    let large = LargeLibrary::collection(0);
    let middle = ListPosition { value: SortValue::Integer(15_000), id: LargeLibrary::track(15_000).uuid() };
    catalog.tracks_after(own, large, None, (Some(&middle), 50)).await.unwrap();
    let middle = ListPosition::of_id(LargeLibrary::collection(1000).uuid());
    catalog.collections_after(own, None, (Some(&middle), 50)).await.unwrap();
}

async fn logs(catalog: &Catalog, own: OrganizationId) {
    let action = |action: &str| AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
    let of_track = AuditFilter { subject_id: Some(LargeLibrary::track(5).uuid()), ..AuditFilter::default() };
    let by_nobody = AuditFilter { actor_id: Some(own.uuid()), ..AuditFilter::default() };
    for (filter, expected) in [
        (AuditFilter::default(), 50),
        (action("track.restore"), 50),
        (action("track"), 50),
        (action("collection"), 0),
        (action("unknown"), 0),
        (of_track, 1),
        (by_nobody, 0),
    ] {
        let before: Option<AuditEntryId> = None;
        let found = catalog.audit_entries(Some(own), &filter, before, 50).await.unwrap();
        assert_eq!(found.len(), expected, "{filter:?}");
    }
    let webhook = catalog.webhooks(own).await.unwrap()[0].id;
    for webhook_id in [None, Some(webhook)] {
        for state in [None, Some(DeliveryState::Failed), Some(DeliveryState::Pending)] {
            let filter = DeliveryFilter { webhook_id, state };
            catalog.deliveries(own, filter, None, 50).await.unwrap();
        }
    }
}

/// All usage queries except the ranking by track, which reads a row for each track and day.
async fn usage(catalog: &Catalog, rows: &LargeLibrary) {
    let (large, middle) = (LargeLibrary::collection(0), LargeLibrary::track(15_000));
    for scope in [KeyScope::Organization, KeyScope::Collection(large), KeyScope::Track(large, middle)] {
        let from = rows.last_day.plus_days(-29);
        let filter = UsageFilter { organization_id: rows.organization_id, from, to: rows.last_day, scope };
        catalog.total_usage(&filter).await.unwrap();
        catalog.usage_by_day(&filter).await.unwrap();
        catalog.usage_by_variant(&filter, LimitOffset::default()).await.unwrap();
        catalog.storage_by_track(rows.organization_id, scope, LimitOffset::default()).await.unwrap();
    }
}

async fn no_list_or_look_up_reads_many_rows(database: TestDatabase) {
    let library = filled(&database).await;
    let seen: Arc<Mutex<Vec<Statement>>> = Arc::default();
    library.catalog.watch_statements({
        let seen = Arc::clone(&seen);
        move |statement| seen.lock().unwrap_or_else(PoisonError::into_inner).push(statement.clone())
    });
    ask_for_everything(&library).await;
    let mut statements = std::mem::take(&mut *seen.lock().unwrap());
    let is_read = |statement: &Statement| statement.sql.starts_with("SELECT");
    statements.retain(|statement| is_read(statement) && statement.sql.contains("FROM"));
    // Each statement once: there are hundreds of different ones, and some are repeated often.
    let mut asked = HashSet::new();
    statements.retain(|statement| asked.insert(statement.to_string()));
    assert!(statements.len() > 100, "{}", statements.len());
    // Statements are prepared on the connection that runs them.
    let mut options = ConnectOptions::new(&database.url);
    let raw = Database::connect(options.max_connections(1).to_owned()).await.unwrap();
    let mut slow = Vec::new();
    for statement in statements {
        let found = match library.rows.dialect {
            Dialect::Sqlite => scans(&raw, &statement).await,
            Dialect::Postgres => reads(&raw, &statement).await,
        };
        slow.extend(found.map(|why| format!("{why}\n{statement}\n")));
    }
    slow.sort();
    slow.dedup();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// The part of the plan in which SQLite would scan a whole table or list, if there is one.
async fn scans(raw: &DatabaseConnection, statement: &Statement) -> Option<String> {
    let explain = Statement::from_string(DbBackend::Sqlite, format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = raw.query_all_raw(explain).await.unwrap();
    let steps: Vec<String> = rows.iter().map(|row| row.try_get("", "detail").unwrap()).collect();
    let is_bad = |step: &String| {
        let table = step.strip_prefix("SCAN ").and_then(|step| step.split(' ').next());
        table.is_some_and(|table| LARGE.contains(&table) && !step.contains("VIRTUAL TABLE"))
            || step.contains("USE TEMP B-TREE FOR ORDER BY") && !is_short(statement)
    };
    steps.iter().any(is_bad).then(|| steps.join("\n"))
}

/// Whether a sort has few rows: search results, a page, or recipes.
fn is_short(statement: &Statement) -> bool {
    [" IN (", " UNION ALL ", "FROM \"variant\"", "FROM \"webhook\""]
        .iter()
        .any(|part| statement.sql.contains(part))
}

/// The plan in which PostgreSQL reads many rows, if there is one. Checks the plan for these values, and the generic
/// plan, which it switches to after five executions.
async fn reads(raw: &DatabaseConnection, statement: &Statement) -> Option<String> {
    let values: Vec<String> = statement.values.iter().flat_map(|values| &values.0).map(literal).collect();
    let arguments = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    // Searches are planned for their values each time.
    let is_search = ["FROM \"track_search\" INNER JOIN", "FROM \"track_search\" WHERE", "LIMIT 1001"]
        .iter()
        .any(|part| statement.sql.contains(part));
    for mode in ["force_custom_plan", "force_generic_plan"] {
        if is_search && mode == "force_generic_plan" {
            continue;
        }
        for set_up in [format!("SET plan_cache_mode = {mode}"), format!("PREPARE asked AS {}", statement.sql)]
        {
            raw.execute_unprepared(&set_up).await.unwrap();
        }
        let explain = format!("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked{arguments}");
        let explain = Statement::from_string(DbBackend::Postgres, explain);
        let plan: Json = raw.query_one_raw(explain).await.unwrap().unwrap().try_get_by_index(0).unwrap();
        raw.execute_unprepared("DEALLOCATE asked").await.unwrap();
        let most = most_rows(&plan[0]["Plan"]);
        if most > MOST_ROWS {
            return Some(format!("{mode}: {most} rows\n{plan:#}"));
        }
    }
    None
}

fn literal(value: &sea_orm::Value) -> String {
    let select = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT $1", [value.clone()]);
    select.to_string().trim_start_matches("SELECT ").to_owned()
}

/// The largest number of rows that one part of a plan returned or discarded.
fn most_rows(plan: &Json) -> f64 {
    let number = |name: &str| plan[name].as_f64().unwrap_or(0.0);
    let thrown = ["Rows Removed by Filter", "Rows Removed by Index Recheck", "Rows Removed by Join Filter"];
    let own = (number("Actual Rows") + thrown.map(number).iter().sum::<f64>()) * number("Actual Loops");
    let parts = plan["Plans"].as_array().into_iter().flatten().map(most_rows);
    parts.fold(own, f64::max)
}
