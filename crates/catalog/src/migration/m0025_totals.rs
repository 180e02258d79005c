//! The bytes of covers and collections, and the number of collections of an organization, so that no page has to count
//! them.

use super::columns::{big_integer, uuid};
use super::prelude::*;
use sea_orm::DbBackend;

use super::backfill::PerCollection;
use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    let mut by_bytes = index("collection", &["organization_id", "stored_bytes", "cover_bytes"]);
    by_bytes
        .name("living_collection_by_organization_id_stored_bytes")
        .and_where(Expr::col("deleted_at").is_null());
    Step::expand("m0025_totals")
        .change(Migration)
        .batches(PerCollection {
            column: "stored_bytes",
            of_tracks: || Expr::cust("coalesce(sum(track.stored_bytes), 0)"),
            is_deleted_included: false,
        })
        .index(by_bytes)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["track", "collection", "organization"] {
            add(db, table, bytes("cover_bytes")).await?;
        }
        add(db, "collection", bytes("stored_bytes")).await?;
        db.execute(&collection_count()).await?;
        let triggers = match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGGERS,
            _ => POSTGRES_TRIGGERS,
        };
        db.execute_unprepared(triggers).await?;
        // The triggers keep others from adding a collection until this is committed.
        db.execute_unprepared(COUNT).await?;
        Ok(())
    }
}

fn bytes(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().default(0).take()
}

/// A table of its own, because a change of settings locks the row of the organization.
fn collection_count() -> TableCreateStatement {
    Table::create()
        .table("collection_count")
        .col(uuid("organization_id").primary_key())
        .col(big_integer("collections"))
        .take()
}

/// Includes organizations whose collections are all deleted: some may be restored.
const COUNT: &str = "
INSERT INTO collection_count (organization_id, collections)
  SELECT organization_id, sum(CASE WHEN deleted_at IS NULL THEN 1 ELSE 0 END) FROM collection GROUP BY organization_id";

/// The bytes of a track are its source, its files that are not the source under another name, and its covers. The bytes
/// of a collection are those of its tracks that were not deleted individually.
const SQLITE_TRIGGERS: &str = "
DROP TRIGGER track_stored;
CREATE TRIGGER track_stored AFTER UPDATE OF track_status_id, cover_bytes ON track BEGIN
  UPDATE track SET stored_bytes = coalesce(new.source_size, 0) + new.cover_bytes +
    (SELECT coalesce(sum(f.size), 0) FROM track_file AS f
      WHERE f.track_id = new.id AND f.deleted_at IS NULL AND f.object_key IS NOT new.source_key) WHERE id = new.id;
END;
CREATE TRIGGER track_bytes_counted AFTER UPDATE OF stored_bytes, deleted_at ON track
  WHEN iif(old.deleted_at IS NULL, old.stored_bytes, 0) <> iif(new.deleted_at IS NULL, new.stored_bytes, 0) BEGIN
  UPDATE collection SET stored_bytes = stored_bytes
    + iif(new.deleted_at IS NULL, new.stored_bytes, 0) - iif(old.deleted_at IS NULL, old.stored_bytes, 0)
    WHERE id = new.collection_id;
END;
CREATE TRIGGER collection_added AFTER INSERT ON collection WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO collection_count (organization_id, collections) VALUES (new.organization_id, 1)
    ON CONFLICT (organization_id) DO UPDATE SET collections = collections + 1;
END;
CREATE TRIGGER collection_deleted AFTER UPDATE OF deleted_at ON collection
  WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  UPDATE collection_count SET collections = collections + iif(new.deleted_at IS NULL, 1, -1)
    WHERE organization_id = new.organization_id;
END;";

const POSTGRES_TRIGGERS: &str = "
CREATE OR REPLACE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.stored_bytes := coalesce(new.source_size, 0) + new.cover_bytes + (SELECT coalesce(sum(f.size), 0) FROM track_file AS f
    WHERE f.track_id = new.id AND f.deleted_at IS NULL AND f.object_key IS DISTINCT FROM new.source_key);
  RETURN new;
END $$;
DROP TRIGGER track_stored ON track;
CREATE TRIGGER track_stored BEFORE UPDATE OF track_status_id, cover_bytes ON track
  FOR EACH ROW EXECUTE FUNCTION count_stored_bytes();
CREATE FUNCTION count_bytes_of_tracks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE collection SET stored_bytes = stored_bytes
    + CASE WHEN new.deleted_at IS NULL THEN new.stored_bytes ELSE 0 END
    - CASE WHEN old.deleted_at IS NULL THEN old.stored_bytes ELSE 0 END
    WHERE id = new.collection_id;
  RETURN NULL;
END $$;
CREATE TRIGGER track_bytes_counted AFTER UPDATE OF track_status_id, cover_bytes, deleted_at ON track FOR EACH ROW
  WHEN (CASE WHEN old.deleted_at IS NULL THEN old.stored_bytes ELSE 0 END
    <> CASE WHEN new.deleted_at IS NULL THEN new.stored_bytes ELSE 0 END)
  EXECUTE FUNCTION count_bytes_of_tracks();
CREATE FUNCTION count_collection() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO collection_count AS counted (organization_id, collections)
    VALUES (new.organization_id, CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END)
    ON CONFLICT (organization_id) DO UPDATE SET collections = counted.collections + excluded.collections;
  RETURN NULL;
END $$;
CREATE TRIGGER collection_added AFTER INSERT ON collection FOR EACH ROW WHEN (new.deleted_at IS NULL)
  EXECUTE FUNCTION count_collection();
CREATE TRIGGER collection_deleted AFTER UPDATE OF deleted_at ON collection FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) EXECUTE FUNCTION count_collection();";
