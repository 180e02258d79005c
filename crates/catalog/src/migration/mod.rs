//! The history of the tables, step by step. A released step is never changed.
//!
//! # Compatibility between versions
//!
//! Nodes are upgraded one after another, so two versions use one database for a while, and an upgrade may be rolled
//! back. Therefore a step only **expands**: it adds tables, indexes, and columns that are null or have a default, and
//! the previous version continues to work. What that version still needs is removed one release later at the earliest,
//! by a step that **contracts** and names the oldest version that works without it. A version starts on a database with
//! steps that it does not know if none of them needs a newer version.
//!
//! The previous version writes rows without the new columns, even after a backfill has passed them. Code that reads
//! such a column must accept its default, or something must fill it again from time to time, as
//! [`Catalog::assign_queues`](crate::Catalog::assign_queues) does.
//!
//! # Writing a step
//!
//! A step is a list of parts. Each part is recorded when it is done (`schema_step`), and an interrupted step continues
//! with the part that was interrupted.
//!
//! ```ignore
//! Step::expand("m0030_plays")
//!     // One transaction, for fast changes: new tables and columns. Implements `Change`.
//!     .change(m0030_plays::Migration)
//!     // Created concurrently on PostgreSQL. Never create an index on a large table within a change.
//!     .index(index("track", &["collection_id", "plays"]))
//!     .index_on("track_by_words", Some("track USING gin (words gin_trgm_ops)"), None)
//!     // In batches by `id`, each a transaction. It may process a row twice, so it must be idempotent.
//!     .backfill("track", "UPDATE track SET plays = (SELECT …) WHERE {batch}")
//!     // In batches of another kind: implements `InBatches`.
//!     .batches(m0030_plays::Sums)
//! ```
//!
//! An empty database gets all its tables in one transaction. Indexes are then created without `CONCURRENTLY`, and
//! batches find no rows.
//!
//! The [first steps](first) are recorded in a table of their own, and versions up to the last of them refuse a database
//! if they find a name there that they do not know. Later steps are recorded in `schema_step`; steps that contract are
//! recorded in both.

mod backfill;
mod columns;
mod first;
mod index;
mod m0001_initial;
mod m0002_covers;
mod m0003_idempotency;
mod m0004_usage;
mod m0005_signing_keys;
mod m0006_processing;
mod m0007_events;
mod m0008_transcription;
mod m0009_people;
mod m0010_listing;
mod m0011_trash;
mod m0013_jobs;
mod m0014_selection;
mod m0015_words_and_claims;
mod m0016_store_identity;
mod m0017_sweep;
mod m0018_themes;
mod m0019_manifests;
mod m0020_queues;
mod m0021_scheduled_tasks;
mod m0022_bulk_work;
mod m0023_many_rows;
mod m0024_retention;
mod m0025_totals;
mod m0026_known_devices;
mod m0027_cache_policy;
mod m0028_album_places;
mod m0029_quotas;
mod m0030_track_lookup;
mod m0031_imports;
mod m0033_uploads;
mod m0034_source_lookup;
mod m0035_replacements;
mod m0036_import_buckets;
mod m0037_listens;
mod m0039_share_links;
mod m0040_people_and_keys;
mod m0041_upload_persons;
mod m0042_undo_entries;
mod m0043_second_factors;
mod m0044_identities;
mod m0046_person_language;
mod m0047_listen_countries;
mod m0048_rotations;
mod m0049_certificates;
mod m0050_node;
mod m0051_removal_hold;
mod m0052_traces;
mod m0053_operations;
mod m0055_node_secrets;
mod m0056_cover_objects;
mod m0057_claimed_people;
mod m0058_factor_setups;
mod m0059_taken_addresses;
mod m0060_makers;
mod m0061_session_handles;
mod m0068_answered_statuses;
mod m0070_key_list;
mod m0072_folding;
mod m0075_cover_basis;
mod m0078_listened_excerpts;
mod m0080_record_counts;
mod m0081_arrived_bytes;
mod m0086_event_versions;
mod m0087_work_in_progress;
mod m0089_counted_changes;
mod m0090_upload_openers;
mod m0091_former_files;
mod m0093_replaced_bytes;
mod m0096_upload_makers;
mod m0101_plain_letters;
mod m0102_import_makers;
mod m0103_former_sources;
mod m0104_text_changes;
mod m0105_bucket_makers;
mod m0106_session_recipes;
mod m0107_inner_words;
mod m0108_key_recipes;
mod m0109_played;
mod pieces;
mod prelude;
mod record;
mod run;
mod state;
mod step;
#[cfg(test)]
mod step_tests;

