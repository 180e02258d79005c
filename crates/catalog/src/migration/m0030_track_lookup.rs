//! Lookups of tracks by programs, tracks that move to another collection, and the jobs whose ids were returned to
//! clients.

use super::columns::{big_integer, text, uuid};
use super::prelude::*;
use sea_orm::DbBackend;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    let by_creator = index("track", &["organization_id", "creator_id", "id"])
        .name("living_track_by_organization_id_creator_id_id")
        .and_where(Expr::col("deleted_at").is_null())
        .and_where(Expr::col("creator_id").is_not_null())
        .take();
    Step::expand("m0030_track_lookup").change(Migration).index(by_creator).index_on(
        "living_track_by_organization_id_organization_index_id",
        Some(BY_INDEX),
        Some(BY_INDEX),
    )
}

/// Indexes the beginning only: an external id may be longer than an index allows.
const BY_INDEX: &str = "track (organization_id, substr(organization_index, 1, 200), id) \
    WHERE deleted_at IS NULL AND organization_index IS NOT NULL";

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&answered_job()).await?;
        let triggers = match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGGER,
            _ => POSTGRES_TRIGGER,
        };
        db.execute_unprepared(triggers).await?;
        Ok(())
    }
}

fn answered_job() -> TableCreateStatement {
    Table::create()
        .table("answered_job")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(text("kind"))
        .col(ColumnDef::new("track_id").uuid().null())
        .col(ColumnDef::new("variant_id").uuid().null())
        .col(big_integer("created_at"))
        .take()
}

/// Triggers count the tracks and bytes of a collection, so that no statement can forget it.
const SQLITE_TRIGGER: &str = "
CREATE TRIGGER track_moved AFTER UPDATE OF collection_id ON track
  WHEN old.collection_id <> new.collection_id AND new.deleted_at IS NULL BEGIN
  UPDATE collection SET track_count = track_count - 1, stored_bytes = stored_bytes - old.stored_bytes
    WHERE id = old.collection_id;
  UPDATE collection SET track_count = track_count + 1, stored_bytes = stored_bytes + new.stored_bytes
    WHERE id = new.collection_id;
END;";

const POSTGRES_TRIGGER: &str = "
CREATE FUNCTION count_moved_track() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE collection SET track_count = track_count - 1, stored_bytes = stored_bytes - old.stored_bytes
    WHERE id = old.collection_id;
  UPDATE collection SET track_count = track_count + 1, stored_bytes = stored_bytes + new.stored_bytes
    WHERE id = new.collection_id;
  RETURN NULL;
END $$;
CREATE TRIGGER track_moved AFTER UPDATE OF collection_id ON track FOR EACH ROW
  WHEN (old.collection_id <> new.collection_id AND new.deleted_at IS NULL) EXECUTE FUNCTION count_moved_track();";
