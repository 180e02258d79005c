//! Databases of an earlier version: their contents mean the same after the upgrade.

use sea_orm::{ConnectionTrait, Statement};
use tonearm_catalog::{AuditFilter, Catalog, StorageUsage};
use tonearm_domain::{
    ApiKey, AuditAction, AuditEntry, Cursor, Deletion, Job, KeyScope, LimitOffset, NamedRecipes, Origin,
    PageQuery, Person, PersonIdentity, QuotaUsage, Recipe, SearchWords, Selection, Source, Theme, Track,
    TrackSort, VariantList,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

tonearm_fixtures::on_both_empty!(
    titles_and_themes_are_found,
    tracks_without_manifests_get_a_job,
    tracks_are_counted,
    texts_are_folded_again,
    people_who_were_linked_are_claimed,
    urls_leave_the_audit_log,
    keys_know_their_recipes,
);

/// A step, and the statements that undo it. A `SELECT` returns statements.
type Step = (&'static str, &'static [&'static str]);

/// All steps that can be undone, the newest first.
const UNDOABLE: &[Step] = &[
    PLAYED,
    KEY_RECIPES,
    INNER_WORDS,
    SESSION_RECIPES,
    BUCKET_MAKERS,
    TEXT_CHANGES,
    FORMER_SOURCES,
    IMPORT_MAKERS,
    PLAIN_LETTERS,
    UPLOAD_MAKERS,
    REPLACED_BYTES,
    FORMER_FILES,
    UPLOAD_OPENERS,
    COUNTED_CHANGES,
    WORK_IN_PROGRESS,
    EVENT_VERSIONS,
    ARRIVED,
    RECORD_COUNTS,
    EXCERPTS,
    COVER_BASIS,
    FOLDING,
    KEY_LIST,
    ANSWERED_STATUSES,
    HANDLES,
    MAKERS,
    TAKEN_ADDRESSES,
    FACTOR_SETUPS,
    CLAIMED_PEOPLE,
    COVER_OBJECTS,
    NODE_SECRETS,
    OPERATIONS,
    TRACES,
    HOLDS,
    NODES,
    CERTIFICATES,
    ROTATIONS,
    COUNTRIES,
    LANGUAGE,
    IDENTITIES,
    FACTORS,
    UNDO,
    UPLOAD_PERSONS,
    PEOPLE,
    SHARES,
    LISTENS,
    BUCKETS,
    REPLACEMENTS,
    SOURCES,
    UPLOADS,
    IMPORTS,
    LOOKUP,
    QUOTAS,
    ALBUMS,
    CACHE,
    DEVICES,
    TOTALS,
    RETENTION,
    MANY,
    BULK,
    TASKS,
    QUEUES,
    MANIFESTS,
    THEMES,
];

/// Restores the database of the version before a step: undoes it and all later steps, newest first.
pub(crate) async fn go_back(database: &TestDatabase, catalog: Catalog, before: Step) {
    catalog.close().await.unwrap();
    let raw = database.raw().await;
    let later = UNDOABLE.iter().position(|step| step.0 == before.0).expect("the step can be undone");
    for (name, statements) in &UNDOABLE[..=later] {
        let forget = match *name < "m0020" {
            true => format!("DELETE FROM seaql_migrations WHERE version = '{name}'"),
            false => format!("DELETE FROM schema_step WHERE name = '{name}'"),
        };
        assert_eq!(raw.execute_unprepared(&forget).await.unwrap().rows_affected(), 1, "{name}");
        for statement in *statements {
            // Some statements are for one of the databases only.
            let statement = match statement.split_once(": ") {
                None => statement,
                Some((name, _)) if !database.url.starts_with(name) => continue,
                Some((_, statement)) => statement,
            };
            if !statement.starts_with("SELECT") {
                raw.execute_unprepared(statement).await.unwrap();
                continue;
            }
            let select = Statement::from_string(raw.get_database_backend(), statement);
            let found = raw.query_all_raw(select).await.unwrap();
            assert!(!found.is_empty(), "{name}: {statement}");
            for row in found {
                let undo: String = row.try_get("", "undo").unwrap();
                raw.execute_unprepared(&undo).await.unwrap();
            }
        }
    }
}

const ANSWERED_STATUSES: Step = (
    "m0068_answered_statuses",
    &["DROP INDEX answered_job_by_track_id", "ALTER TABLE answered_job DROP COLUMN status"],
);
const PLAYED: Step = (
    "m0109_played",
    &[
        "ALTER TABLE listener_track DROP COLUMN played",
        "ALTER TABLE listener_track DROP COLUMN delivered_millis",
        "ALTER TABLE listen_sum DROP COLUMN reported_millis",
        "ALTER TABLE listen_sum DROP COLUMN played_millis",
    ],
);
const KEY_RECIPES: Step = ("m0108_key_recipes", &[]);
const INNER_WORDS: Step = ("m0107_inner_words", &[]);
const SESSION_RECIPES: Step = (
    "m0106_session_recipes",
    &[
        "DROP INDEX play_session_by_organization_id_recipes",
        "ALTER TABLE play_session DROP COLUMN recipes",
        "ALTER TABLE api_key DROP COLUMN recipes",
    ],
);
const BUCKET_MAKERS: Step = (
    "m0105_bucket_makers",
    &[
        "ALTER TABLE import_bucket DROP COLUMN made_by_key",
        "ALTER TABLE import_bucket DROP COLUMN expires_at",
    ],
);
const TEXT_CHANGES: Step =
    ("m0104_text_changes", &["ALTER TABLE source_replacement DROP COLUMN text_changes"]);
const FORMER_SOURCES: Step =
    ("m0103_former_sources", &["ALTER TABLE source_replacement DROP COLUMN former_file_name"]);
const IMPORT_MAKERS: Step = ("m0102_import_makers", &["ALTER TABLE source_import DROP COLUMN person_id"]);
const UPLOAD_MAKERS: Step = (
    "m0096_upload_makers",
    &["ALTER TABLE track DROP COLUMN api_key_id", "ALTER TABLE source_replacement DROP COLUMN api_key_id"],
);
const UPLOAD_OPENERS: Step = (
    "m0090_upload_openers",
    &["ALTER TABLE upload DROP COLUMN api_key_id", "ALTER TABLE upload DROP COLUMN person_id"],
);
const REPLACED_BYTES: Step = (
    "m0093_replaced_bytes",
    &[
        "DROP INDEX replaced_object_by_organization_id",
        "ALTER TABLE replaced_object DROP COLUMN bytes",
        "ALTER TABLE replaced_object DROP COLUMN organization_id",
    ],
);
const FORMER_FILES: Step = ("m0091_former_files", &["DROP TABLE former_file"]);
/// The columns that the step before counted when a row was added, but not when it changed.
pub(crate) const COUNTED_CHANGES: Step = (
    "m0089_counted_changes",
    &[
        "sqlite: DROP TRIGGER webhook_attempt_record_added",
        "sqlite: DROP TRIGGER webhook_attempt_record_removed",
        "sqlite: DROP TRIGGER webhook_attempt_record_changed",
        "postgres: DROP FUNCTION count_records_of_webhook_attempt CASCADE",
        "ALTER TABLE webhook_attempt DROP COLUMN organization_id",
        "sqlite: SELECT 'DROP TRIGGER ' || t || '_record_changed' AS undo FROM (SELECT 'audit_entry' AS t UNION ALL \
         SELECT 'invitation' UNION ALL SELECT 'play_session' UNION ALL SELECT 'source_import' UNION ALL SELECT 'undo_entry' \
         UNION ALL SELECT 'upload' UNION ALL SELECT 'upload_session' UNION ALL SELECT 'webhook_delivery') AS tables",
        "postgres: SELECT 'DROP TRIGGER ' || t || '_record_changed ON ' || t AS undo FROM unnest(ARRAY['audit_entry', \
         'invitation', 'play_session', 'source_import', 'undo_entry', 'upload', 'upload_session', 'webhook_delivery']) AS t",
    ],
);
const WORK_IN_PROGRESS: Step = (
    "m0087_work_in_progress",
    &[
        "ALTER TABLE source_import DROP COLUMN spent_millis",
        "ALTER TABLE transcription DROP COLUMN job_id",
        "ALTER TABLE transcription DROP COLUMN pieces",
    ],
);
const EVENT_VERSIONS: Step = (
    "m0086_event_versions",
    &[
        "DROP INDEX waiting_webhook_delivery_by_record",
        "ALTER TABLE webhook_delivery DROP COLUMN record_id",
        "ALTER TABLE webhook_delivery DROP COLUMN version",
        "ALTER TABLE track DROP COLUMN event_version",
        "ALTER TABLE collection DROP COLUMN event_version",
        "ALTER TABLE webhook DROP COLUMN event_version",
    ],
);
const ARRIVED: Step = ("m0081_arrived_bytes", &["DROP INDEX upload_by_organization_id"]);
pub(crate) const RECORD_COUNTS: Step = (
    "m0080_record_counts",
    &[
        "sqlite: SELECT 'DROP TRIGGER ' || name AS undo FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%INTO record_count %'",
        "postgres: SELECT 'DROP FUNCTION ' || proname || ' CASCADE' AS undo FROM pg_proc WHERE prosrc LIKE '%INTO record_count %'",
        "DROP TABLE record_count",
        "ALTER TABLE idempotent_request DROP COLUMN organization_id",
    ],
);
const EXCERPTS: Step = ("m0078_listened_excerpts", &["ALTER TABLE listener_track DROP COLUMN excerpts"]);
const KEY_LIST: Step = ("m0070_key_list", &["DROP TABLE key_list"]);
const FOLDING: Step = ("m0072_folding", &[]);
const PLAIN_LETTERS: Step = ("m0101_plain_letters", &[]);

const TAKEN_ADDRESSES: Step =
    ("m0059_taken_addresses", &["ALTER TABLE invitation DROP COLUMN taken_addresses"]);

const FACTOR_SETUPS: Step = (
    "m0058_factor_setups",
    &[
        "ALTER TABLE second_factor DROP COLUMN sign_in_id",
        "ALTER TABLE second_factor DROP COLUMN wrong_elsewhere",
        "ALTER TABLE second_factor DROP COLUMN wrong_where_known",
        "ALTER TABLE second_factor DROP COLUMN wrong_elsewhere_at",
        "ALTER TABLE second_factor DROP COLUMN wrong_where_known_at",
    ],
);

const CLAIMED_PEOPLE: Step = ("m0057_claimed_people", &["ALTER TABLE person DROP COLUMN claimed_at"]);

const COVER_BASIS: Step = ("m0075_cover_basis", &["ALTER TABLE track DROP COLUMN cover_basis"]);

const HANDLES: Step = (
    "m0061_session_handles",
    &[
        "DROP INDEX play_session_by_organization_id_handle",
        "DROP INDEX upload_session_by_organization_id_handle",
        "ALTER TABLE play_session DROP COLUMN handle",
        "ALTER TABLE upload_session DROP COLUMN handle",
    ],
);

const MAKERS: Step = (
    "m0060_makers",
    &[
        "DROP INDEX made_api_key_by_made_by_key_id",
        "ALTER TABLE api_key DROP COLUMN made_by_key",
        "ALTER TABLE signing_key DROP COLUMN made_by_key",
        "ALTER TABLE signing_key DROP COLUMN expires_at",
        "ALTER TABLE webhook DROP COLUMN made_by_key",
        "ALTER TABLE webhook DROP COLUMN expires_at",
        "ALTER TABLE play_session DROP COLUMN api_key_id",
        "ALTER TABLE upload_session DROP COLUMN api_key_id",
    ],
);

const COVER_OBJECTS: Step = (
    "m0056_cover_objects",
    &[
        "ALTER TABLE track DROP COLUMN cover_objects",
        "ALTER TABLE collection DROP COLUMN cover_objects",
        "ALTER TABLE organization DROP COLUMN cover_objects",
    ],
);

const NODE_SECRETS: Step = ("m0055_node_secrets", &["ALTER TABLE node DROP COLUMN master_secrets"]);

const OPERATIONS: Step = (
    "m0053_operations",
    &[
        "DROP TABLE unfinished_restore",
        "DROP TABLE last_backup",
        "ALTER TABLE node DROP COLUMN ended_jobs",
        "ALTER TABLE track_file DROP COLUMN object_sha256",
    ],
);

const TRACES: Step = (
    "m0052_traces",
    &["ALTER TABLE webhook_delivery DROP COLUMN traceparent", "ALTER TABLE job DROP COLUMN traceparent"],
);

const HOLDS: Step = ("m0051_removal_hold", &["DROP TABLE removal_hold"]);

const NODES: Step = ("m0050_node", &["DROP TABLE node"]);

const CERTIFICATES: Step = (
    "m0049_certificates",
    &["DROP TABLE acme_challenge", "DROP TABLE acme_certificate", "DROP TABLE acme_account"],
);

const ROTATIONS: Step = ("m0048_rotations", &["DROP TABLE old_api_key", "DROP TABLE master_secret"]);

const COUNTRIES: Step = ("m0047_listen_countries", &["ALTER TABLE listener_track DROP COLUMN country"]);

const LANGUAGE: Step = ("m0046_person_language", &["ALTER TABLE person DROP COLUMN language"]);

const IDENTITIES: Step = (
    "m0044_identities",
    &["DROP INDEX invitation_by_email", "DROP TABLE sign_in_state", "DROP TABLE person_identity"],
);

const FACTORS: Step = ("m0043_second_factors", &["DROP TABLE recovery_code", "DROP TABLE second_factor"]);

const PEOPLE: Step = (
    "m0040_people_and_keys",
    &[
        "DROP INDEX invitation_by_created_by",
        "DROP INDEX revoked_api_key_by_organization_id_id",
        "DROP INDEX unrevoked_api_key_by_organization_id_id",
        "DROP INDEX expiring_api_key_by_organization_id_expires_at_id",
        "ALTER TABLE person DROP COLUMN disabled_at",
        "ALTER TABLE invitation DROP COLUMN created_by",
        "ALTER TABLE api_key DROP COLUMN allowed_origins",
    ],
);

const LISTENS: Step = (
    "m0037_listens",
    &["DROP TABLE listener_track", "DROP TABLE listener_sighting", "DROP TABLE listen_sum"],
);

const SHARES: Step = (
    "m0039_share_links",
    &[
        "DROP TABLE share_key_text",
        "DROP INDEX valid_api_key_by_track_id_id",
        "DROP INDEX valid_api_key_by_collection_id_id",
        "ALTER TABLE transcription DROP COLUMN edited_at",
    ],
);

const UNDO: Step = ("m0042_undo_entries", &["DROP TABLE undo_entry"]);

const UPLOAD_PERSONS: Step = (
    "m0041_upload_persons",
    &[
        "ALTER TABLE upload_session DROP COLUMN person_id",
        "ALTER TABLE source_replacement DROP COLUMN person_id",
    ],
);

const BUCKETS: Step = ("m0036_import_buckets", &["DROP TABLE import_bucket"]);

const REPLACEMENTS: Step = (
    "m0035_replacements",
    &[
        "DROP TABLE source_replacement",
        "DROP TABLE replaced_object",
        "ALTER TABLE upload DROP COLUMN replacement_id",
    ],
);

const SOURCES: Step =
    ("m0034_source_lookup", &["DROP INDEX living_track_by_organization_id_source_sha256_id"]);

const UPLOADS: Step = ("m0033_uploads", &["DROP TABLE upload"]);

const QUOTAS: Step = (
    "m0029_quotas",
    &[
        "DROP TABLE quota",
        "sqlite: DROP TRIGGER track_kept",
        "sqlite: DROP TRIGGER track_kept_changed",
        "postgres: DROP FUNCTION count_kept CASCADE",
        "postgres: DROP FUNCTION millis_of_sound",
        "ALTER TABLE collection DROP COLUMN kept_bytes",
        "ALTER TABLE collection DROP COLUMN sound_millis",
    ],
);

const LOOKUP: Step = (
    "m0030_track_lookup",
    &[
        "DROP INDEX living_track_by_organization_id_creator_id_id",
        "DROP INDEX living_track_by_organization_id_organization_index_id",
        "sqlite: DROP TRIGGER track_moved",
        "postgres: DROP FUNCTION count_moved_track CASCADE",
        "DROP TABLE answered_job",
    ],
);

const IMPORTS: Step = ("m0031_imports", &["DROP TABLE source_import"]);

const ALBUMS: Step = (
    "m0028_album_places",
    &[
        "DROP INDEX placed_track_by_upload_session_id_album_id",
        "ALTER TABLE track DROP COLUMN album",
        "ALTER TABLE track DROP COLUMN album_place",
    ],
);

const CACHE: Step = ("m0027_cache_policy", &["ALTER TABLE variant DROP COLUMN cache"]);

const DEVICES: Step = ("m0026_known_devices", &["DROP TABLE known_device"]);

const TOTALS: Step = (
    "m0025_totals",
    &[
        "DROP INDEX living_collection_by_organization_id_stored_bytes",
        "sqlite: DROP TRIGGER track_bytes_counted",
        "sqlite: DROP TRIGGER collection_added",
        "sqlite: DROP TRIGGER collection_deleted",
        "sqlite: DROP TRIGGER track_stored",
        "sqlite: CREATE TRIGGER track_stored AFTER UPDATE OF track_status_id ON track BEGIN SELECT 1; END",
        "postgres: DROP FUNCTION count_bytes_of_tracks CASCADE",
        "postgres: DROP FUNCTION count_collection CASCADE",
        "DROP TABLE collection_count",
        "ALTER TABLE collection DROP COLUMN stored_bytes",
        "ALTER TABLE collection DROP COLUMN cover_bytes",
        "ALTER TABLE organization DROP COLUMN cover_bytes",
        "postgres: DROP TRIGGER track_stored ON track",
        "ALTER TABLE track DROP COLUMN cover_bytes",
    ],
);

const RETENTION: Step = ("m0024_retention", &["DROP INDEX webhook_delivery_by_queued_at"]);

const MANY: Step = (
    "m0023_many_rows",
    &[
        "DROP INDEX usage_by_organization_id_folder_day",
        "DROP INDEX unsummed_usage_batch_by_added_at",
        "DROP INDEX deleted_track_by_collection_id_track_order",
        "DROP INDEX deleted_collection_by_organization_id",
        "DROP INDEX living_track_by_collection_id_stored_bytes_id",
        "DROP INDEX living_track_by_organization_id_stored_bytes_id",
        "DROP INDEX audit_entry_by_organization_id_action_id",
        "DROP INDEX audit_entry_by_organization_id_actor_id_id",
        "DROP INDEX audit_entry_by_organization_id_subject_id_id",
        "DROP INDEX webhook_delivery_by_organization_id_state_id",
        "DROP INDEX webhook_delivery_by_webhook_id_id",
        "DROP INDEX webhook_delivery_by_webhook_id_state_id",
        "DROP TABLE usage_sum",
        "sqlite: DROP TRIGGER track_stored",
        "postgres: DROP FUNCTION count_stored_bytes CASCADE",
        "ALTER TABLE usage_batch DROP COLUMN is_summed",
        "ALTER TABLE track DROP COLUMN stored_bytes",
    ],
);

pub(crate) const BULK: Step = (
    "m0022_bulk_work",
    &[
        "DROP INDEX track_by_collection_id_id",
        "DROP INDEX track_file_by_variant_id_id",
        "DROP INDEX variant_by_organization_id_id",
        "DROP INDEX job_by_track_id_kind",
        "sqlite: DROP TRIGGER track_added",
        "sqlite: DROP TRIGGER track_deleted",
        "postgres: DROP FUNCTION count_track CASCADE",
        "ALTER TABLE collection DROP COLUMN track_count",
        "ALTER TABLE rendering DROP COLUMN looked_at",
        "ALTER TABLE rendering DROP COLUMN is_at_end",
        "ALTER TABLE rendering DROP COLUMN looked_at_run",
    ],
);

const TASKS: Step = ("m0021_scheduled_tasks", &["DROP TABLE scheduled_task"]);

pub(crate) const QUEUES: Step = (
    "m0020_queues",
    &[
        "DROP INDEX job_by_queue_organization_id_run_at_id",
        "DROP INDEX job_by_queue_run_at",
        "DROP INDEX job_by_id",
        "DROP INDEX job_by_leased_until",
        "ALTER TABLE job DROP COLUMN queue",
        "ALTER TABLE job DROP COLUMN organization_id",
    ],
);

const MANIFESTS: Step = ("m0019_manifests", &["ALTER TABLE track DROP COLUMN manifest_generation"]);

const THEMES: Step = (
    "m0018_themes",
    &[
        "ALTER TABLE organization DROP COLUMN own_theme",
        "ALTER TABLE collection DROP COLUMN own_theme",
        "ALTER TABLE track DROP COLUMN own_theme",
        "ALTER TABLE track DROP COLUMN title_tag",
        "ALTER TABLE track DROP COLUMN artist_tag",
        "ALTER TABLE play_session DROP COLUMN organization_index",
        "ALTER TABLE play_session DROP COLUMN metadata",
    ],
);

async fn titles_and_themes_are_found(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (mut plain, collection) = stored_collection(&catalog, &ambient).await;
    let (mut pictured, _) = stored_collection(&catalog, &ambient).await;
    // Earlier versions had one theme, whether it was set or derived from a cover.
    let colours = theme().found;
    for (organization, version) in [(&mut plain, None), (&mut pictured, Some(()))] {
        organization.theme = Theme { set: None, found: colours.clone() };
        organization.cover = version.map(|()| cover(&ambient, tonearm_domain::CoverOrigin::Uploaded));
    }
    let mut tagged = bare_track(&ambient, &collection);
    tagged.player_title = None;
    tagged.info.tags.insert("title".to_owned(), "Zebra".to_owned());
    tagged.info.tags.insert("artist".to_owned(), "Animals".to_owned());
    let tagged = stored_track(&catalog, tagged).await;
    let untagged = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&plain).await.unwrap();
    tx.update_organization(&pictured).await.unwrap();
    tx.commit().await.unwrap();
    go_back(&database, catalog, THEMES).await;

    let catalog = database.upgraded().await;
    let theme_of = async |id| catalog.organization(id).await.unwrap().unwrap().theme;
    let plain = theme_of(plain.id).await;
    assert_eq!((plain.set.map(Vec::from), plain.found), (Some(colours.clone()), Vec::new()));
    assert_eq!(theme_of(pictured.id).await, Theme { set: None, found: colours });
    let raw = database.raw().await;
    let ask = Statement::from_string(
        raw.get_database_backend(),
        "SELECT title_tag, artist_tag, sort_title FROM track ORDER BY title_tag IS NULL",
    );
    let rows = raw.query_all_raw(ask).await.unwrap();
    let text = |row: usize, column: &str| rows[row].try_get::<Option<String>>("", column).unwrap();
    assert_eq!(text(0, "title_tag").as_deref(), Some("Zebra"));
    assert_eq!(text(0, "artist_tag").as_deref(), Some("Animals"));
    assert_eq!(text(0, "sort_title").as_deref(), Some(&*tagged.sort_title()));
    assert_eq!((text(1, "title_tag"), text(1, "artist_tag")), (None, None));
    assert_eq!(text(1, "sort_title").as_deref(), Some(&*untagged.sort_title()));
}

async fn tracks_without_manifests_get_a_job(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    assert_eq!(catalog.pending_jobs().await.unwrap(), [], "nothing is to be done for a new one");
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    go_back(&database, catalog, MANIFESTS).await;

    let catalog = database.upgraded().await;
    let until = ambient.now().plus_seconds(60);
    let claimed = catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap().unwrap();
    assert_eq!(claimed.job, Job::PublishManifests {});
    let tx = catalog.begin().await.unwrap();
    let next = tx.next_manifest(organization.id, track.id, None).await.unwrap().unwrap();
    assert_eq!(next.generation.number(), 1);
}

async fn tracks_are_counted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, full) = stored_collection(&catalog, &ambient).await;
    let empty = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&empty).await.unwrap();
    tx.commit().await.unwrap();
    let size = 100;
    for _ in 0..3 {
        let track = bare_track(&ambient, &full);
        let source = Some(Source { size, ..source(&ambient, &track) });
        stored_track(&catalog, Track { source, duration: 1.5, ..track }).await;
    }
    let gone = bare_track(&ambient, &full);
    let source = Some(Source { size: 7, ..source(&ambient, &gone) });
    let gone = stored_track(&catalog, Track { source, duration: 9.0, ..gone }).await;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, gone.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    // Everything of this organization is in the trash.
    let (other, trashed) = stored_collection(&catalog, &ambient).await;
    let deletion = Deletion { at: ambient.now(), restorable_until: Some(ambient.now().plus_seconds(3600)) };
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(other.id, trashed.id, deletion).await.unwrap());
    tx.commit().await.unwrap();
    go_back(&database, catalog, BULK).await;

    let catalog = database.upgraded().await;
    let count = async |organization| catalog.collection_count(organization).await.unwrap();
    assert_eq!(count(other.id).await, 0);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.restore_collection(other.id, trashed.id, ambient.now()).await.unwrap().is_some());
    tx.commit().await.unwrap();
    assert_eq!(count(other.id).await, 1);
    assert_eq!(catalog.track_count(organization.id, full.id).await.unwrap(), Some(3));
    assert_eq!(catalog.track_count(organization.id, empty.id).await.unwrap(), Some(0));
    let page = catalog.collections(organization.id, None, LimitOffset::default()).await.unwrap();
    assert_eq!((page.0, page.1.len()), (2, 2), "those that were there before there was a counter");
    let storage = catalog.storage_usage(organization.id, KeyScope::Organization).await.unwrap();
    assert_eq!(storage, StorageUsage { tracks: 3, bytes: 3 * size });
    let used = catalog.quota_usage(organization.id).await.unwrap();
    // The deleted track is not purged yet.
    assert_eq!(used, QuotaUsage { bytes: 3 * size + 7, tracks: 3, milliseconds: 3 * 1500 });
}

