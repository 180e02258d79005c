//! Sums by day, by track and by variant.

use std::collections::HashMap;

use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
};
use tonearm_domain::{Day, KeyScope, OrganizationId, Page, ShortId, TrackId, UsageCounts, VariantIndex};
use uuid::Uuid;

use crate::column::{corrupt, parsed, size};
use crate::entity::track;
use crate::entity::usage::{Column, Entity};
use crate::{Catalog, CatalogError};

/// What is summed: an organization's days, as far as a key reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageFilter {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The first day.
    pub from: Day,
    /// The last day.
    pub to: Day,
    /// All that has files, or only the tracks of a collection, or one track.
    pub scope: KeyScope,
}

/// The sums of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayUsage {
    /// Which.
    pub day: Day,
    /// Its sums.
    pub counts: UsageCounts,
}

/// The sums of a track, or of something else that has files, such as a collection with a cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackUsage {
    /// The folder of its files: a track's index.
    pub folder: ShortId,
    /// The track, also one that was deleted; none where it is something else.
    pub track_id: Option<TrackId>,
    /// What people know the track by; none where it was purged.
    pub title: Option<String>,
    /// Its sums.
    pub counts: UsageCounts,
}

/// The sums of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantUsage {
    /// Which; none for what was handed out with all of its variants.
    pub variant: Option<VariantIndex>,
    /// Its sums.
    pub counts: UsageCounts,
}

#[derive(FromQueryResult)]
struct Sums {
    stream_redirects: Option<i64>,
    track_fetches: Option<i64>,
    downloads: Option<i64>,
    starts: Option<i64>,
    bytes: Option<i64>,
}

#[derive(FromQueryResult)]
struct DayRow {
    day: i32,
    #[sea_orm(nested)]
    sums: Sums,
}

#[derive(FromQueryResult)]
struct FolderRow {
    folder: String,
    #[sea_orm(nested)]
    sums: Sums,
}

#[derive(FromQueryResult)]
struct VariantRow {
    variant: String,
    #[sea_orm(nested)]
    sums: Sums,
}

impl Sums {
    fn counts(self) -> Result<UsageCounts, CatalogError> {
        let count = |column, sum: Option<i64>| size(column, sum.unwrap_or(0));
        Ok(UsageCounts {
            stream_redirects: count("usage.stream_redirects", self.stream_redirects)?,
            track_fetches: count("usage.track_fetches", self.track_fetches)?,
            downloads: count("usage.downloads", self.downloads)?,
            starts: count("usage.starts", self.starts)?,
            bytes: count("usage.bytes", self.bytes)?,
        })
    }
}

/// The rows in question, nothing selected of them yet.
fn rows(filter: &UsageFilter) -> Select<Entity> {
    let organization = filter.organization_id.uuid();
    Entity::find()
        .select_only()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Day.between(filter.from.number(), filter.to.number()))
        .apply_if(filter.scope.collection(), |select, collection| {
            // Tracks that were deleted are counted on: what was played was played.
            let folders = Query::select()
                .column(track::Column::Index)
                .from(track::Entity)
                .and_where(track::Column::OrganizationId.eq(organization))
                .and_where(track::Column::CollectionId.eq(collection.uuid()))
                .and_where_option(filter.scope.track().map(|id| track::Column::Id.eq(id.uuid())))
                .take();
            select.filter(Column::Folder.in_subquery(folders))
        })
}

/// PostgreSQL sums to a type without bounds, which is not read as a number.
fn summed(mut select: Select<Entity>) -> Select<Entity> {
    for (name, column) in [
        ("stream_redirects", Column::StreamRedirects),
        ("track_fetches", Column::TrackFetches),
        ("downloads", Column::Downloads),
        ("starts", Column::Starts),
        ("bytes", Column::Bytes),
    ] {
        select = select.column_as(column.sum().cast_as("bigint"), name);
    }
    select
}

impl Catalog {
    /// All of it in one sum.
    pub async fn total_usage(&self, filter: &UsageFilter) -> Result<UsageCounts, CatalogError> {
        let sums = summed(rows(filter)).into_model::<Sums>().one(self.reader()).await?;
        sums.map_or(Ok(UsageCounts::default()), Sums::counts)
    }

