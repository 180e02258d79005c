//! Keeps lists, searches and reports fast with millions of rows: the bytes of each track, playback counts by day, and
//! the indexes that lists use.

use super::columns::{big_integer, integer, text, uuid};
use super::prelude::*;
use sea_orm::sea_query::BinOper;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend};
use uuid::Uuid;

use super::backfill::BATCH;
use super::pieces::{add, index};
use super::step::{Batch, InBatches, Step};
use crate::usage::{next_day, sum_day};

pub(super) fn step() -> Step {
    let step = Step::expand("m0023_many_rows")
        .change(Migration)
        .backfill("track", STORED_BYTES)
        .batches(Sums)
        .batches(Spaces)
        // For rows of one track. The primary key finds the rows of a day.
        .index(index("usage", &["organization_id", "folder", "day"]))
        .index(unsummed_batches())
        // Counts the tracks that were deleted before a position in a list.
        .index(deleted_tracks())
        .index(deleted_collections());
    let step = ["collection_id", "organization_id"].into_iter().fold(step, |step, owner| {
        let index = index("track", &[owner, "stored_bytes", "id"]);
        step.index(living(index))
    });
    let step = ["action", "actor_id", "subject_id"]
        .into_iter()
        .fold(step, |step, column| step.index(index("audit_entry", &["organization_id", column, "id"])));
    step.index(index("webhook_delivery", &["organization_id", "state", "id"]))
        .index(index("webhook_delivery", &["webhook_id", "id"]))
        .index(index("webhook_delivery", &["webhook_id", "state", "id"]))
}

fn living(mut index: IndexCreateStatement) -> IndexCreateStatement {
    let name = format!("living_{}", index.get_index_spec().get_name().unwrap_or_default());
    index.name(name).and_where(Expr::col("deleted_at").is_null()).take()
}

fn deleted_tracks() -> IndexCreateStatement {
    let mut index = index("track", &["collection_id", "track_order"]);
    index
        .name("deleted_track_by_collection_id_track_order")
        .and_where(Expr::col("deleted_at").is_not_null())
        .take()
}

fn deleted_collections() -> IndexCreateStatement {
    let mut index = index("collection", &["organization_id"]);
    index
        .name("deleted_collection_by_organization_id")
        .and_where(Expr::col("deleted_at").is_not_null())
        .take()
}

fn unsummed_batches() -> IndexCreateStatement {
    let mut index = index("usage_batch", &["added_at"]);
    index.name("unsummed_usage_batch_by_added_at").and_where(Expr::col("is_summed").eq(false)).take()
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let bytes = ColumnDef::new("stored_bytes").big_integer().not_null().default(0).take();
        add(db, "track", bytes).await?;
        // Batches that an earlier version adds, even while this version runs, are not summed.
        let is_summed = ColumnDef::new("is_summed").boolean().not_null().default(false).take();
        add(db, "usage_batch", is_summed).await?;
        db.execute(&usage_sum()).await?;
        let triggers = match db.get_database_backend() {
            DbBackend::Sqlite => SQLITE_TRIGGERS,
            _ => POSTGRES_TRIGGERS,
        };
        db.execute_unprepared(triggers).await?;
        Ok(())
    }
}

fn usage_sum() -> TableCreateStatement {
    Table::create()
        .table("usage_sum")
        .col(uuid("organization_id"))
        // The organization itself, or one of its collections.
        .col(uuid("scope"))
        // Days since 1970-01-01.
        .col(integer("day"))
        // Empty if unknown.
        .col(text("variant"))
        .col(big_integer("stream_redirects"))
        .col(big_integer("track_fetches"))
        .col(big_integer("downloads"))
        .col(big_integer("starts"))
        .col(big_integer("bytes"))
        .primary_key(Index::create().col("organization_id").col("scope").col("day").col("variant"))
        .take()
}

/// Triggers keep it up to date, so that no statement can forget it, not even one of an earlier version that runs at the
/// same time.
///
/// The bytes of a track are counted whenever its status is written, even if the status stays the same: the source, and
/// the files that are not the source under another name.
const SQLITE_TRIGGERS: &str = "
CREATE TRIGGER track_stored AFTER UPDATE OF track_status_id ON track BEGIN
  UPDATE track SET stored_bytes = coalesce(new.source_size, 0) + (SELECT coalesce(sum(f.size), 0) FROM track_file AS f
    WHERE f.track_id = new.id AND f.deleted_at IS NULL AND f.object_key IS NOT new.source_key) WHERE id = new.id;
END;";

const POSTGRES_TRIGGERS: &str = "
CREATE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  new.stored_bytes := coalesce(new.source_size, 0) + (SELECT coalesce(sum(f.size), 0) FROM track_file AS f
    WHERE f.track_id = new.id AND f.deleted_at IS NULL AND f.object_key IS DISTINCT FROM new.source_key);
  RETURN new;
END $$;
CREATE TRIGGER track_stored BEFORE UPDATE OF track_status_id ON track FOR EACH ROW EXECUTE FUNCTION count_stored_bytes();";

/// The trigger computes the value.
const STORED_BYTES: &str = "UPDATE track SET track_status_id = track_status_id WHERE {batch}";

/// Sums what was counted before sums existed, one day of an organization at a time.
struct Sums;

#[async_trait]
impl InBatches for Sums {
    fn table(&self) -> &'static str {
        "usage"
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let after = match position {
            None => (Uuid::nil(), i32::MIN),
            Some(position) => parse(position).ok_or_else(|| {
                DbErr::Custom("the position of a step is not an organization and a day".to_owned())
            })?,
        };
        let Some((organization, day)) = next_day(db, after).await? else {
            return Ok(Batch { rows: 0, position: None });
        };
        let rows = sum_day(db, organization, day).await?;
        Ok(Batch { rows, position: Some(format!("{organization} {day}")) })
    }
}

fn parse(position: &str) -> Option<(Uuid, i32)> {
    let (organization, day) = position.split_once(' ')?;
    Some((organization.parse().ok()?, day.parse().ok()?))
}

/// Begins each search text with a space, so that the beginnings of all words are found in the same way.
struct Spaces;

#[async_trait]
impl InBatches for Spaces {
    fn table(&self) -> &'static str {
        "track_search"
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let after = position.map_or(Ok(0), |position| {
            let wrong = |_| DbErr::Custom("the position of a step is not a number".to_owned());
            position.parse::<i64>().map_err(wrong)
        })?;
        let select = Query::select()
            .column("id")
            .from("track_search")
            .and_where(Expr::col("id").gt(after))
            .order_by("id", Order::Asc)
            .limit(BATCH)
            .take();
        let rows = db.query_all(&select).await?;
        let Some(last) = rows.last() else { return Ok(Batch { rows: 0, position: None }) };
        let last: i64 = last.try_get("", "id")?;
        let text = || Expr::col("text");
        let update = Query::update()
            .table("track_search")
            .value("text", Expr::value(" ").binary(BinOper::Custom("||"), text()))
            .and_where(Expr::col("id").gt(after))
            .and_where(Expr::col("id").lte(last))
            .and_where(text().not_like(" %"))
            .take();
        db.execute(&update).await?;
        let rows = rows.len() as u64;
        Ok(Batch { rows, position: (rows == BATCH).then(|| last.to_string()) })
    }
}
