//! The document lists exactly the tables that exist, and every column that may identify somebody is accounted for.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, QueryResult, Statement};
use tonearm_catalog::{PERSON_EMAILS, PERSON_IDS};

use crate::database::{Reach, TestDatabase};

const DOCUMENT: &str = include_str!("../../../../docs/privacy.md");

crate::on_both!(
    the_document_names_every_table_and_no_other,
    every_column_that_may_name_somebody_is_accounted_for,
);

/// All columns of the tables about people or listeners, except columns that reference a person, which are in
/// [`PERSON_IDS`] or [`PERSON_EMAILS`]. Each entry says whether `tonearm privacy` reports the columns, or why it does
/// not.
const ABOUT_SOMEBODY: &[(&str, &str, &str)] = &[
    ("audit_entry", "action actor address at id organization_id", "told"),
    ("failed_sign_in", "count last_at subject", "a hash, for 15 minutes"),
    ("invitation", "created_at expires_at organization_id purpose role used_at", "told"),
    ("invitation", "id token_hash", "leads to the link"),
    ("invitation", "taken_addresses", "a number of attempts"),
    ("known_device", "seen_at", "told"),
    ("known_device", "token_hash", "a credential"),
    ("listener_sighting", "day kind listener organization_id subject", "told"),
    (
        "listener_track",
        "country day folder is_listen is_member listener organization_id played playing_until referrer share_key_id taken_micros",
        "told",
    ),
    ("listener_track", "delivered_millis excerpts segments", "which parts make up the time that is told"),
    ("membership", "created_at organization_id role", "told"),
    ("person", "created_at disabled_at is_administrator language name", "told"),
    ("person", "claimed_at", "when the first of the linked accounts was linked, which is told for each"),
    ("person", "password_hash", "a credential"),
    ("person_identity", "issuer linked_at subject used_at", "told"),
    ("person_identity", "id", "leads nowhere"),
    ("recovery_code", "code_hash", "a credential; how many there are is told"),
    (
        "second_factor",
        "confirmed_at created_at last_step secret sign_in_id wrong_elsewhere wrong_elsewhere_at wrong_where_known \
         wrong_where_known_at",
        "a credential; that it is there is told",
    ),
    ("sign_in", "address created_at seen_at user_agent", "told"),
    ("sign_in", "id token_hash", "a credential"),
    ("source_replacement", "created_at expires_at file_name organization_id state track_id", "told"),
    ("source_replacement", "api_key_id", "a key, which acts for its organization"),
    (
        "source_replacement",
        "former_file_name id reason source_key source_sha256 source_size text_changes",
        "about the file",
    ),
    ("undo_entry", "change expires_at organization_id", "told"),
    ("undo_entry", "id", "a form field of the person alone"),
    (
        "upload_session",
        "collection_id creator_id expires_at metadata organization_id organization_index",
        "told",
    ),
    ("upload_session", "id", "a credential"),
    ("upload_session", "api_key_id handle", "the key that opened it, and its place in a list"),
];

/// Columns of other tables whose names suggest that they identify somebody, and what they really identify.
const ABOUT_NOBODY: &[(&str, &str, &str)] = &[
    ("api_key", "made_by_key", "a key"),
    ("import_bucket", "made_by_key", "a key"),
    ("play_session", "handle", "a session, in lists"),
    ("signing_key", "made_by_key", "a key"),
    ("webhook", "made_by_key", "a key"),
    ("acme_certificate", "lease_id", "a lease of a node"),
    ("acme_challenge", "name", "a host"),
    ("idempotent_request", "claim", "a claim of a node"),
    ("job", "lease_id", "a lease of a worker"),
    ("listen_sum", "subject", "what was listened to, from where"),
    ("node", "address name", "a machine of the service"),
    ("organization", "name", "an organization"),
    ("rendering", "cursor", "a track"),
    ("scheduled_task", "name", "a task"),
    ("schema_step", "name", "a step"),
    ("track", "file_name file_name_original", "a file"),
    ("track_file", "file_name", "a file"),
    ("upload", "lease_id replacement_id", "a lease of a node, a replacement"),
    ("usage_sum", "scope", "a collection or all"),
    ("webhook_attempt", "delivery_id", "a delivery"),
    ("webhook_delivery", "lease_id record_id subject_id", "a lease of a sender, tracks or collections"),
];