use sea_orm::DatabaseConnection;

use crate::error::CatalogError;
use first::first_steps;
use run::Run;
use step::Step;

pub(crate) use m0053_operations::unfinished_restore;
pub(crate) use m0080_record_counts::TABLE as RECORD_COUNT;
pub(crate) use m0089_counted_changes::count_again;
pub use run::{MigrationEvent, MigrationReport};
pub(crate) use state::{Tables, applied_steps, has_table, look};

/// Steps that unreleased builds recorded with the first steps for a while.
const MOVED: [&str; 2] = ["m0020_queues", "m0021_scheduled_tasks"];

/// All other steps, in order.
fn steps() -> Vec<Step> {
    vec![
        m0020_queues::step(),
        Step::expand("m0021_scheduled_tasks").change(m0021_scheduled_tasks::Migration),
        m0022_bulk_work::step(),
        m0023_many_rows::step(),
        m0024_retention::step(),
        m0025_totals::step(),
        Step::expand("m0026_known_devices").change(m0026_known_devices::Migration),
        m0027_cache_policy::step(),
        m0028_album_places::step(),
        m0029_quotas::step(),
        m0030_track_lookup::step(),
        m0031_imports::step(),
        Step::expand("m0033_uploads").change(m0033_uploads::Migration),
        m0034_source_lookup::step(),
        m0035_replacements::step(),
        m0036_import_buckets::step(),
        m0037_listens::step(),
        m0039_share_links::step(),
        m0040_people_and_keys::step(),
        m0041_upload_persons::step(),
        m0042_undo_entries::step(),
        m0043_second_factors::step(),
        m0044_identities::step(),
        m0046_person_language::step(),
        m0047_listen_countries::step(),
        m0048_rotations::step(),
        m0049_certificates::step(),
        m0050_node::step(),
        m0051_removal_hold::step(),
        m0052_traces::step(),
        m0053_operations::step(),
        m0055_node_secrets::step(),
        m0056_cover_objects::step(),
        m0057_claimed_people::step(),
        m0058_factor_setups::step(),
        m0059_taken_addresses::step(),
        m0060_makers::step(),
        m0061_session_handles::step(),
        m0068_answered_statuses::step(),
        m0070_key_list::step(),
        m0072_folding::step(),
        m0075_cover_basis::step(),
        m0078_listened_excerpts::step(),
        m0080_record_counts::step(),
        m0081_arrived_bytes::step(),
        m0086_event_versions::step(),
        m0087_work_in_progress::step(),
        m0089_counted_changes::step(),
        m0090_upload_openers::step(),
        m0091_former_files::step(),
        m0093_replaced_bytes::step(),
        m0096_upload_makers::step(),
        m0101_plain_letters::step(),
        m0102_import_makers::step(),
        m0103_former_sources::step(),
        m0104_text_changes::step(),
        m0105_bucket_makers::step(),
        m0106_session_recipes::step(),
        m0107_inner_words::step(),
        m0108_key_recipes::step(),
        m0109_played::step(),
    ]
}

/// Applies the missing steps over a pool of one connection, and returns their number. The caller ensures that no one
/// else migrates at the same time.
pub(crate) async fn run(db: &DatabaseConnection, report: MigrationReport<'_>) -> Result<usize, CatalogError> {
    Run { db, steps: &steps(), version: state::VERSION, report }.run().await
}

/// Like [`run`], but for some of the steps only.
pub(crate) async fn run_only(
    db: &DatabaseConnection,
    names: &[String],
    report: MigrationReport<'_>,
) -> Result<usize, CatalogError> {
    let steps: Vec<Step> =
        steps().into_iter().filter(|step| names.iter().any(|name| name == step.name)).collect();
    Run { db, steps: &steps, version: state::VERSION, report }.run().await
}

