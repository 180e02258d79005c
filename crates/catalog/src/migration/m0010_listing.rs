//! What lists of tracks and collections are searched and sorted by.
//!
//! An index over trigrams finds substrings. SQLite has one built in (FTS5); on PostgreSQL it is the extension
//! `pg_trgm`, which the owner of a database may install since version 13. Without the extension, the same queries scan
//! the searched texts, which have a table of their own to keep the scan short.

use super::columns::{text, uuid};
use super::prelude::*;
use sea_orm::{DatabaseTransaction, DbBackend, FromQueryResult, JsonValue, Order};
use tonearm_domain::{TrackInfo, TrackStatus, search_text, shown_title, sort_title};
use uuid::Uuid;

use super::pieces::{add, index};

/// Tracks that are read per batch.
const BATCH: u64 = 500;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["track", "collection"] {
            add(db, table, title_column(db)).await?;
        }
        let rank = ColumnDef::new("status_rank").integer().not_null().default(0).take();
        add(db, "track", rank).await?;
        db.execute(&track_search()).await?;
        db.execute(&index("track_search", &["track_id"]).unique().take()).await?;
        db.execute(&index("track_search", &["organization_id", "collection_id"])).await?;
        db.execute_unprepared(match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGRAMS,
            _ => POSTGRES_TRIGRAMS,
        })
        .await?;
        describe_collections(db).await?;
        describe_tracks(db).await?;
        for owner in ["collection_id", "organization_id"] {
            for columns in [&["id"][..], &["sort_title", "id"], &["duration", "id"], &["status_rank", "id"]] {
                let columns = [&[owner][..], columns].concat();
                db.execute(&living(index("track", &columns))).await?;
            }
        }
        db.execute(&living(index("collection", &["organization_id", "sort_title", "id"]))).await.map(drop)
    }
}

/// Triggers keep the index up to date, so that no statement can forget it.
const SQLITE_TRIGRAMS: &str = "
CREATE VIRTUAL TABLE track_search_trigram USING fts5(text, content='track_search', content_rowid='id', tokenize='trigram');
CREATE TRIGGER track_search_added AFTER INSERT ON track_search BEGIN
  INSERT INTO track_search_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER track_search_removed AFTER DELETE ON track_search BEGIN
  INSERT INTO track_search_trigram (track_search_trigram, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER track_search_changed AFTER UPDATE ON track_search BEGIN
  INSERT INTO track_search_trigram (track_search_trigram, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO track_search_trigram (rowid, text) VALUES (new.id, new.text);
END;";

const POSTGRES_TRIGRAMS: &str = "
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX track_search_by_trigram ON track_search USING gin (text gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR undefined_object OR feature_not_supported THEN
  RAISE NOTICE 'searches go without an index, as the extension pg_trgm cannot be had';
END $$;";

/// Titles are compared byte by byte in both databases, whatever the language of the server.
fn title_column(db: &DatabaseTransaction) -> ColumnDef {
    let mut column = ColumnDef::new("sort_title");
    match db.get_database_backend() {
        DbBackend::Sqlite => column.text(),
        _ => column.custom("text COLLATE \"C\""),
    };
    column.not_null().default("").take()
}

fn track_search() -> TableCreateStatement {
    Table::create()
        .table("track_search")
        .col(ColumnDef::new("id").big_integer().not_null().auto_increment().primary_key())
        .col(uuid("track_id"))
        .col(uuid("organization_id"))
        .col(uuid("collection_id"))
        .col(text("text"))
        .take()
}

fn living(mut index: IndexCreateStatement) -> IndexCreateStatement {
    let name = format!("living_{}", index.get_index_spec().get_name().unwrap_or_default());
    index.name(name).and_where(Expr::col("deleted_at").is_null()).take()
}

#[derive(FromQueryResult)]
struct Titled {
    id: Uuid,
    title: String,
}

async fn describe_collections(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let select = Query::select().columns(["id", "title"]).from("collection").take();
    for row in db.query_all(&select).await? {
        let Titled { id, title } = Titled::from_query_result(&row, "")?;
        let update = Query::update()
            .table("collection")
            .value("sort_title", sort_title(&title))
            .and_where(Expr::col("id").eq(id))
            .take();
        db.execute(&update).await?;
    }
    Ok(())
}

#[derive(FromQueryResult)]
struct Described {
    id: Uuid,
    organization_id: Uuid,
    collection_id: Uuid,
    organization_index: Option<String>,
    file_name: String,
    file_name_original: Option<String>,
    info: JsonValue,
    player_title: Option<String>,
    player_subtitle: Option<String>,
    track_status_id: String,
}

impl Described {
    const COLUMNS: [&'static str; 10] = [
        "id",
        "organization_id",
        "collection_id",
        "organization_index",
        "file_name",
        "file_name_original",
        "info",
        "player_title",
        "player_subtitle",
        "track_status_id",
    ];

    fn search_text(&self) -> String {
        let info: TrackInfo = serde_json::from_value(self.info.clone()).unwrap_or_default();
        let named = [
            self.player_title.as_deref(),
            self.player_subtitle.as_deref(),
            Some(self.file_name.as_str()),
            self.file_name_original.as_deref(),
            self.organization_index.as_deref(),
        ];
        search_text(named.into_iter().flatten().chain(info.tags.values().map(String::as_str)))
    }
}

/// Reads tracks in the order of their ids, so that the loop ends whatever the table contains.
async fn describe_tracks(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let mut after = Uuid::nil();
    loop {
        let select = Query::select()
            .columns(Described::COLUMNS)
            .from("track")
            .and_where(Expr::col("id").gt(after))
            .order_by("id", Order::Asc)
            .limit(BATCH)
            .take();
        let rows = db.query_all(&select).await?;
        for row in &rows {
            let track = Described::from_query_result(row, "")?;
            describe(db, &track).await?;
            after = track.id;
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

async fn describe(db: &DatabaseTransaction, track: &Described) -> Result<(), DbErr> {
    let title = sort_title(shown_title(track.player_title.as_deref(), None, &track.file_name));
    let rank = track.track_status_id.parse().map_or(0, TrackStatus::rank);
    let update = Query::update()
        .table("track")
        .value("sort_title", title)
        .value("status_rank", i32::from(rank))
        .and_where(Expr::col("id").eq(track.id))
        .take();
    db.execute(&update).await?;
    let insert = Query::insert()
        .into_table("track_search")
        .columns(["track_id", "organization_id", "collection_id", "text"])
        .values_panic([
            track.id.into(),
            track.organization_id.into(),
            track.collection_id.into(),
            track.search_text().into(),
        ])
        .take();
    db.execute(&insert).await.map(|_| ())
}