/// Previous versions kept two spellings of a letter apart.
async fn texts_are_folded_again(database: TestDatabase) {
    let (mut catalog, (ambient, _)) = (database.upgraded().await, ambient());
    let (organization, mut collection) = stored_collection(&catalog, &ambient).await;
    collection.title = "Cafe\u{301}".to_owned();
    let tx = catalog.begin().await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    tx.commit().await.unwrap();
    let [mut mac, plain] = [(); 2].map(|()| bare_track(&ambient, &collection));
    mac.player_title = Some("Cafe\u{301} 5 µm".to_owned());
    let [mac, plain] = [stored_track(&catalog, mac).await, stored_track(&catalog, plain).await];
    let raw = database.raw().await;
    for step in [PLAIN_LETTERS, FOLDING] {
        for before in [
            "UPDATE collection SET sort_title = 'cafe\u{301}'",
            "UPDATE track SET sort_title = 'cafe\u{301} 5 µm' WHERE player_title IS NOT NULL",
            "UPDATE track_search SET text = ' cafe\u{301} 5 µm take 1.wav' WHERE text LIKE '%caf%'",
        ] {
            assert_eq!(raw.execute_unprepared(before).await.unwrap().rows_affected(), 1, "{before}");
        }
        go_back(&database, catalog, step).await;

        catalog = database.upgraded().await;
        let titles =
            "SELECT sort_title FROM track UNION ALL SELECT sort_title FROM collection ORDER BY sort_title";
        let titles = Statement::from_string(raw.get_database_backend(), titles);
        let titles = raw.query_all_raw(titles).await.unwrap();
        let titles: Vec<String> = titles.iter().map(|row| row.try_get("", "sort_title").unwrap()).collect();
        assert_eq!(titles, ["cafe".to_owned(), mac.sort_title(), plain.sort_title()]);
        for text in ["café", "cafe", "5 μm", "CAFE\u{301}"] {
            let query = PageQuery {
                words: SearchWords::parse(text),
                sort: TrackSort::Order,
                cursor: Cursor::First,
                limit: 10,
            };
            let found = catalog.track_page(organization.id, None, &query).await.unwrap();
            assert_eq!(found.rows.iter().map(|track| track.id).collect::<Vec<_>>(), [mac.id], "{text}");
        }
    }
}

