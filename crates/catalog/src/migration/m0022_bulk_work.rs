//! What bulk work needs: how many tracks collections have, how far renderings were queued, and the indexes that find
//! batches.

use super::prelude::*;
use sea_orm::DbBackend;

use super::backfill::PerCollection;
use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    // Tracks that earlier versions marked together with their collection.
    let marked = index("track", &["collection_id", "id"])
        .and_where(Expr::col("restorable_until").is_not_null())
        .and_where(Expr::col("trashed_at").is_null())
        .take();
    // Recipes that are being removed.
    let removed = index("variant", &["organization_id", "id"])
        .and_where(Expr::col("deleted_at").is_not_null())
        .and_where(Expr::col("track_id").is_null())
        .take();
    let of_track = index("job", &["track_id", "kind"]).and_where(Expr::col("track_id").is_not_null()).take();
    Step::expand("m0022_bulk_work")
        .change(Migration)
        // Includes deleted collections: they may be restored.
        .batches(PerCollection {
            column: "track_count",
            of_tracks: || Expr::cust("count(*)"),
            is_deleted_included: false,
        })
        .index(marked)
        .index(index("track_file", &["variant_id", "id"]))
        .index(removed)
        .index(of_track)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "collection", number("track_count")).await?;
        let triggers = match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGGERS,
            _ => POSTGRES_TRIGGERS,
        };
        db.execute_unprepared(triggers).await?;
        add(db, "rendering", number("looked_at")).await?;
        let is_at_end = ColumnDef::new("is_at_end").boolean().not_null().default(false).take();
        add(db, "rendering", is_at_end).await?;
        // The rendering that these two columns are about, by its start time.
        add(db, "rendering", ColumnDef::new("looked_at_run").big_integer().null().take()).await
    }
}

fn number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().default(0).take()
}

/// The number of tracks of a collection that were not deleted individually. Triggers count them, so that no statement
/// can forget it, not even one of an earlier version that runs at the same time.
const SQLITE_TRIGGERS: &str = "
CREATE TRIGGER track_added AFTER INSERT ON track WHEN new.deleted_at IS NULL BEGIN
  UPDATE collection SET track_count = track_count + 1 WHERE id = new.collection_id;
END;
CREATE TRIGGER track_deleted AFTER UPDATE OF deleted_at ON track WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  UPDATE collection SET track_count = track_count + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END
    WHERE id = new.collection_id;
END;";

const POSTGRES_TRIGGERS: &str = "
CREATE FUNCTION count_track() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE collection SET track_count = track_count + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END
    WHERE id = new.collection_id;
  RETURN NULL;
END $$;
CREATE TRIGGER track_added AFTER INSERT ON track FOR EACH ROW WHEN (new.deleted_at IS NULL) EXECUTE FUNCTION count_track();
CREATE TRIGGER track_deleted AFTER UPDATE OF deleted_at ON track FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) EXECUTE FUNCTION count_track();";
