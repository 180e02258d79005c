//! What is said to be kept is what there are tables for.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, Statement};

use crate::database::{Reach, TestDatabase};

const DOCUMENT: &str = include_str!("../../../../docs/privacy.md");

crate::on_both!(the_document_names_every_table_and_no_other);

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
    // SQLite's index of `track_search` is tables of its own.
    let tables: BTreeSet<_> = names.filter(|name| !name.starts_with("track_search_trigram")).collect();
    assert_eq!(documented(), tables);
}
