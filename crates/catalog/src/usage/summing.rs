//! Sums of usage by day and variant, of each organization and of each of its collections. Reports read these instead of
//! one row per track and day.

use std::collections::{BTreeMap, HashMap};

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Statement,
};
use tonearm_domain::{Day, Timestamp, UsageCounts, UsageEntry};
use uuid::Uuid;

use super::{ROWS, SUMMED, adding};
use crate::catalog::Catalog;
use crate::entity::usage::count;
use crate::entity::{track, usage, usage_batch, usage_sum};
use crate::error::CatalogError;
use crate::files::BATCH;
use crate::transaction::Transaction;

/// How many days before it is added a batch may have been counted. Nodes without a database keep their batches until
/// they are collected.
const LATEST_DAYS: i32 = 7;

/// The key of a row: the organization, the id of itself or of a collection, the day, and the variant, which is empty if
/// unknown. Rows are written in this order, so that nodes do not deadlock.
type Key = (Uuid, Uuid, i32, String);

impl Transaction {
    /// Adds entries to the sums.
    pub(super) async fn add_sums(&self, entries: &[UsageEntry]) -> Result<(), CatalogError> {
        let collections = self.collections_of(entries).await?;
        let mut sums: BTreeMap<Key, UsageCounts> = BTreeMap::new();
        for entry in entries {
            let organization = entry.organization_id.uuid();
            let variant = entry.variant.as_ref().map_or_else(String::new, ToString::to_string);
            let collection = collections.get(&(organization, entry.folder.as_str()));
            for scope in [Some(&organization), collection].into_iter().flatten() {
                let key = (organization, *scope, entry.day.number(), variant.clone());
                *sums.entry(key).or_default() += entry.counts;
            }
        }
        let mut rows = sums.into_iter().map(row);
        loop {
            let batch: Vec<_> = rows.by_ref().take(ROWS).collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.add_sum_rows(batch).await?;
        }
    }

    async fn add_sum_rows(&self, rows: Vec<usage_sum::ActiveModel>) -> Result<(), CatalogError> {
        use usage_sum::Column::{Day, OrganizationId, Scope, Variant};
        let key = OnConflict::columns([OrganizationId, Scope, Day, Variant]);
        let add = adding(key, usage_sum::Entity);
        usage_sum::Entity::insert_many(rows).on_conflict(add).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// The collections of the tracks among the folders. Other folders have no collection.
    async fn collections_of<'e>(
        &self,
        entries: &'e [UsageEntry],
    ) -> Result<HashMap<(Uuid, &'e str), Uuid>, CatalogError> {
        use track::Column::{CollectionId, Index, OrganizationId};
        let mut folders: BTreeMap<Uuid, Vec<&'e str>> = BTreeMap::new();
        for entry in entries {
            folders.entry(entry.organization_id.uuid()).or_default().push(entry.folder.as_str());
        }
        let mut collections = HashMap::new();
        for (organization, mut folders) in folders {
            folders.sort_unstable();
            folders.dedup();
            for batch in folders.chunks(BATCH) {
                let select = track::Entity::find()
                    .select_only()
                    .columns([Index, CollectionId])
                    .filter(OrganizationId.eq(organization))
                    .filter(Index.is_in(batch.iter().copied()));
                let found: Vec<(String, Uuid)> = select.into_tuple().all(self.db()).await?;
                for (index, collection) in found {
                    if let Ok(at) = batch.binary_search(&index.as_str()) {
                        collections.insert((organization, batch[at]), collection);
                    }
                }
            }
        }
        Ok(collections)
    }
}

fn row(((organization_id, scope, day, variant), counts): (Key, UsageCounts)) -> usage_sum::ActiveModel {
    use sea_orm::Set;
    usage_sum::ActiveModel {
        organization_id: Set(organization_id),
        scope: Set(scope),
        day: Set(day),
        variant: Set(variant),
        stream_redirects: Set(count(counts.stream_redirects)),
        track_fetches: Set(count(counts.track_fetches)),
        downloads: Set(count(counts.downloads)),
        starts: Set(count(counts.starts)),
        bytes: Set(count(counts.bytes)),
    }
}