    /// By day, the first one first. Days on which nothing was counted are left out.
    pub async fn usage_by_day(&self, filter: &UsageFilter) -> Result<Vec<DayUsage>, CatalogError> {
        let select = summed(rows(filter)).column(Column::Day).group_by(Column::Day).order_by_asc(Column::Day);
        let found = select.into_model::<DayRow>().all(self.reader()).await?;
        found
            .into_iter()
            .map(|row| {
                let day = Day::from_number(row.day).ok_or_else(|| corrupt("usage.day"))?;
                Ok(DayUsage { day, counts: row.sums.counts()? })
            })
            .collect()
    }

    /// How many tracks were played: by a share link, or in a session.
    pub async fn played_tracks(&self, filter: &UsageFilter) -> Result<u64, CatalogError> {
        let is_played = Condition::any().add(Column::StreamRedirects.gt(0)).add(Column::TrackFetches.gt(0));
        let played = rows(filter).filter(is_played).column(Column::Folder).group_by(Column::Folder);
        Ok(played.count(self.reader()).await?)
    }

    /// How many tracks (and other things with files) there is something of, and a page of them, those with most
    /// bytes first.
    pub async fn usage_by_track(
        &self,
        filter: &UsageFilter,
        window: Page,
    ) -> Result<(u64, Vec<TrackUsage>), CatalogError> {
        let grouped = rows(filter).column(Column::Folder).group_by(Column::Folder);
        let total = grouped.clone().count(self.reader()).await?;
        if total <= window.offset() {
            return Ok((total, Vec::new()));
        }
        let select = summed(grouped)
            .order_by_desc(Column::Bytes.sum())
            .order_by_asc(Column::Folder)
            .limit(window.limit())
            .offset(window.offset());
        let found = select.into_model::<FolderRow>().all(self.reader()).await?;
        let mut names = self.tracks_by_folder(filter.organization_id, &found).await?;
        let usage = found.into_iter().map(|row| {
            let (track_id, title) = names.remove(&row.folder).unzip();
            let title = title.flatten();
            let folder = parsed("usage.folder", &row.folder)?;
            Ok(TrackUsage { folder, track_id, title, counts: row.sums.counts()? })
        });
        Ok((total, usage.collect::<Result<_, CatalogError>>()?))
    }

    async fn tracks_by_folder(
        &self,
        organization: OrganizationId,
        rows: &[FolderRow],
    ) -> Result<HashMap<String, (TrackId, Option<String>)>, CatalogError> {
        let select = track::Entity::find()
            .select_only()
            .columns([
                track::Column::Index,
                track::Column::Id,
                track::Column::PlayerTitle,
                track::Column::FileName,
            ])
            .filter(track::Column::OrganizationId.eq(organization.uuid()))
            .filter(track::Column::Index.is_in(rows.iter().map(|row| row.folder.as_str())));
        let tracks: Vec<(String, Uuid, Option<String>, String)> =
            select.into_tuple().all(self.reader()).await?;
        let named = tracks.into_iter().map(|(index, id, title, name)| {
            // A purge empties the name.
            let title = title.or(Some(name)).filter(|title| !title.is_empty());
            (index, (TrackId::from_uuid(id), title))
        });
        Ok(named.collect())
    }

    /// How many variants there is something of, and a page of them, those with most bytes first.
    pub async fn usage_by_variant(
        &self,
        filter: &UsageFilter,
        window: Page,
    ) -> Result<(u64, Vec<VariantUsage>), CatalogError> {
        let grouped = rows(filter).column(Column::Variant).group_by(Column::Variant);
        let total = grouped.clone().count(self.reader()).await?;
        let select = summed(grouped)
            .order_by_desc(Column::Bytes.sum())
            .order_by_asc(Column::Variant)
            .limit(window.limit())
            .offset(window.offset());
        let found = select.into_model::<VariantRow>().all(self.reader()).await?;
        let usage = found.into_iter().map(|row| {
            let variant = Some(row.variant.as_str()).filter(|variant| !variant.is_empty());
            let variant = variant.map(|variant| parsed("usage.variant", variant)).transpose()?;
            Ok(VariantUsage { variant, counts: row.sums.counts()? })
        });
        Ok((total, usage.collect::<Result<_, CatalogError>>()?))
    }
}
