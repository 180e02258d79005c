//! Sums by day, by track and by variant.

use std::collections::HashMap;

use sea_orm::sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryResult, QuerySelect,
};
use tonearm_domain::{
    CollectionId, Day, KeyScope, LimitOffset, OrganizationId, ShortId, TrackId, UsageCounts, VariantIndex,
    shown_title,
};
use uuid::Uuid;

use super::SUMMED;
use crate::catalog::Catalog;
use crate::column::{corrupt, parsed, size};
use crate::entity::track;
use crate::error::CatalogError;

/// The scope of sums: days of an organization, within the scope of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UsageFilter {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The first day.
    pub from: Day,
    /// The last day.
    pub to: Day,
    /// Everything that has files, only the tracks of a collection, or one track.
    pub scope: KeyScope,
}

/// The sums of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayUsage {
    /// The day.
    pub day: Day,
    /// Its sums.
    pub counts: UsageCounts,
}

/// The sums of a track, or of something else that has files, such as a collection with a cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackUsage {
    /// The folder of its files: a track's index.
    pub folder: ShortId,
    /// The track, even if it was deleted. None if the files belong to something else.
    pub track_id: Option<TrackId>,
    /// The title of the track. None if it was purged.
    pub title: Option<String>,
    /// Its sums.
    pub counts: UsageCounts,
}

/// The number of tracks (and other things with files) that have usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageTracks {
    /// All of them.
    pub total: u64,
    /// Those that were played: by a share link, or in a session.
    pub played: u64,
}

/// The sums of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantUsage {
    /// The variant. None for what was returned with all of its variants.
    pub variant: Option<VariantIndex>,
    /// Its sums.
    pub counts: UsageCounts,
}

/// The source of sums: the rows of one track, otherwise the rows that were summed when usage was added.
fn sums(filter: &UsageFilter) -> SelectStatement {
    let organization = filter.organization_id.uuid();
    let mut select = Query::select();
    if let Some(id) = filter.scope.track() {
        select.from("usage").and_where(Expr::col("folder").eq(folder_of(organization, id)));
    } else {
        let scope = filter.scope.collection().map_or(organization, |collection| collection.uuid());
        select.from("usage_sum").and_where(Expr::col("scope").eq(scope));
    }
    select.and_where(Expr::col("organization_id").eq(organization)).and_where(in_period(filter)).take()
}

pub(super) fn in_period(filter: &UsageFilter) -> SimpleExpr {
    Expr::col("day").between(filter.from.number(), filter.to.number())
}

/// The folder of a track's files, even if the track was deleted.
pub(super) fn folder_of(organization: Uuid, id: TrackId) -> SimpleExpr {
    let folder = Query::select()
        .column(track::Column::Index)
        .from(track::Entity)
        .and_where(track::Column::Id.eq(id.uuid()))
        .and_where(track::Column::OrganizationId.eq(organization))
        .take();
    SimpleExpr::SubQuery(None, Box::new(folder.into()))
}

/// The folders of a collection's tracks.
pub(super) fn folders_of(organization: Uuid, collection: CollectionId) -> SelectStatement {
    Query::select()
        .column(track::Column::Index)
        .from(track::Entity)
        .and_where(track::Column::OrganizationId.eq(organization))
        .and_where(track::Column::CollectionId.eq(collection.uuid()))
        .take()
}

/// The counts of each track within the scope of a key.
fn rows(filter: &UsageFilter) -> SelectStatement {
    let organization = filter.organization_id.uuid();
    let mut select = Query::select();
    select.from("usage").and_where(Expr::col("organization_id").eq(organization));
    select.and_where(in_period(filter));
    if let Some(id) = filter.scope.track() {
        select.and_where(Expr::col("folder").eq(folder_of(organization, id)));
    } else if let Some(collection) = filter.scope.collection() {
        // Deleted tracks still count: they were played.
        select.and_where(Expr::col("folder").in_subquery(folders_of(organization, collection)));
    }
    select
}

/// PostgreSQL sums to an unbounded type, which cannot be read as an integer.
fn summed(mut select: SelectStatement) -> SelectStatement {
    for (name, _) in SUMMED {
        let sum = Func::coalesce([Func::sum(Expr::col(name)).into(), Expr::value(0_i64)]);
        select.expr_as(SimpleExpr::from(sum).cast_as("bigint"), name);
    }
    select
}

fn counts(row: &QueryResult) -> Result<UsageCounts, CatalogError> {
    let mut counts = UsageCounts::default();
    for (name, count) in SUMMED {
        *count(&mut counts) = size("usage", row.try_get("", name)?)?;
    }
    Ok(counts)
}

/// The number of all rows that satisfy a condition, added to each row.
fn over_all(condition: &'static str) -> SimpleExpr {
    Expr::cust(format!("COUNT(CASE WHEN {condition} THEN 1 END) OVER ()"))
}

#[derive(FromQueryResult)]
struct NamedTrack {
    index: String,
    id: Uuid,
    player_title: Option<String>,
    title_tag: Option<String>,
    file_name: String,
}

impl Catalog {
    /// The total usage.
    pub async fn total_usage(&self, filter: &UsageFilter) -> Result<UsageCounts, CatalogError> {
        let row = self.reader().query_one(&summed(sums(filter))).await?;
        row.as_ref().map_or(Ok(UsageCounts::default()), counts)
    }