async fn people_who_were_linked_are_claimed(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let [added, linked, unlinked] = ["added", "linked", "unlinked"].map(|name| Person {
        id: ambient.record_id(),
        email: format!("{name}@example.com").parse().unwrap(),
        name: name.to_owned(),
        is_administrator: false,
        created_at: ambient.now(),
        disabled_at: None,
        language: None,
    });
    let identity = |person: &Person| PersonIdentity {
        id: ambient.record_id(),
        person_id: person.id,
        issuer: "https://id.example.com".to_owned(),
        subject: person.name.clone(),
        email: None,
        linked_at: ambient.now(),
        used_at: ambient.now(),
    };
    let tx = catalog.begin().await.unwrap();
    for person in [&added, &linked, &unlinked] {
        tx.insert_person(person, "!").await.unwrap();
    }
    tx.insert_identity(&identity(&linked)).await.unwrap();
    let entry = AuditEntry {
        id: ambient.record_id(),
        organization_id: None,
        at: ambient.now(),
        origin: Origin::command_line(),
        action: AuditAction::IdentityLink,
        subject_id: Some(unlinked.id.uuid()),
        title: None,
    };
    tx.audit(&entry).await.unwrap();
    tx.commit().await.unwrap();
    go_back(&database, catalog, CLAIMED_PEOPLE).await;

    let catalog = database.upgraded().await;
    let tx = catalog.begin().await.unwrap();
    for (person, is_claimed) in [(added, false), (linked, true), (unlinked, true)] {
        assert_eq!(tx.is_claimed(person.id).await.unwrap(), is_claimed, "{}", person.name);
    }
}

