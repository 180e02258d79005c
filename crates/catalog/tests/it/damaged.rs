//! Rows that cannot be read break no list, and are named.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use tonearm_catalog::{Catalog, CatalogError, DamagedRow, KeyQuery, PurgedTitles};
use tonearm_domain::{
    Ambient, BucketRegion, Collection, Cursor, Deletion, FileData, ImportBucket, KeyState, KeyType,
    LimitOffset, Metadata, Recipe, ShareTarget, Track, TrackFilter, TrackOrder, TrackStatus, VariantIndex,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::odd::Odd;
use crate::samples::*;
use crate::settings::Settings;

crate::on_both!(
    what_cannot_be_read_breaks_no_list,
    no_damaged_column_breaks_a_list,
    a_file_is_made_again_in_place_of_a_damaged_one,
    a_walk_goes_on_behind_what_cannot_be_read,
    what_ends_something_reads_no_more_than_it_needs,
    what_cannot_be_read_can_be_ended,
    what_can_be_restored_loses_nothing,
    what_a_damaged_key_made_can_be_ended,
);

/// What is damaged and in the trash stays as it is.
async fn what_can_be_restored_loses_nothing(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let Whole { settings, collection, track } = Whole::stored(&catalog, &ambient, 1).await;
    let own = settings.organization.id;
    let full = full_track(&ambient, &collection, &creator(&ambient, &settings.organization));
    let (id, index) = (ambient.record_id(), ambient.short_id());
    let track = stored_track(&catalog, Track { id, index, source: full.source, ..track }).await;
    let raw = database.raw().await;
    let damage = format!(
        "UPDATE track SET source_sha256 = {} WHERE source_key IS NOT NULL",
        match raw.get_database_backend() {
            DbBackend::Sqlite => "x'00'",
            _ => "'\\x00'",
        }
    );
    assert_eq!(raw.execute_unprepared(&damage).await.unwrap().rows_affected(), 1);
    let kept = async || {
        let ask = "SELECT length(source_sha256) AS kept FROM track WHERE source_key IS NOT NULL";
        let row = raw.query_one_raw(Statement::from_string(raw.get_database_backend(), ask)).await.unwrap();
        row.map(|row| row.try_get::<i32>("", "kept").unwrap())
    };
    let (at, until) = (ambient.now(), Some(ambient.now().plus_seconds(60)));
    let tx = catalog.begin().await.unwrap();
    assert_eq!(
        tx.track_to_end(own, track.id).await.unwrap().unwrap().source.unwrap().key,
        track.source.unwrap().key
    );
    assert!(tx.soft_delete_track(own, track.id, Deletion { at, restorable_until: until }).await.unwrap());
    let id = track.id.to_string();
    assert!(!tx.blank_ended(&DamagedRow { table: "track", id, is_metadata: false }).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(kept().await, Some(1));
    raw.close().await.unwrap();
}

/// Keys, signing keys and endpoints that a key made are found for its revocation, although they cannot be read.
async fn what_a_damaged_key_made_can_be_ended(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let Whole { settings, .. } = Whole::stored(&catalog, &ambient, 1).await;
    let (own, maker, raw) = (settings.organization.id, settings.share.id, database.raw().await);
    let bucket = ImportBucket {
        organization_id: own,
        bucket: "music".parse().unwrap(),
        endpoint: None,
        region: BucketRegion::default(),
        access_key_id: "id".parse().unwrap(),
        secret: Vec::new(),
        created_at: ambient.now(),
        expires_at: None,
        made_by: None,
    };
    let tx = catalog.begin().await.unwrap();
    tx.put_import_bucket(&bucket).await.unwrap();
    tx.commit().await.unwrap();
    let made_by = match raw.get_database_backend() {
        DbBackend::Sqlite => format!("x'{}'", maker.uuid().simple()),
        _ => format!("'{}'", maker.uuid()),
    };
    for (table, damage) in [
        ("api_key", "api_key_type_id = 'odd'"),
        ("signing_key", "created_at = -9223372036854775807"),
        ("webhook", "kind = 'odd'"),
        ("import_bucket", "region = ''"),
    ] {
        let update = format!("UPDATE {table} SET made_by_key = {made_by}, {damage}");
        assert!(raw.execute_unprepared(&update).await.unwrap().rows_affected() > 0, "{table}");
    }
    raw.close().await.unwrap();
    let tx = catalog.begin().await.unwrap();
    let keys = tx.keys_made_by(own, maker, 10).await.unwrap();
    assert!(keys.iter().any(|key| key.id == settings.key.id), "{keys:?}");
    assert_eq!(tx.signing_keys_made_by(own, maker).await.unwrap()[0].id, settings.signing_key.id);
    let webhooks = tx.webhooks_made_by(own, maker).await.unwrap();
    tx.delete_webhook(&webhooks[0]).await.unwrap();
    assert_eq!(tx.webhooks_made_by(own, maker).await.unwrap(), []);
    assert_eq!(tx.import_buckets_made_by(own, maker).await.unwrap().len(), 1);
    tx.commit().await.unwrap();
}

/// Each column in turn, of whatever type, holds what no version of Tonearm has written.
async fn what_cannot_be_read_can_be_ended(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let Whole { settings, collection, track } = Whole::stored(&catalog, &ambient, 1).await;
    let (own, raw) = (settings.organization.id, database.raw().await);
    let is_sqlite = raw.get_database_backend() == DbBackend::Sqlite;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(own, track.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    let other = Track { id: ambient.record_id(), index: ambient.short_id(), ..track };
    let other = stored_track(&catalog, other).await;
    let mut tried = 0;
    for (table, row) in [
        ("track", other.id.uuid()),
        ("collection", collection.id.uuid()),
        ("variant", settings.recipe.id.uuid()),
        ("api_key", settings.key.id.uuid()),
        ("webhook", settings.webhook.id.uuid()),
        ("person", settings.person.id.uuid()),
    ] {
        let this = if is_sqlite { format!("x'{}'", row.simple()) } else { format!("'{row}'") };
        let all = columns(&raw, table).await;
        let each = all.iter().map(|(column, _)| {
            format!("\"{column}\" = (SELECT \"{column}\" FROM before_{table} WHERE before_{table}.id = {table}.id)")
        });
        let restore = format!("UPDATE {table} SET {}", each.collect::<Vec<_>>().join(", "));
        raw.execute_unprepared(&format!("CREATE TABLE before_{table} AS SELECT * FROM {table}"))
            .await
            .unwrap();
        for (column, kind) in all {
            let kind = kind.to_lowercase();
            let odd = match kind.contains("json") {
                true => "'\"odd\"'",
                false if is_sqlite || ["text", "char"].iter().any(|it| kind.contains(it)) => "'\u{1}odd'",
                false if kind.contains("bigint") => "9223372036854775807",
                false => continue,
            };
            let is_own =
                column.ends_with("_id") && !column.ends_with("type_id") && column != "track_status_id";
            let is_found_by = is_own || column == "key_hash";
            let damage = format!("UPDATE {table} SET \"{column}\" = {odd} WHERE id = {this}");
            let is_damaged = !is_found_by && raw.execute_unprepared(&damage).await.is_ok();
            if is_damaged && !["deleted_at"].contains(&column.as_str()) {
                tried += 1;
                let what = format!("{table}.{column}");
                let tx = catalog.begin().await.unwrap();
                let at = ambient.now();
                let found = match table {
                    "track" => {
                        let ended = tx.track_to_end(own, other.id).await.expect(&what).unwrap();
                        if let ("source_size" | "source_sha256", Some(source)) = (&column[..], &ended.source)
                        {
                            assert_eq!(source.key, other.source.as_ref().unwrap().key, "{what}");
                        }
                        // Sums of these overflow.
                        if is_sqlite || !["stored_bytes", "cover_bytes"].contains(&column.as_str()) {
                            tx.soft_delete_track(own, ended.id, at).await.expect(&what);
                        }
                        ended.id.uuid()
                    }
                    "collection" => {
                        let ended = tx.collection_to_end(own, collection.id).await.expect(&what).unwrap();
                        tx.soft_delete_collection(own, ended.id, at).await.expect(&what);
                        ended.id.uuid()
                    }
                    "variant" => {
                        let ended = tx.recipe_to_end(own, settings.recipe.id).await.expect(&what).unwrap();
                        tx.soft_delete_recipe(own, ended.id, at).await.expect(&what);
                        ended.id.uuid()
                    }
                    "api_key" => {
                        let ended = tx.api_key_to_revoke(own, settings.key.id).await.expect(&what).unwrap();
                        tx.revoke_api_key(own, ended.id, at).await.expect(&what);
                        ended.id.uuid()
                    }
                    "webhook" => {
                        let ended = tx.webhook_to_end(own, settings.webhook.id).await.expect(&what).unwrap();
                        tx.delete_webhook(&ended).await.expect(&what);
                        ended.id.uuid()
                    }
                    _ => tx.person_to_end(settings.person.id).await.expect(&what).unwrap().id.uuid(),
                };
                assert_eq!(found, row, "{what}");
                // A row that is removed takes its damage along.
                if !["webhook", "person"].contains(&table) {
                    tx.commit().await.unwrap();
                    let named = |row: DamagedRow| assert!(row.is_metadata, "{what}: {row:?}");
                    catalog.each_damaged_row(named).await.expect(&what);
                }
            }
            raw.execute_unprepared(&restore).await.unwrap();
        }
        raw.execute_unprepared(&format!("DROP TABLE before_{table}")).await.unwrap();
    }
    assert!(tried > 40, "{tried}");

    // What was ended before is blanked by `verify`.
    let mut odd = vec!["deleted_at"];
    if is_sqlite {
        odd.push("created_at");
    }
    let value = if is_sqlite { "'odd'" } else { "9223372036854775807" };
    for column in odd {
        let damage = format!("UPDATE track SET {column} = {value} WHERE deleted_at IS NOT NULL");
        assert_eq!(raw.execute_unprepared(&damage).await.unwrap().rows_affected(), 1, "{column}");
    }
    raw.close().await.unwrap();
    let mut named = Vec::new();
    catalog.each_damaged_row(|row| named.push(row)).await.unwrap();
    let [named] = &named[..] else { panic!("{named:?}") };
    assert_eq!((named.table, &named.id), ("track", &track.id.to_string()));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.blank_ended(named).await.unwrap());
    tx.commit().await.unwrap();
    catalog.each_damaged_row(|row| panic!("{row:?}")).await.unwrap();
    let (_, tracks) =
        catalog.tracks_in_collection(own, collection.id, None, LimitOffset::default()).await.unwrap();
    assert_eq!(tracks.iter().map(|it| it.id).collect::<Vec<_>>(), [other.id], "nothing comes back");
}

async fn what_ends_something_reads_no_more_than_it_needs(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let Whole { settings, collection, track } = Whole::stored(&catalog, &ambient, 1).await;
    let own = settings.organization.id;
    let raw = database.raw().await;
    for damage in [
        "UPDATE track SET info = '7'",
        "UPDATE collection SET theme = '7'",
        "UPDATE organization SET theme = '7'",
        "UPDATE membership SET role = 'odd'",
    ] {
        assert_eq!(raw.execute_unprepared(damage).await.unwrap().rows_affected(), 1, "{damage}");
    }
    let tx = catalog.begin().await.unwrap();
    assert!(tx.track(own, track.id).await.is_err());
    assert_eq!(tx.collection_of_track(own, track.id).await.unwrap(), Some(collection.id));
    assert_eq!(tx.organization_ids().await.unwrap(), [own]);
    assert_eq!(tx.organizations_with(settings.person.id).await.unwrap(), [own]);
    assert_eq!(tx.tracks_to_change(own, &[track.id]).await.unwrap(), []);
    tx.commit().await.unwrap();
    let objects = catalog.objects_of_deleted_track(own, track.id).await.unwrap().unwrap();
    assert_eq!((objects.folder, objects.source), (Some(track.index), None));
    let objects = catalog.objects_of_deleted_collection(own, collection.id).await.unwrap().unwrap();
    assert_eq!(objects.folder, Some(collection.folder));
    raw.close().await.unwrap();
}

async fn a_walk_goes_on_behind_what_cannot_be_read(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = full_organization(&ambient);
    let creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    let mut collections = Vec::new();
    for _ in 0..2 {
        let collection = full_collection(&ambient, &organization, &creator);
        tx.insert_collection(&collection).await.unwrap();
        tx.insert_track(&full_track(&ambient, &collection, &creator)).await.unwrap();
        collections.push(collection.id);
    }
    tx.commit().await.unwrap();
    let is_bytewise = catalog.orders_bytewise().await.unwrap();
    let first = async || {
        let tracks = catalog.tracks_between(is_bytewise, None, None, 1).await.unwrap();
        let owners = catalog.covered_collections(None, 1).await.unwrap();
        (tracks.into_iter().map(|track| track.id).next(), owners.into_iter().map(|owner| owner.owner).next())
    };
    let before = first().await;
    assert!(before.0.is_some() && before.1.is_some());
    let raw = database.raw().await;
    for (table, column, id) in [
        ("track", "source_key", before.0.map(|id| id.to_string()).unwrap()),
        ("collection", "cover_origin", collections.iter().min().unwrap().to_string()),
    ] {
        let id = match database.url.starts_with("sqlite") {
            true => format!("x'{}'", id.replace('-', "")),
            false => format!("'{id}'"),
        };
        let damage = format!("UPDATE {table} SET {column} = 'odd' WHERE id = {id}");
        assert_eq!(raw.execute_unprepared(&damage).await.unwrap().rows_affected(), 1, "{table}");
    }
    let after = first().await;
    assert!(after.0.is_some() && after.0 != before.0, "{after:?}");
    assert!(after.1.is_some() && after.1 != before.1, "{after:?}");
    raw.close().await.unwrap();
}

async fn what_cannot_be_read_breaks_no_list(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, mut collection) = stored_collection(&catalog, &ambient).await;
    let mut creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    let [sound, damaged] = [(); 2].map(|()| bare_track(&ambient, &collection));
    let [sound, mut damaged] = [stored_track(&catalog, sound).await, stored_track(&catalog, damaged).await];
    let raw = database.raw().await;
    let unreadable = if database.url.starts_with("sqlite") { "{\"x\":" } else { "{\"x\":1e400}" };
    for (table, condition) in [
        ("track", format!("track_order = {}", damaged.order)),
        ("collection", "1 = 1".to_owned()),
        ("creator", "1 = 1".to_owned()),
    ] {
        let update = format!("UPDATE {table} SET metadata = '{unreadable}' WHERE {condition}");
        assert_eq!(raw.execute_unprepared(&update).await.unwrap().rows_affected(), 1);
    }
    let own = organization.id;
    let window = LimitOffset::default();
    let read = async || {
        let (_, tracks) = catalog.tracks_in_collection(own, collection.id, None, window).await.unwrap();
        tracks
    };
    assert_eq!(read().await[0], sound);
    assert!(read().await[1].metadata.is_damaged());
    assert!(catalog.track(own, damaged.id).await.unwrap().unwrap().metadata.is_damaged());
    assert!(catalog.creators(own, window).await.unwrap().1[0].metadata.is_damaged());
    assert!(catalog.collections(own, None, window).await.unwrap().1[0].metadata.is_damaged());
    let mut named = Vec::new();
    catalog.each_damaged_row(|row| named.push((row.table, row.id, row.is_metadata))).await.unwrap();
    let expected = [
        ("track", damaged.id.to_string(), true),
        ("collection", collection.id.to_string(), true),
        ("creator", creator.id.to_string(), true),
    ];
    assert_eq!(named, expected);

    // Other fields change, and what cannot be read stays for whoever can.
    let kept = async |table: &str| {
        let ask = format!("SELECT CAST(metadata AS text) AS kept FROM {table} ORDER BY id");
        let ask = Statement::from_string(raw.get_database_backend(), ask);
        let rows = raw.query_all_raw(ask).await.unwrap();
        rows.iter().filter(|row| row.try_get::<String>("", "kept").unwrap().contains("\"x\"")).count()
    };
    damaged.metadata = Metadata::damaged();
    (collection.metadata, creator.metadata) = (Metadata::damaged(), Metadata::damaged());
    damaged.player_title = Some("Renamed".to_owned());
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&damaged).await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    tx.update_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read_titles(&catalog, &collection).await, [None, Some("Renamed".to_owned())]);
    for table in ["track", "collection", "creator"] {
        assert_eq!(kept(table).await, 1, "{table}");
    }

    // Other metadata takes its place, and it does not keep the track from being purged.
    damaged.metadata = rich_metadata();
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&damaged).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.track(own, damaged.id).await.unwrap().unwrap().metadata, rich_metadata());
    let spoil = format!("UPDATE track SET metadata = '{unreadable}'");
    raw.execute_unprepared(&spoil).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(own, damaged.id, ambient.now()).await.unwrap());
    assert!(tx.purge_track(own, damaged.id, ambient.now(), PurgedTitles::Removed).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(kept("track").await, 1);
}