/// Words in column names that suggest data about people.
const WORDS: &str = "actor address agent author by country device email ip listener mail member name nick owner people \
                     person phone referrer subject user visitor";

struct LiveColumn {
    table: String,
    name: String,
    is_uuid: bool,
}

async fn live_columns(database: &TestDatabase) -> Vec<LiveColumn> {
    drop(database.catalog().await);
    let raw = database.raw().await;
    let query = match database.url.starts_with("postgres") {
        true => {
            "SELECT table_name::text AS owner, column_name::text AS name, data_type::text AS kind \
             FROM information_schema.columns WHERE table_schema = 'public'"
        }
        false => {
            "SELECT t.name AS owner, c.name AS name, c.type AS kind FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'track_search_trigram%'"
        }
    };
    let rows = raw.query_all_raw(Statement::from_string(raw.get_database_backend(), query)).await.unwrap();
    let text = |row: &QueryResult, column: &str| row.try_get::<String>("", column).unwrap();
    let columns = rows.iter().map(|row| LiveColumn {
        table: text(row, "owner"),
        name: text(row, "name"),
        is_uuid: text(row, "kind").to_ascii_lowercase().starts_with("uuid"),
    });
    columns.collect()
}

/// Whether a column may hold data about somebody: its name contains one of [`WORDS`], or it is an ID that does not
/// refer to one of the other tables.
fn may_name_somebody(column: &LiveColumn, tables: &BTreeSet<&str>) -> bool {
    let has_word = column.name.split('_').any(|part| WORDS.split(' ').any(|word| word == part));
    let referred = column.name.strip_suffix("_id").filter(|table| tables.contains(table));
    has_word || (column.is_uuid && column.name != "id" && referred.is_none())
}

fn listed(list: &[(&str, &str, &str)]) -> BTreeSet<String> {
    let columns =
        list.iter().flat_map(|(table, columns, _)| columns.split(' ').map(move |name| (table, name)));
    columns.map(|(table, name)| format!("{table}.{name}")).collect()
}

/// If this fails, decide for the new column whether `tonearm privacy` reports it and how erasure handles it, and
/// implement both (`src/privacy`, and `privacy` of the service and of the command line).
async fn every_column_that_may_name_somebody_is_accounted_for(database: TestDatabase) {
    let live = live_columns(&database).await;
    let tables: BTreeSet<&str> = live.iter().map(|column| column.table.as_str()).collect();
    let naming = PERSON_IDS.iter().chain(PERSON_EMAILS);
    let naming: BTreeSet<String> = naming.map(|it| format!("{}.{}", it.table, it.column)).collect();
    let about: BTreeSet<&str> = ABOUT_SOMEBODY.iter().map(|(table, ..)| *table).collect();
    let is_suspect =
        |column: &&LiveColumn| about.contains(column.table.as_str()) || may_name_somebody(column, &tables);
    let suspects = live.iter().filter(is_suspect).map(|column| format!("{}.{}", column.table, column.name));
    let suspects: BTreeSet<String> = suspects.collect();
    let known: BTreeSet<String> =
        [naming, listed(ABOUT_SOMEBODY), listed(ABOUT_NOBODY)].into_iter().flatten().collect();
    assert_eq!(suspects.difference(&known).collect::<Vec<_>>(), [""; 0], "nobody has thought of these");
    assert_eq!(known.difference(&suspects).collect::<Vec<_>>(), [""; 0], "there are no such columns");
}

/// The tables in the first column of the document's list.
fn documented() -> BTreeSet<String> {
    let rows = DOCUMENT.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`')).map(|(name, _)| name.to_owned()).collect()
}

async fn the_document_names_every_table_and_no_other(database: TestDatabase) {
    drop(database.catalog().await);
    let raw = database.raw().await;
    let query = match database.url.starts_with("postgres") {
        true => "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
        false => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    };
    let asked = Statement::from_string(raw.get_database_backend(), query);
    let rows = raw.query_all_raw(asked).await.unwrap();
    let names = rows.iter().map(|row| row.try_get::<String>("", "name").unwrap());
    // In SQLite, the index of `track_search` has tables of its own.
    let tables: BTreeSet<_> = names.filter(|name| !name.starts_with("track_search_trigram")).collect();
    assert_eq!(documented(), tables);
}
