//! Reports of listens.

use std::collections::HashMap;

use sea_orm::sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryResult, QuerySelect};
use tonearm_domain::{
    Day, LimitOffset, ListenCounts, ListenKind, Listening, OrganizationId, Segments, Timestamp,
};
use uuid::Uuid;

use super::listen_sums::SUMS;
use super::listening::played;
use super::sums::{UsageFilter, folder_of, folders_of, in_period};
use crate::catalog::Catalog;
use crate::column::{corrupt, size};
use crate::entity::{api_key, collection};
use crate::error::CatalogError;

/// The most listeners whose parts are read for one track.
const MOST_SHAPES: u64 = 10_000;

/// The listens of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayListens {
    /// The day.
    pub day: Day,
    /// Its sums.
    pub counts: ListenCounts,
}

/// The listens of a collection, a track, a share link, a site or a country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectListens {
    /// An id, the name of a host, or the code of a country. None for all sites that are not counted separately.
    pub id: Option<String>,
    /// The title. None for sites and countries, and for what was removed.
    pub title: Option<String>,
    /// Its sums. A listener is counted again each day.
    pub counts: ListenCounts,
}

fn of_kind(filter: &UsageFilter, kind: ListenKind) -> SelectStatement {
    Query::select()
        .from("listen_sum")
        .and_where(Expr::col("organization_id").eq(filter.organization_id.uuid()))
        .and_where(Expr::col("kind").eq(kind.as_str()))
        .and_where(in_period(filter))
        .take()
}

/// The sums of everything within the scope of a key, in one row per day.
fn of_scope(filter: &UsageFilter) -> SelectStatement {
    let organization = filter.organization_id.uuid();
    let (kind, subject): (_, SimpleExpr) = match (filter.scope.track(), filter.scope.collection()) {
        (Some(track), _) => (ListenKind::Track, folder_of(organization, track)),
        (None, Some(collection)) => (ListenKind::Collection, collection.to_string().into()),
        (None, None) => (ListenKind::Organization, "".into()),
    };
    of_kind(filter, kind).and_where(Expr::col("subject").eq(subject)).take()
}

/// The rows of a kind within the scope of a key.
fn rows(filter: &UsageFilter, kind: ListenKind) -> SelectStatement {
    let mut select = of_kind(filter, kind);
    let organization = filter.organization_id.uuid();
    let subject = || Expr::col("subject");
    match (kind, filter.scope.track(), filter.scope.collection()) {
        (_, None, None) => {}
        (ListenKind::Track, Some(track), _) => {
            select.and_where(subject().eq(folder_of(organization, track)));
        }
        (ListenKind::Track, None, Some(collection)) => {
            select.and_where(subject().in_subquery(folders_of(organization, collection)));
        }
        (ListenKind::Collection, None, Some(collection)) => {
            select.and_where(subject().eq(collection.to_string()));
        }
        // Other kinds are not summed by collection or track.
        _ => {
            select.and_where(Expr::value(1).eq(0));
        }
    }
    select
}

/// PostgreSQL sums to an unbounded type, which cannot be read as an integer.
fn summed(mut select: SelectStatement) -> SelectStatement {
    for name in SUMS {
        let sum = Func::coalesce([Func::sum(Expr::col(name)).into(), Expr::value(0_i64)]);
        select.expr_as(SimpleExpr::from(sum).cast_as("bigint"), name);
    }
    select
}

fn counts(row: &QueryResult) -> Result<ListenCounts, CatalogError> {
    let count = |name| size("listen_sum", row.try_get("", name)?);
    let (delivered, played_millis) = (count("heard_millis")?, count("played_millis")?);
    Ok(ListenCounts {
        listens: count("listens")?,
        listeners: count("listeners")?,
        heard_millis: delivered.saturating_sub(count("reported_millis")?).saturating_add(played_millis),
        played_millis,
    })
}

impl Catalog {
    /// Listens by day, the earliest first. Days without listens are left out.
    pub async fn listens_by_day(&self, filter: &UsageFilter) -> Result<Vec<DayListens>, CatalogError> {
        let mut select = summed(of_scope(filter));
        select.column("day").group_by_col("day").order_by("day", Order::Asc);
        let found = self.reader().query_all(&select).await?;
        let days = found.iter().map(|row| {
            let day = Day::from_number(row.try_get("", "day")?).ok_or_else(|| corrupt("listen_sum.day"))?;
            Ok(DayListens { day, counts: counts(row)? })
        });
        days.collect()
    }

    /// The number of collections, tracks, share links, sites or countries with listens, and a page of them, those with
    /// most listens first.
    pub async fn listens_by(
        &self,
        filter: &UsageFilter,
        kind: ListenKind,
        window: LimitOffset,
    ) -> Result<(u64, Vec<SubjectListens>), CatalogError> {
        let mut grouped = summed(rows(filter, kind));
        grouped.column("subject").group_by_col("subject");
        let mut select = Query::select();
        select.column("subject").columns(SUMS).from_subquery(grouped.clone(), "grouped");
        select
            .order_by("listens", Order::Desc)
            .order_by_expr(Expr::cust("heard_millis - reported_millis + played_millis"), Order::Desc)
            .order_by("subject", Order::Asc);
        select.limit(window.limit()).offset(window.offset());
        let mut found = Vec::new();
        for row in self.reader().query_all(&select).await? {
            found.push((row.try_get::<String>("", "subject")?, counts(&row)?));
        }
        let mut count = Query::select();
        count.expr_as(Expr::cust("COUNT(*)"), "total").from_subquery(grouped, "grouped");
        let total = self.reader().query_one(&count).await?;
        let total = total.map_or(Ok(0), |row| size("listen_sum", row.try_get("", "total")?))?;
        Ok((total, self.titled(filter.organization_id, kind, found).await?))
    }