/// The columns of a table, besides its id, that hold text or JSON, and their types.
async fn text_columns(raw: &DatabaseConnection, table: &str) -> Vec<(String, String)> {
    let is_text = |(_, kind): &(String, String)| {
        let kind = kind.to_lowercase();
        ["text", "char", "json"].iter().any(|it| kind.contains(it))
    };
    columns(raw, table).await.into_iter().filter(is_text).collect()
}

/// The columns of a table, besides its id, and their types.
async fn columns(raw: &DatabaseConnection, table: &str) -> Vec<(String, String)> {
    let ask = match raw.get_database_backend() {
        DbBackend::Sqlite => format!("SELECT name, type AS kind FROM pragma_table_info('{table}')"),
        _ => format!(
            "SELECT column_name AS name, data_type AS kind FROM information_schema.columns WHERE table_name = '{table}'"
        ),
    };
    let rows = raw.query_all_raw(Statement::from_string(raw.get_database_backend(), ask)).await.unwrap();
    let column = |row: &sea_orm::QueryResult| -> (String, String) {
        (row.try_get("", "name").unwrap(), row.try_get("", "kind").unwrap())
    };
    rows.iter().map(column).filter(|column| column.0 != "id").collect()
}

/// An organization with a track that has two files.
struct Whole {
    settings: Settings,
    collection: Collection,
    track: Track,
}