/// Computes the sums of one day of an organization again from the counts of its tracks. No one else adds to any sums in
/// the meantime. Returns the number of rows written for its collections.
pub(crate) async fn sum_day<C: ConnectionTrait>(db: &C, organization: Uuid, day: i32) -> Result<u64, DbErr> {
    let backend = db.get_database_backend();
    if backend == DbBackend::Postgres {
        db.execute_unprepared("LOCK TABLE usage_sum IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    let (mut names, mut sums) = (String::new(), String::new());
    for (name, _) in SUMMED {
        names.push_str(", ");
        names.push_str(name);
        sums.push_str(&format!(", CAST(SUM(u.{name}) AS bigint)"));
    }
    let run = async |sql: String| {
        let values = [organization.into(), day.into()];
        db.execute_raw(Statement::from_sql_and_values(backend, sql, values)).await
    };
    run("DELETE FROM usage_sum WHERE organization_id = $1 AND day = $2".to_owned()).await?;
    let insert = format!("INSERT INTO usage_sum (organization_id, scope, day, variant{names})");
    run(format!(
        "{insert} SELECT u.organization_id, u.organization_id, u.day, u.variant{sums} FROM usage AS u \
         WHERE u.organization_id = $1 AND u.day = $2 GROUP BY u.organization_id, u.day, u.variant"
    ))
    .await?;
    let of_collections = run(format!(
        "{insert} SELECT u.organization_id, t.collection_id, u.day, u.variant{sums} FROM usage AS u \
         JOIN track AS t ON t.organization_id = u.organization_id AND t.\"index\" = u.folder \
         WHERE u.organization_id = $1 AND u.day = $2 GROUP BY u.organization_id, t.collection_id, u.day, u.variant"
    ))
    .await?;
    Ok(of_collections.rows_affected())
}

/// The next organization and day with usage after these, in order.
pub(crate) async fn next_day<C: ConnectionTrait>(
    db: &C,
    after: (Uuid, i32),
) -> Result<Option<(Uuid, i32)>, DbErr> {
    use usage::Column::{Day, OrganizationId};
    let beyond = Expr::tuple([Expr::col(OrganizationId), Expr::col(Day)])
        .gt(Expr::tuple([Expr::value(after.0), Expr::value(after.1)]));
    usage::Entity::find()
        .select_only()
        .columns([OrganizationId, Day])
        .filter(beyond)
        .order_by_asc(OrganizationId)
        .order_by_asc(Day)
        .limit(1)
        .into_tuple()
        .one(db)
        .await
}

impl Catalog {
    /// Updates the sums with what nodes of an earlier version, which do not know sums, added while this version runs.
    /// Returns the number of days of organizations that were summed again.
    pub async fn sum_foreign_usage(&self) -> Result<u64, CatalogError> {
        use usage_batch::Column::{AddedAt, Id, IsSummed};
        let batches: Vec<(Uuid, i64)> = usage_batch::Entity::find()
            .select_only()
            .columns([Id, AddedAt])
            .filter(IsSummed.eq(false))
            .order_by_asc(AddedAt)
            .limit(BATCH as u64)
            .into_tuple()
            .all(self.reader())
            .await?;
        let Some(&(_, earliest)) = batches.first() else { return Ok(0) };
        let first = Timestamp::from_unix_millis(earliest).map_or(0, |at| Day::of(at).number()) - LATEST_DAYS;
        let (mut after, mut days) = ((Uuid::nil(), i32::MAX), 0);
        while let Some((organization, day)) = next_day(self.reader(), after).await? {
            after = (organization, Ord::max(day, first - 1));
            if day >= first {
                let tx = self.begin().await?;
                sum_day(tx.db(), organization, day).await?;
                tx.commit().await?;
                days += 1;
            }
        }
        usage_batch::Entity::update_many()
            .col_expr(IsSummed, Expr::value(true))
            .filter(Id.is_in(batches.into_iter().map(|(id, _)| id)))
            .exec(self.writer())
            .await?;
        Ok(days)
    }
}
