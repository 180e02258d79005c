//! The quotas of organizations, and their use: the bytes of all tracks that are not purged, and the length of the
//! tracks that are not deleted.

use super::columns::{big_integer_null, uuid};
use super::prelude::*;
use sea_orm::DbBackend;

use super::backfill::PerCollection;
use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0029_quotas")
        .change(Migration)
        .batches(PerCollection {
            column: "kept_bytes",
            of_tracks: || Expr::cust("coalesce(sum(track.stored_bytes), 0)"),
            is_deleted_included: true,
        })
        .batches(PerCollection {
            column: "sound_millis",
            of_tracks: || Expr::cust(SOUND_MILLIS),
            is_deleted_included: false,
        })
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&quota()).await?;
        for column in ["kept_bytes", "sound_millis"] {
            let counter = ColumnDef::new(column).big_integer().not_null().default(0).take();
            add(db, "collection", counter).await?;
        }
        let triggers = match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGGERS,
            _ => POSTGRES_TRIGGERS,
        };
        db.execute_unprepared(triggers).await?;
        Ok(())
    }
}

/// A table of its own: each addition locks the row, and the row of the organization is locked for other reasons, after
/// tracks and collections. An organization without limits has no row.
fn quota() -> TableCreateStatement {
    Table::create()
        .table("quota")
        .col(uuid("organization_id").primary_key())
        .col(big_integer_null("bytes"))
        .col(big_integer_null("tracks"))
        .col(big_integer_null("minutes"))
        .take()
}

/// Computed as in the triggers. Lengths that no audio has are not counted.
const SOUND_MILLIS: &str = "coalesce(sum(CASE WHEN duration > 0 AND duration < 1e9 THEN CAST(round(duration * 1000) AS bigint) ELSE 0 END), 0)";

/// A track may be moved to another collection.
const SQLITE_TRIGGERS: &str = "
CREATE TRIGGER track_kept AFTER INSERT ON track BEGIN
  UPDATE collection SET kept_bytes = kept_bytes + new.stored_bytes, sound_millis = sound_millis
      + iif(new.deleted_at IS NULL AND new.duration > 0 AND new.duration < 1e9, CAST(round(new.duration * 1000) AS integer), 0)
    WHERE id = new.collection_id AND (new.stored_bytes <> 0 OR new.duration <> 0);
END;
CREATE TRIGGER track_kept_changed AFTER UPDATE OF stored_bytes, duration, deleted_at, collection_id ON track
  WHEN old.stored_bytes <> new.stored_bytes OR old.duration <> new.duration OR old.collection_id <> new.collection_id
    OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  UPDATE collection SET kept_bytes = kept_bytes - old.stored_bytes, sound_millis = sound_millis
      - iif(old.deleted_at IS NULL AND old.duration > 0 AND old.duration < 1e9, CAST(round(old.duration * 1000) AS integer), 0)
    WHERE id = old.collection_id;
  UPDATE collection SET kept_bytes = kept_bytes + new.stored_bytes, sound_millis = sound_millis
      + iif(new.deleted_at IS NULL AND new.duration > 0 AND new.duration < 1e9, CAST(round(new.duration * 1000) AS integer), 0)
    WHERE id = new.collection_id;
END;";

const POSTGRES_TRIGGERS: &str = "
CREATE FUNCTION millis_of_sound(deleted_at bigint, duration double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN deleted_at IS NULL AND duration > 0 AND duration < 1e9 THEN CAST(round(duration * 1000) AS bigint)
    ELSE 0 END
$$;
CREATE FUNCTION count_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE collection SET kept_bytes = kept_bytes + new.stored_bytes,
      sound_millis = sound_millis + millis_of_sound(new.deleted_at, new.duration) WHERE id = new.collection_id;
  ELSIF old.collection_id = new.collection_id THEN
    UPDATE collection SET kept_bytes = kept_bytes + new.stored_bytes - old.stored_bytes, sound_millis = sound_millis
      + millis_of_sound(new.deleted_at, new.duration) - millis_of_sound(old.deleted_at, old.duration) WHERE id = new.collection_id;
  ELSE
    UPDATE collection SET kept_bytes = kept_bytes - old.stored_bytes,
      sound_millis = sound_millis - millis_of_sound(old.deleted_at, old.duration) WHERE id = old.collection_id;
    UPDATE collection SET kept_bytes = kept_bytes + new.stored_bytes,
      sound_millis = sound_millis + millis_of_sound(new.deleted_at, new.duration) WHERE id = new.collection_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER track_kept AFTER INSERT ON track FOR EACH ROW WHEN (new.stored_bytes <> 0 OR new.duration <> 0)
  EXECUTE FUNCTION count_kept();
CREATE TRIGGER track_kept_changed AFTER UPDATE OF track_status_id, cover_bytes, stored_bytes, duration, deleted_at, collection_id
  ON track FOR EACH ROW WHEN (old.stored_bytes <> new.stored_bytes OR old.duration <> new.duration
    OR old.collection_id <> new.collection_id OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL))
  EXECUTE FUNCTION count_kept();";