impl Whole {
    async fn stored(catalog: &Catalog, ambient: &Ambient, seed: u64) -> Self {
        let mut settings = Settings::new(&Odd::new(seed), ambient);
        let organization = &settings.organization;
        let collection = bare_collection(ambient, organization);
        let creator = creator(ambient, organization);
        let track = Track { status: TrackStatus::Ready, ..bare_track(ambient, &collection) };
        let other = recipe(ambient, organization, None, "other", 1);
        let files = [&settings.recipe, &other].map(|it| made_file(ambient, &track, it, FileData::NONE));
        let tx = catalog.begin().await.unwrap();
        tx.insert_organization(organization).await.unwrap();
        tx.insert_collection(&collection).await.unwrap();
        tx.insert_creator(&creator).await.unwrap();
        settings.share_with(&collection);
        settings.store(&tx).await;
        tx.insert_recipe(&other).await.unwrap();
        tx.insert_track(&track).await.unwrap();
        for file in &files {
            tx.put_track_file(file).await.unwrap();
        }
        tx.commit().await.unwrap();
        Self { settings, collection, track }
    }

    /// The number of rows of every list.
    async fn lists(&self, catalog: &Catalog) -> Result<Vec<usize>, CatalogError> {
        let (own, collection, window) =
            (self.settings.organization.id, self.collection.id, LimitOffset::default());
        let keys = KeyQuery {
            key_types: KeyType::ALL.to_vec(),
            state: KeyState::Valid,
            words: None,
            cursor: Cursor::First,
            limit: 50,
        };
        let (filter, order) = (TrackFilter::default(), TrackOrder::default());
        let (mut position, mut looked_up) = (None, 0);
        // A part without rows leads to the next one.
        loop {
            let part = Box::pin(catalog.look_up_tracks(own, &filter, order, (position.as_ref(), 1))).await?;
            looked_up += part.rows.len();
            position = part.next;
            if position.is_none() {
                break;
            }
        }
        let mut playable = 0;
        catalog.each_playable_track(own, collection, None, |_| playable += 1).await?;
        let shared = VariantIndex::from_static("other");
        let share = ShareTarget::Collection(collection);
        Ok(vec![
            looked_up,
            playable,
            catalog.tracks_in_collection(own, collection, None, window).await?.1.len(),
            catalog.shared_tracks(own, collection, None, &shared, (None, 50)).await?.0.len(),
            catalog.files_of_track(self.track.id).await?.len(),
            catalog.files_of_tracks(&[self.track.id]).await?.len(),
            catalog.collections(own, None, window).await?.1.len(),
            catalog.creators(own, window).await?.1.len(),
            catalog.organizations().await?.len(),
            catalog.recipes(own).await?.len(),
            catalog.recipes_for_track(own, self.track.id).await?.len(),
            catalog.api_keys(own).await?.len(),
            catalog.api_key_page(own, None, window).await?.1.len(),
            catalog.key_page(own, &keys, self.collection.created_at).await?.rows.len(),
            catalog.share_keys(own, share, None, 1).await?.len(),
            catalog.signing_keys(own).await?.len(),
            catalog.signing_key_page(own, window).await?.1.len(),
            catalog.webhooks(own).await?.len(),
            catalog.people().await?.len(),
            catalog.person_page(None, Cursor::First, 50).await?.rows.len(),
            catalog.members(own).await?.len(),
            catalog.organizations_of(self.settings.person.id).await?.len(),
            catalog.open_invitations(own).await?.len(),
        ])
    }
}