    /// Usage by day, the earliest first. Days without usage are left out.
    pub async fn usage_by_day(&self, filter: &UsageFilter) -> Result<Vec<DayUsage>, CatalogError> {
        let mut select = summed(sums(filter));
        select.column("day").group_by_col("day").order_by("day", Order::Asc);
        let found = self.reader().query_all(&select).await?;
        let days = found.iter().map(|row| {
            let day = Day::from_number(row.try_get("", "day")?).ok_or_else(|| corrupt("usage.day"))?;
            Ok(DayUsage { day, counts: counts(row)? })
        });
        days.collect()
    }

    /// The number of tracks (and other things with files) that have usage, and a page of them, those with most bytes
    /// first. Reads one row per track, variant and day of the period.
    pub async fn usage_by_track(
        &self,
        filter: &UsageFilter,
        window: LimitOffset,
    ) -> Result<(UsageTracks, Vec<TrackUsage>), CatalogError> {
        let mut grouped = summed(rows(filter));
        grouped.column("folder").group_by_col("folder");
        let mut select = Query::select();
        select
            .column("folder")
            .columns(SUMMED.map(|(name, _)| name))
            .from_subquery(grouped.clone(), "grouped");
        select.expr_as(over_all("TRUE"), "total").expr_as(over_all(IS_PLAYED), "played");
        select.order_by("bytes", Order::Desc).order_by("folder", Order::Asc);
        select.limit(window.limit()).offset(window.offset());
        let found = self.reader().query_all(&select).await?;
        let tracks = match found.first() {
            Some(row) => tracks_counted(row)?,
            None if window.offset() == 0 => UsageTracks::default(),
            // After the last page.
            None => self.count_used_tracks(grouped).await?,
        };
        let mut usage = Vec::with_capacity(found.len());
        for row in &found {
            let folder: String = row.try_get("", "folder")?;
            usage.push((folder, counts(row)?));
        }
        Ok((tracks, self.named(filter.organization_id, usage).await?))
    }

    async fn count_used_tracks(&self, grouped: SelectStatement) -> Result<UsageTracks, CatalogError> {
        let mut select = Query::select();
        select.expr_as(Expr::cust("COUNT(*)"), "total");
        select.expr_as(Expr::cust(format!("COUNT(CASE WHEN {IS_PLAYED} THEN 1 END)")), "played");
        let row = self.reader().query_one(select.from_subquery(grouped, "grouped")).await?;
        row.as_ref().map_or(Ok(UsageTracks::default()), tracks_counted)
    }

    async fn named(
        &self,
        organization: OrganizationId,
        usage: Vec<(String, UsageCounts)>,
    ) -> Result<Vec<TrackUsage>, CatalogError> {
        let mut names =
            self.names_of_tracks(organization, usage.iter().map(|(folder, _)| folder.as_str())).await?;
        let named = usage.into_iter().map(|(folder, counts)| {
            let (track_id, title) = names.remove(&folder).unzip();
            Ok(TrackUsage {
                folder: parsed("usage.folder", &folder)?,
                track_id,
                title: title.flatten(),
                counts,
            })
        });
        named.collect()
    }

    /// The ids of tracks and the titles that people see, by folder. What was purged has no title.
    pub(super) async fn names_of_tracks(
        &self,
        organization: OrganizationId,
        folders: impl Iterator<Item = &str>,
    ) -> Result<HashMap<String, (TrackId, Option<String>)>, CatalogError> {
        use track::Column::{FileName, Id, Index, PlayerTitle, TitleTag};
        let select = track::Entity::find()
            .select_only()
            .columns([Index, Id, PlayerTitle, TitleTag, FileName])
            .filter(track::Column::OrganizationId.eq(organization.uuid()))
            .filter(Index.is_in(folders));
        let tracks = select.into_model::<NamedTrack>().all(self.reader()).await?;
        let named = tracks.into_iter().map(|track| {
            let NamedTrack { player_title, title_tag, file_name, .. } = &track;
            let title = shown_title(player_title.as_deref(), title_tag.as_deref(), file_name).to_owned();
            (track.index, (TrackId::from_uuid(track.id), Some(title).filter(|title| !title.is_empty())))
        });
        Ok(named.collect())
    }

    /// The number of variants that have usage, and a page of them, those with most bytes first.
    pub async fn usage_by_variant(
        &self,
        filter: &UsageFilter,
        window: LimitOffset,
    ) -> Result<(u64, Vec<VariantUsage>), CatalogError> {
        let mut select = summed(sums(filter));
        select.column("variant").group_by_col("variant");
        let found = self.reader().query_all(&select).await?;
        let usage = found.iter().map(|row| {
            let variant: String = row.try_get("", "variant")?;
            let variant = Some(variant.as_str()).filter(|variant| !variant.is_empty());
            let variant = variant.map(|variant| parsed("usage.variant", variant)).transpose()?;
            Ok(VariantUsage { variant, counts: counts(row)? })
        });
        // There are as many variants as an organization has had recipes: few enough to be sorted here.
        let mut usage = usage.collect::<Result<Vec<_>, CatalogError>>()?;
        usage.sort_by(|one: &VariantUsage, other| {
            other.counts.bytes.cmp(&one.counts.bytes).then_with(|| one.variant.cmp(&other.variant))
        });
        let total = usage.len() as u64;
        let skip = usize::try_from(window.offset()).unwrap_or(usize::MAX);
        let take = usize::try_from(window.limit()).unwrap_or(usize::MAX);
        Ok((total, usage.into_iter().skip(skip).take(take).collect()))
    }
}

/// The condition that a group of rows belongs to a track that was played.
const IS_PLAYED: &str = "stream_redirects > 0 OR track_fetches > 0";

fn tracks_counted(row: &QueryResult) -> Result<UsageTracks, CatalogError> {
    let count = |name| size("usage", row.try_get("", name)?);
    Ok(UsageTracks { total: count("total")?, played: count("played")? })
}
