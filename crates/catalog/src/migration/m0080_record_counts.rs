//! How many records each organization has, and how many bytes of text and metadata. Triggers count, so that nothing
//! that writes can forget it.
//!
//! SQLite has one writer, and one row for each organization. On PostgreSQL each statement adds a row with a difference,
//! so that transactions of an organization do not wait for each other; [`Catalog::merge_record_counts`] adds them up.
//!
//! [`Catalog::merge_record_counts`]: crate::Catalog::merge_record_counts

use sea_orm::DbBackend;

use super::columns::{big_integer, uuid, uuid_null};
use super::pieces::{add, index};
use super::prelude::*;
use super::step::Step;

const NAME: &str = "m0080_record_counts";
pub(crate) const TABLE: &str = "record_count";

pub(super) fn step() -> Step {
    // Each table is a part of its own: its writers wait while its rows are counted, and no others.
    COUNTED.iter().fold(Step::expand(NAME).change(Migration), |step, table| step.change(Counting(table)))
}

/// A table whose rows count.
pub(super) struct CountedTable {
    pub(super) name: &'static str,
    /// The columns whose bytes count.
    texts: &'static [&'static str],
    /// Whether this step counts the changes of these columns. The step `m0089_counted_changes` does so for the others.
    changes: bool,
    /// Whether its rows belong to a track and have no column for the organization.
    of_track: bool,
}