const DAMAGED: [&str; 11] = [
    "track",
    "collection",
    "creator",
    "organization",
    "variant",
    "track_file",
    "api_key",
    "signing_key",
    "webhook",
    "person",
    "invitation",
];

/// Each column in turn holds what no version of Tonearm has written: the row is left out of lists and named.
async fn no_damaged_column_breaks_a_list(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let both = [Whole::stored(&catalog, &ambient, 1).await, Whole::stored(&catalog, &ambient, 2).await];
    let rows = async |what: &str| {
        let [one, other] = &both;
        let mut rows = one.lists(&catalog).await.expect(what);
        rows.extend(other.lists(&catalog).await.expect(what));
        rows
    };
    let (raw, sound, mut tried) = (database.raw().await, rows("sound").await, 0);
    for table in DAMAGED {
        for (column, kind) in text_columns(&raw, table).await {
            let odd = if kind.to_lowercase().contains("json") { "\"odd\"" } else { "\u{1}odd" };
            let (before, first) =
                (format!("before_{table}_{column}"), format!("SELECT min(CAST(id AS text)) FROM {table}"));
            raw.execute_unprepared(&format!("CREATE TABLE {before} AS SELECT * FROM {table}")).await.unwrap();
            let damage = format!("UPDATE {table} SET {column} = '{odd}' WHERE CAST(id AS text) = ({first})");
            // Some columns refer to others.
            if raw.execute_unprepared(&damage).await.is_ok() {
                tried += 1;
                let what = format!("{table}.{column}");
                let left = rows(&what).await;
                assert!(left.iter().zip(&sound).all(|(left, sound)| left + 1 >= *sound), "{what}: {left:?}");
                let mut named = Vec::new();
                catalog.each_damaged_row(|row| named.push(row)).await.expect(&what);
                assert!(named.len() <= 1 && named.iter().all(|row| row.table == table), "{what}: {named:?}");
                let is_left_out = named.iter().any(|row| !row.is_metadata);
                assert_eq!(left != sound, is_left_out, "{what}: {left:?} {named:?}");
                let restore = format!(
                    "UPDATE {table} SET {column} = (SELECT {column} FROM {before} WHERE {before}.id = {table}.id)"
                );
                raw.execute_unprepared(&restore).await.unwrap();
                assert_eq!(rows(&what).await, sound, "{what}");
            }
            raw.execute_unprepared(&format!("DROP TABLE {before}")).await.unwrap();
        }
    }
    assert!(tried > 60, "{tried}");
    raw.close().await.unwrap();
}