/// A key of a previous version stays with its recipes, whatever these are called later.
async fn keys_know_their_recipes(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let named: Vec<Recipe> = ["hq", "lq", "own", "gone"]
        .into_iter()
        .zip([None, None, Some(&track), None])
        .map(|(name, track)| recipe(&ambient, &organization, track, name, 0))
        .collect();
    let names = named.iter().map(|recipe| recipe.index.clone()).filter(|name| name.as_str() != "lq");
    let variants = Selection::Only(VariantList::new(names).unwrap());
    let limited = ApiKey { variants, ..api_key(&ambient, &organization) };
    let keys = [limited, api_key(&ambient, &organization)];
    let tx = catalog.begin().await.unwrap();
    for recipe in &named {
        tx.insert_recipe(recipe).await.unwrap();
    }
    for (place, key) in keys.iter().enumerate() {
        tx.insert_api_key(key, &[place as u8; 32]).await.unwrap();
    }
    tx.commit().await.unwrap();
    let removed = "UPDATE variant SET deleted_at = 1 WHERE \"index\" = 'gone'";
    assert_eq!(database.raw().await.execute_unprepared(removed).await.unwrap().rows_affected(), 1);
    go_back(&database, catalog, KEY_RECIPES).await;

    let catalog = database.upgraded().await;
    for (key, expected) in
        keys.iter().zip([NamedRecipes::of([(named[0].index.clone(), named[0].id)]), NamedRecipes::UNKNOWN])
    {
        let upgraded = catalog.api_key(organization.id, key.id).await.unwrap().unwrap();
        assert_eq!((upgraded.recipes, &upgraded.variants), (expected, &key.variants));
    }
}