const fn table(name: &'static str, texts: &'static [&'static str]) -> CountedTable {
    CountedTable { name, texts, changes: false, of_track: false }
}

pub(super) const fn changing(name: &'static str, texts: &'static [&'static str]) -> CountedTable {
    CountedTable { changes: true, ..table(name, texts) }
}

const fn of_track(name: &'static str, texts: &'static [&'static str]) -> CountedTable {
    CountedTable { of_track: true, ..changing(name, texts) }
}

/// The rows that keys, sessions and members create, and those that are created for them.
pub(super) const COUNTED: &[CountedTable] = &[
    changing("api_key", &["title", "selection", "allowed_origins"]),
    table("answered_job", &[]),
    table("audit_entry", &["title"]),
    changing("collection", &["title", "organization_index", "metadata", "own_theme", "player_subtitle"]),
    changing("creator", &["organization_index", "metadata"]),
    changing("idempotent_request", &["answer"]),
    changing("import_bucket", &["bucket", "endpoint"]),
    table("invitation", &["email"]),
    table("play_session", &["organization_index", "metadata", "selection"]),
    changing("signing_key", &["title"]),
    table("source_import", &["url"]),
    changing("source_replacement", &["file_name"]),
    changing(
        "track",
        &[
            "organization_index",
            "file_name",
            "file_name_original",
            "info",
            "metadata",
            "own_theme",
            "player_title",
            "player_subtitle",
            "transcription",
        ],
    ),
    of_track("track_file", &["variant", "data"]),
    of_track("track_words", &["utterances"]),
    table("undo_entry", &["change"]),
    table("upload", &["metadata"]),
    table("upload_session", &["organization_index", "metadata"]),
    changing("variant", &["settings"]),
    changing("webhook", &["url"]),
    table("webhook_delivery", &["payload"]),
];

/// The columns that are not text.
const BLOBS: &[(&str, &str)] = &[("idempotent_request", "answer"), ("source_import", "url")];

impl CountedTable {
    /// The organization of a row.
    fn organization(&self, row: &str) -> String {
        match self.of_track {
            true => format!("(SELECT t.organization_id FROM track AS t WHERE t.id = {row}.track_id)"),
            false => format!("{row}.organization_id"),
        }
    }

    /// The bytes of a row.
    fn bytes(&self, row: &str) -> String {
        let bytes = |text: &&str| match BLOBS.contains(&(self.name, *text)) {
            true => format!("coalesce(octet_length({row}.{text}), 0)"),
            // JSON, too.
            false => format!("coalesce(octet_length(CAST({row}.{text} AS text)), 0)"),
        };
        let sum: Vec<String> = self.texts.iter().map(bytes).collect();
        if sum.is_empty() { "0".to_owned() } else { sum.join(" + ") }
    }

    /// Whether the bytes of a changed row may have changed.
    fn differs(&self, operator: &str) -> String {
        let differs = self.texts.iter().map(|text| format!("old.{text} {operator} new.{text}"));
        differs.collect::<Vec<_>>().join(" OR ")
    }

    fn sums(&self, of: &str) -> String {
        let (organization, bytes) = (self.organization("r"), self.bytes("r"));
        format!(
            "SELECT {organization} AS organization_id, count(*) AS records, coalesce(sum({bytes}), 0) AS bytes \
             FROM {of} AS r WHERE {organization} IS NOT NULL GROUP BY 1"
        )
    }

    /// Adds to the counts of the organization of a row.
    fn sqlite_addition(&self, row: &str, records: i8, bytes: &str) -> String {
        format!(
            "INSERT INTO record_count (organization_id, records, bytes) SELECT {organization}, {records}, {bytes} \
             WHERE {organization} IS NOT NULL ON CONFLICT (organization_id) \
             DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes; END;",
            organization = self.organization(row),
        )
    }

    /// All its triggers.
    pub(super) fn triggers(&self, backend: DbBackend) -> String {
        match backend {
            DbBackend::Sqlite => self.sqlite_triggers(),
            _ => self.postgres_triggers(),
        }
    }

    fn sqlite_triggers(&self) -> String {
        let name = self.name;
        let mut triggers = format!(
            "CREATE TRIGGER {name}_record_added AFTER INSERT ON {name} BEGIN {} \
             CREATE TRIGGER {name}_record_removed AFTER DELETE ON {name} BEGIN {}",
            self.sqlite_addition("new", 1, &self.bytes("new")),
            self.sqlite_addition("old", -1, &format!("-({})", self.bytes("old"))),
        );
        if self.changes {
            triggers += &self.change_trigger(DbBackend::Sqlite);
        }
        triggers
    }

    /// Counts the changes of a row's bytes. On PostgreSQL these are counted row by row: only then does it pass over updates
    /// of other columns.
    pub(super) fn change_trigger(&self, backend: DbBackend) -> String {
        let (name, columns) = (self.name, self.texts.join(", "));
        if backend == DbBackend::Sqlite {
            let more = format!("({}) - ({})", self.bytes("new"), self.bytes("old"));
            return format!(
                " CREATE TRIGGER {name}_record_changed AFTER UPDATE OF {columns} ON {name} WHEN {} BEGIN {}",
                self.differs("IS NOT"),
                self.sqlite_addition("new", 0, &more),
            );
        }
        format!(
            " CREATE TRIGGER {name}_record_changed AFTER UPDATE OF {columns} ON {name} FOR EACH ROW WHEN ({}) \
             EXECUTE FUNCTION count_records_of_{name}();",
            self.differs("IS DISTINCT FROM"),
        )
    }

    fn postgres_triggers(&self) -> String {
        let name = self.name;
        let insert = "INSERT INTO record_count (organization_id, records, bytes)";
        let mut triggers = format!(
            "CREATE FUNCTION count_records_of_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
               IF TG_OP = 'INSERT' THEN {insert} SELECT organization_id, records, bytes FROM ({sums}) AS s; \
               ELSIF TG_OP = 'DELETE' THEN {insert} SELECT organization_id, -records, -bytes FROM ({sums}) AS s; \
               ELSE {insert} SELECT o, 0, ({now}) - ({before}) FROM (SELECT {organization} AS o) AS s WHERE o IS NOT NULL; \
               END IF; RETURN NULL; END $$; \
             CREATE TRIGGER {name}_record_added AFTER INSERT ON {name} REFERENCING NEW TABLE AS changed \
               FOR EACH STATEMENT EXECUTE FUNCTION count_records_of_{name}(); \
             CREATE TRIGGER {name}_record_removed AFTER DELETE ON {name} REFERENCING OLD TABLE AS changed \
               FOR EACH STATEMENT EXECUTE FUNCTION count_records_of_{name}();",
            sums = self.sums("changed"),
            organization = self.organization("new"),
            now = self.bytes("new"),
            before = self.bytes("old"),
        );
        if self.changes {
            triggers += &self.change_trigger(DbBackend::Postgres);
        }
        triggers
    }

    /// Whether this step counts no changes of its columns. They may change nonetheless.
    pub(super) fn misses_changes(&self) -> bool {
        !self.changes && !self.texts.is_empty()
    }
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "idempotent_request", uuid_null("organization_id")).await?;
        let mut counts = Table::create();
        let mut organization = uuid("organization_id");
        if db.get_database_backend() == DbBackend::Sqlite {
            organization.primary_key();
        }
        counts.table(TABLE).col(organization).col(big_integer("records")).col(big_integer("bytes"));
        db.execute(&counts).await?;
        if db.get_database_backend() == DbBackend::Postgres {
            db.execute(&index(TABLE, &["organization_id"])).await?;
        }
        Ok(())
    }
}

/// Counts a table from now on, and adds the rows that it has. On PostgreSQL the triggers keep others from changing it
/// until this is committed.
struct Counting(&'static CountedTable);

#[async_trait]
impl Change for Counting {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute_unprepared(&self.0.triggers(db.get_database_backend())).await?;
        add_sums(db, std::slice::from_ref(self.0)).await
    }
}

pub(super) async fn add_sums(db: &impl ConnectionTrait, tables: &[CountedTable]) -> Result<(), DbErr> {
    for table in tables {
        let again = match db.get_database_backend() {
            DbBackend::Sqlite => {
                "WHERE true ON CONFLICT (organization_id) DO UPDATE \
                 SET records = records + excluded.records, bytes = bytes + excluded.bytes"
            }
            _ => "",
        };
        let sums = table.sums(table.name);
        let add = format!(
            "INSERT INTO record_count (organization_id, records, bytes) \
             SELECT organization_id, records, bytes FROM ({sums}) AS s {again}"
        );
        db.execute_unprepared(&add).await?;
    }
    Ok(())
}