/// The first of these steps that this version does not know.
pub(crate) fn unknown_step(names: &[String]) -> Option<&str> {
    let (first, steps) = (first_steps(), steps());
    let is_known =
        |name: &str| first.iter().any(|step| step.name == name) || steps.iter().any(|step| step.name == name);
    names.iter().map(String::as_str).find(|name| !is_known(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]
mod tests {
    use sea_orm::sea_query::{ExprTrait, Query, SimpleExpr};
    use sea_orm::{ConnectionTrait, Database, DatabaseConnection, TransactionTrait};
    use tonearm_domain::{Collection, Organization};
    use tonearm_fixtures::{Postgres, sqlite_url};

    use super::*;
    use crate::catalog::Catalog;
    use crate::connect_options::{ConnectOptions, Migrate};

    /// Inserts a row as an earlier version would have left it.
    async fn insert(db: &DatabaseConnection, table: &'static str, row: &[(&'static str, SimpleExpr)]) {
        let (columns, values): (Vec<&str>, Vec<SimpleExpr>) = row.iter().cloned().unzip();
        let insert = Query::insert().into_table(table).columns(columns).values_panic(values).take();
        db.execute(&insert).await.unwrap();
    }

    /// Brings an empty database to the state left by a version that knew only some of the first steps.
    async fn apply_first(db: &DatabaseConnection, count: usize) {
        let transaction = db.begin().await.unwrap();
        first::install(&transaction).await.unwrap();
        for step in first_steps().iter().take(count) {
            step.apply(&transaction).await.unwrap();
        }
        transaction.commit().await.unwrap();
    }

    async fn upgraded(url: &str) -> Catalog {
        let options = ConnectOptions { migrate: Migrate::Always, ..ConnectOptions::default() };
        Catalog::connect(&url.parse().unwrap(), options).await.unwrap()
    }

    fn organization(id: uuid::Uuid, name: &str) -> Vec<(&'static str, SimpleExpr)> {
        vec![
            ("id", id.into()),
            ("name", name.into()),
            ("theme", serde_json::json!([]).into()),
            ("is_theme_overridable", true.into()),
            ("is_cover_overridable", false.into()),
            ("player_color", "#112233".into()),
            ("player_subtitle", "".into()),
            ("is_transcription_enabled", false.into()),
            ("created_at", 5_i64.into()),
        ]
    }

    fn collection(id: uuid::Uuid, organization_id: uuid::Uuid) -> Vec<(&'static str, SimpleExpr)> {
        vec![
            ("id", id.into()),
            ("organization_id", organization_id.into()),
            ("folder", "abcdefghij01".into()),
            ("title", "Season 1".into()),
            ("metadata", serde_json::json!({"a": 1}).into()),
            ("theme", serde_json::json!([]).into()),
            ("is_cover_overridable", true.into()),
            ("is_theme_overridable", true.into()),
            ("last_track_order", 7_i64.into()),
            ("created_at", 6_i64.into()),
        ]
    }

    /// This version reads what the first version stored, and each organization has a folder of its own.
    async fn rows_of_the_first_version_stay(url: &str) {
        let (ambient, _) = tonearm_fixtures::ambient();
        let mut ids: [tonearm_domain::OrganizationId; 3] = [(); 3].map(|()| ambient.record_id());
        // Ids made in the same millisecond come in any order; lists are ordered by id.
        ids.sort_unstable();
        let [one, other, songs] = ids;
        // Unlike the catalog, a plain connection creates the SQLite file only if told to.
        let made = if url.starts_with("sqlite") { format!("{url}?mode=rwc") } else { url.to_owned() };
        let db = Database::connect(made).await.unwrap();
        apply_first(&db, 1).await;
        insert(&db, "organization", &organization(one.uuid(), "One")).await;
        insert(&db, "organization", &organization(other.uuid(), "Other")).await;
        insert(&db, "collection", &collection(songs.uuid(), one.uuid())).await;
        db.close().await.unwrap();

        let catalog = upgraded(url).await;
        let organizations: Vec<Organization> = catalog.organizations().await.unwrap();
        assert_eq!(
            organizations.iter().map(|o| (o.id, o.cover)).collect::<Vec<_>>(),
            [(one, None), (other, None)]
        );
        assert_ne!(organizations[0].folder, organizations[1].folder);
        assert!(!organizations[0].is_cover_overridable);
        let id = tonearm_domain::CollectionId::from_uuid(songs.uuid());
        let songs: Collection = catalog.collection(one, id).await.unwrap().unwrap();
        assert_eq!(
            (songs.title.as_str(), songs.folder.as_str(), songs.cover),
            ("Season 1", "abcdefghij01", None)
        );
        catalog.close().await.unwrap();

        // Folders are assigned only once.
        let catalog = upgraded(url).await;
        assert_eq!(catalog.organizations().await.unwrap(), organizations);
    }

    /// An empty list of variants meant "all" where it was written explicitly. Sessions that a limited key may have
    /// created do not gain variants.
    async fn selections_keep_what_they_meant(url: &str) {
        use tonearm_domain::{PlaySessionId, Selection, VariantIndex};
        let (ambient, _) = tonearm_fixtures::ambient();
        let [open, limited]: [tonearm_domain::OrganizationId; 2] = [(); 2].map(|()| ambient.record_id());
        let collections: [tonearm_domain::CollectionId; 3] = [(); 3].map(|()| ambient.record_id());
        let mut keys: [tonearm_domain::ApiKeyId; 3] = [(); 3].map(|()| ambient.record_id());
        keys.sort_unstable();
        let sessions: [PlaySessionId; 4] = [(); 4].map(|()| ambient.credential_id());
        let made = if url.starts_with("sqlite") { format!("{url}?mode=rwc") } else { url.to_owned() };
        let db = Database::connect(made).await.unwrap();
        let before = first_steps().iter().position(|step| step.name == "m0014_selection").unwrap();
        apply_first(&db, before).await;
        for id in [open, limited] {
            let mut row = organization(id.uuid(), "One");
            row.push(("folder", ambient.short_id().to_string().into()));
            insert(&db, "organization", &row).await;
        }
        for (id, owner) in collections.into_iter().zip([open, limited, limited]) {
            let mut row = collection(id.uuid(), owner.uuid());
            row.retain(|(name, _)| *name != "folder");
            row.push(("folder", ambient.short_id().to_string().into()));
            insert(&db, "collection", &row).await;
        }
        // The third key is limited to `preview`, in one collection.
        let key_rows = [
            (open, serde_json::json!([]), None),
            (limited, serde_json::json!([]), None),
            (limited, serde_json::json!(["preview"]), Some(collections[1])),
        ];
        for (at, (owner, variants, scope)) in key_rows.into_iter().enumerate() {
            let row = [
                ("id", keys[at].uuid().into()),
                ("organization_id", owner.uuid().into()),
                ("key_hash", vec![at as u8; 32].into()),
                ("title", "".into()),
                ("api_key_type_id", "player".into()),
                ("collection_id", scope.map(tonearm_domain::CollectionId::uuid).into()),
                ("variants", variants.into()),
                ("is_downloadable", true.into()),
                ("created_at", 6_i64.into()),
            ];
            insert(&db, "api_key", &row).await;
        }
        let session_rows = [
            (open, collections[0], serde_json::json!([])),
            (limited, collections[1], serde_json::json!([])),
            (limited, collections[1], serde_json::json!(["preview"])),
            (limited, collections[2], serde_json::json!([])),
        ];
        for (at, (owner, of, variants)) in session_rows.into_iter().enumerate() {
            let row = [
                ("id", sessions[at].uuid().into()),
                ("organization_id", owner.uuid().into()),
                ("collection_id", of.uuid().into()),
                ("variants", variants.into()),
                ("is_downloadable", true.into()),
                ("expires_at", 6_i64.into()),
            ];
            insert(&db, "play_session", &row).await;
        }
        db.close().await.unwrap();

        let catalog = upgraded(url).await;
        let preview = Selection::one(VariantIndex::from_static("preview"));
        let of = async |owner| {
            let keys = catalog.api_keys(owner).await.unwrap();
            keys.into_iter().map(|key| key.variants).collect::<Vec<_>>()
        };
        assert_eq!(of(open).await, [Selection::All]);
        assert_eq!(of(limited).await, [Selection::All, preview.clone()]);
        let mut found = Vec::new();
        for id in sessions {
            found.push(catalog.play_session(id).await.unwrap().map(|session| session.variants));
        }
        // The second session may come from the limited key, so it was ended.
        assert_eq!(found, [Some(Selection::All), None, Some(preview), Some(Selection::All)]);

        // An empty list is what is left when the recipes of a session were removed. It never means all.
        let empty = Query::update()
            .table("play_session")
            .value("selection", serde_json::json!([]))
            .and_where(sea_orm::sea_query::Expr::col("id").eq(sessions[0].uuid()))
            .take();
        catalog.writer().execute(&empty).await.unwrap();
        let read = catalog.play_session(sessions[0]).await.unwrap().unwrap();
        assert!(matches!(read.variants, Selection::Only(_)), "{read:?}");
    }

    #[tokio::test]
    async fn selections_keep_what_they_meant_on_sqlite() {
        let (_folder, url) = sqlite_url();
        selections_keep_what_they_meant(&url).await;
    }

    #[tokio::test]
    async fn selections_keep_what_they_meant_on_postgres() {
        let database = Postgres::database().await;
        selections_keep_what_they_meant(&database.url).await;
    }

    #[tokio::test]
    async fn rows_of_the_first_version_stay_on_sqlite() {
        let (_folder, url) = sqlite_url();
        rows_of_the_first_version_stay(&url).await;
    }

    #[tokio::test]
    async fn rows_of_the_first_version_stay_on_postgres() {
        let database = Postgres::database().await;
        rows_of_the_first_version_stay(&database.url).await;
    }
}