async fn urls_leave_the_audit_log(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let own = ambient.record_id();
    let entries = [
        (AuditAction::WebhookSet, "https://example.com:8443/hook?token=1", "example.com:8443"),
        (AuditAction::WebhookReplay, "track.status_changed", "track.status_changed"),
        (AuditAction::TranscriptionTest, "https://api.example.com/v1", "api.example.com"),
        (AuditAction::TrackCreate, "https://example.com/a.wav", "https://example.com/a.wav"),
    ];
    let tx = catalog.begin().await.unwrap();
    for (action, title, _) in entries {
        let entry = AuditEntry {
            id: ambient.record_id(),
            organization_id: Some(own),
            at: ambient.now(),
            origin: Origin::command_line(),
            action,
            subject_id: None,
            title: Some(title.to_owned()),
        };
        tx.audit(&entry).await.unwrap();
    }
    tx.commit().await.unwrap();
    go_back(&database, catalog, WORK_IN_PROGRESS).await;

    let catalog = database.upgraded().await;
    let found = catalog.audit_entries(Some(own), &AuditFilter::default(), None, 10).await.unwrap();
    assert_eq!(found.len(), entries.len());
    for (action, _, expected) in entries {
        let entry = found.iter().find(|entry| entry.action == action.as_str()).unwrap();
        assert_eq!(entry.title.as_deref(), Some(expected));
    }
}