async fn a_file_is_made_again_in_place_of_a_damaged_one(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let Whole { settings, track, .. } = Whole::stored(&catalog, &ambient, 1).await;
    let first = "SELECT min(CAST(id AS text)) FROM track_file";
    let damage = format!("UPDATE track_file SET data = '7' WHERE CAST(id AS text) = ({first})");
    let raw = database.raw().await;
    assert_eq!(raw.execute_unprepared(&damage).await.unwrap().rows_affected(), 1);
    let tx = catalog.begin().await.unwrap();
    let files = tx.files_of_track(track.id).await.unwrap();
    let recipes = tx.recipes_for_track(settings.organization.id, track.id).await.unwrap();
    let is_missing = |recipe: &&Recipe| files.iter().all(|file| file.recipe.id != recipe.id);
    let missing: Vec<&Recipe> = recipes.iter().filter(is_missing).collect();
    assert_eq!((files.len(), missing.len()), (1, 1));
    tx.put_track_file(&made_file(&ambient, &track, missing[0], FileData::NONE)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.files_of_track(track.id).await.unwrap().len(), 2);
    catalog.each_damaged_row(|row| panic!("{row:?}")).await.unwrap();
}

async fn read_titles(catalog: &Catalog, collection: &Collection) -> Vec<Option<String>> {
    let window = LimitOffset::default();
    let (_, tracks) =
        catalog.tracks_in_collection(collection.organization_id, collection.id, None, window).await.unwrap();
    tracks.into_iter().map(|track| track.player_title).collect()
}