    async fn titled(
        &self,
        organization: OrganizationId,
        kind: ListenKind,
        found: Vec<(String, ListenCounts)>,
    ) -> Result<Vec<SubjectListens>, CatalogError> {
        let subjects = || found.iter().map(|(subject, _)| subject.as_str());
        let mut titles = match kind {
            ListenKind::Track => self.titles_of_tracks(organization, subjects()).await?,
            ListenKind::Collection => self.titles_of_collections(organization, subjects()).await?,
            ListenKind::ShareLink => self.titles_of_keys(organization, subjects()).await?,
            ListenKind::Organization | ListenKind::Referrer | ListenKind::Country => HashMap::new(),
        };
        let named = found.into_iter().map(|(subject, counts)| match titles.remove(&subject) {
            Some((id, title)) => SubjectListens { id: Some(id), title, counts },
            None if subject == super::listen_sums::OTHER_REFERRERS => {
                SubjectListens { id: None, title: None, counts }
            }
            None => SubjectListens { id: Some(subject), title: None, counts },
        });
        Ok(named.collect())
    }

    async fn titles_of_tracks(
        &self,
        organization: OrganizationId,
        folders: impl Iterator<Item = &str>,
    ) -> Result<HashMap<String, (String, Option<String>)>, CatalogError> {
        let named = self.names_of_tracks(organization, folders).await?;
        Ok(named.into_iter().map(|(folder, (id, title))| (folder, (id.to_string(), title))).collect())
    }

    async fn titles_of_collections(
        &self,
        organization: OrganizationId,
        ids: impl Iterator<Item = &str>,
    ) -> Result<HashMap<String, (String, Option<String>)>, CatalogError> {
        use collection::Column::{Id, OrganizationId, Title};
        let select = collection::Entity::find()
            .select_only()
            .columns([Id, Title])
            .filter(OrganizationId.eq(organization.uuid()))
            .filter(Id.is_in(ids.filter_map(|id| id.parse::<Uuid>().ok())));
        let found: Vec<(Uuid, String)> = select.into_tuple().all(self.reader()).await?;
        Ok(found.into_iter().map(|(id, title)| (id.to_string(), (id.to_string(), Some(title)))).collect())
    }

    async fn titles_of_keys(
        &self,
        organization: OrganizationId,
        ids: impl Iterator<Item = &str>,
    ) -> Result<HashMap<String, (String, Option<String>)>, CatalogError> {
        use api_key::Column::{Id, OrganizationId, Title};
        let select = api_key::Entity::find()
            .select_only()
            .columns([Id, Title])
            .filter(OrganizationId.eq(organization.uuid()))
            .filter(Id.is_in(ids.filter_map(|id| id.parse::<Uuid>().ok())));
        let found: Vec<(Uuid, String)> = select.into_tuple().all(self.reader()).await?;
        Ok(found.into_iter().map(|(id, title)| (id.to_string(), (id.to_string(), Some(title)))).collect())
    }

    /// How many listeners are assumed to be listening at `now`, because what was delivered to them has not ended yet.
    pub async fn listening_now(
        &self,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<u64, CatalogError> {
        let select = Query::select()
            .expr_as(Expr::cust("COUNT(DISTINCT listener)"), "total")
            .from("listener_track")
            .and_where(Expr::col("organization_id").eq(organization.uuid()))
            .and_where(Expr::col("playing_until").gt(now.unix_millis()))
            .take();
        let row = self.reader().query_one(&select).await?;
        row.map_or(Ok(0), |row| size("listener_track", row.try_get("", "total")?))
    }

    /// The parts of a track that its listeners heard in a period, one set per listener, for the latest 10,000
    /// listeners at most.
    pub async fn parts_heard(
        &self,
        filter: &UsageFilter,
        folder: &str,
        track_millis: u64,
    ) -> Result<Vec<Segments>, CatalogError> {
        let select = Query::select()
            .columns(["segments", "played"])
            .from("listener_track")
            .and_where(Expr::col("organization_id").eq(filter.organization_id.uuid()))
            .and_where(Expr::col("folder").eq(folder))
            .and_where(in_period(filter))
            .and_where(Expr::col("is_listen").eq(true))
            .order_by("day", Order::Desc)
            .limit(MOST_SHAPES)
            .take();
        let found = self.reader().query_all(&select).await?;
        let parts = found.iter().map(|row| {
            let delivered = size("listener_track", row.try_get("", "segments")?)?.into();
            Ok(Listening::parts_heard(delivered, &played(row)?, track_millis))
        });
        parts.collect()
    }
}
