//! Look-up of tracks by clients, in all collections or one, by any combination of filters.
//!
//! A filter that finds few tracks through its index is looked up first, and all filters are checked on its result. If
//! there is no such filter, the sorted list is walked and all are checked on each track, at most [`MOST_EXAMINED`] of
//! them. The part may then be short, and the next one continues where it ended. So no part reads more than a bounded
//! number of rows, whatever filters are combined.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QueryResult, QuerySelect, QueryTrait, Select,
};
use tonearm_domain::{
    ListPart, ListPosition, OrganizationId, PageBytes, RecordId, SortValue, Timestamp, Track, TrackFilter,
    TrackId, TrackOrder, TrackOrderKey, TrackStatus,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::track::{Column, Entity, Model};
use crate::error::CatalogError;
use crate::keyset::{Keyset, keyset_part};
use crate::listing::{MOST_FOUND, SearchMatches, listed_tracks, matches};
use crate::living::living_track;
use crate::query::{checked, readable};

/// The maximum number of tracks of a list that are examined for one part.
const MOST_EXAMINED: u64 = 2000;
/// The number of tracks in the first batch that is examined. The second batch has all that remain.
const FIRST_EXAMINED: u64 = 400;

/// The number of characters of external ids that are indexed. External ids may be longer than an index allows.
const INDEXED_CHARACTERS: usize = 200;

/// The result of a walk.
struct Walked {
    found: Vec<ListPosition>,
    next: Option<ListPosition>,
}

/// A track that a walk examined.
struct Examined {
    position: ListPosition,
    fits: bool,
}

impl Catalog {
    /// The tracks that a filter matches, sorted, after a position. The position must have the value that the order
    /// sorts by.
    pub async fn look_up_tracks(
        &self,
        organization: OrganizationId,
        filter: &TrackFilter,
        order: TrackOrder,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<ListPart<Track>, CatalogError> {
        let keyset = keyset(order);
        let position_of = |row: &Model| position(order.key, row);
        if !filter.narrows() {
            let list = listed_tracks(organization, filter.collection);
            let part = keyset_part(self.reader(), list, keyset, after, limit, position_of).await?;
            let count = self.count_tracks(organization, filter.collection).await?;
            return Ok(ListPart { count: Some(count), ..part });
        }
        if let Some(ids) = self.few_tracks(organization, filter).await? {
            if ids.is_empty() {
                return Ok(ListPart { rows: Vec::new(), next: None, count: Some(0) });
            }
            let found = Entity::find()
                .filter(Column::Id.is_in(ids))
                .filter(checked(Column::OrganizationId.eq(organization.uuid())))
                .filter(living_track())
                .filter(conditions(filter));
            let count = found.clone().count(self.reader()).await?;
            let part = keyset_part(self.reader(), found, keyset, after, limit, position_of).await?;
            return Ok(ListPart { count: Some(count), ..part });
        }
        let walked = self.walk(organization, filter, order, (after, limit)).await?;
        let rows = self.tracks_by_ids(&walked.found).await?;
        let (count, rows) = (rows.len(), PageBytes::cut(rows));
        let next = match rows.last() {
            Some(last) if rows.len() < count => {
                walked.found.into_iter().find(|position| position.id == last.id.uuid())
            }
            _ => walked.next,
        };
        Ok(ListPart { rows, next, count: None })
    }

    /// All tracks that one of the filters matches, if one of them matches few; otherwise `None`.
    async fn few_tracks(
        &self,
        organization: OrganizationId,
        filter: &TrackFilter,
    ) -> Result<Option<Vec<Uuid>>, CatalogError> {
        if let Some(track) = filter.track {
            return Ok(Some(vec![track.uuid()]));
        }
        for column in narrowing(filter) {
            let select = of_organization(organization).filter(column).order_by_asc(Column::Id);
            if let Some(ids) = self.at_most(select).await? {
                return Ok(Some(ids));
            }
        }
        if let Some(words) = &filter.words
            && let SearchMatches::Few(ids) = self.find_tracks(organization, filter.collection, words).await?
        {
            return Ok(Some(ids));
        }
        match &filter.statuses {
            Some(statuses) => self.few_with_status(organization, statuses).await,
            None => Ok(None),
        }
    }

    /// The tracks with one of the statuses; `None` if there are many. Each status is a separate range of the index.
    async fn few_with_status(
        &self,
        organization: OrganizationId,
        statuses: &[TrackStatus],
    ) -> Result<Option<Vec<Uuid>>, CatalogError> {
        let mut found = HashSet::new();
        for status in statuses {
            let select = of_organization(organization)
                .filter(Column::StatusRank.eq(i32::from(status.rank())))
                .order_by_asc(Column::StatusRank)
                .order_by_asc(Column::Id);
            match self.at_most(select).await? {
                Some(ids) if found.len() + ids.len() <= MOST_FOUND as usize => found.extend(ids),
                _ => return Ok(None),
            }
        }
        Ok(Some(found.into_iter().collect()))
    }

    /// The ids that a select finds; `None` if there are many.
    async fn at_most(&self, select: Select<Entity>) -> Result<Option<Vec<Uuid>>, CatalogError> {
        let select = select.select_only().column(Column::Id).limit(MOST_FOUND + 1);
        let rows = self.search(&select.into_query()).await?;
        if rows.len() as u64 > MOST_FOUND {
            return Ok(None);
        }
        let ids = rows.iter().map(|row| row.try_get("", "id"));
        Ok(Some(ids.collect::<Result<_, _>>()?))
    }

    /// Walks the sorted list until enough tracks are found or [`MOST_EXAMINED`] are examined.
    async fn walk(
        &self,
        organization: OrganizationId,
        filter: &TrackFilter,
        order: TrackOrder,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<Walked, CatalogError> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let (mut walked, mut examined) = (Walked { found: Vec::new(), next: after.cloned() }, 0);
        let mut step = FIRST_EXAMINED;
        while examined < MOST_EXAMINED {
            let found = self.examine(organization, filter, order, (walked.next.as_ref(), step)).await?;
            let is_end = (found.len() as u64) < step;
            for (at, track) in found.iter().enumerate() {
                walked.next = Some(track.position.clone());
                if !track.fits {
                    continue;
                }
                walked.found.push(track.position.clone());
                if walked.found.len() == most {
                    let is_last = is_end && !found[at + 1..].iter().any(|track| track.fits);
                    walked.next = walked.next.filter(|_| !is_last);
                    return Ok(walked);
                }
            }
            if is_end {
                walked.next = None;
                return Ok(walked);
            }
            examined += step;
            step = MOST_EXAMINED.saturating_sub(examined);
        }
        Ok(walked)
    }

    /// The next tracks of the sorted list, and which of them the filter matches.
    async fn examine(
        &self,
        organization: OrganizationId,
        filter: &TrackFilter,
        order: TrackOrder,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<Vec<Examined>, CatalogError> {
        let keyset = keyset(order);
        let mut list = walked_list(organization, filter, order.key);
        if let Some(position) = after {
            list = list.filter(keyset.after(position));
        }
        let fits = Expr::case(conditions(filter), 1_i32).finally(0_i32);
        let select = keyset.sorted(list, true).select_only().column(Column::Id);
        let select = match keyset.column {
            Some(column) => select.column(column),
            None => select,
        };
        let select = select.expr_as(fits, "fits").limit(limit).into_query();
        let rows = self.reader().query_all(&select).await?;
        rows.iter().map(|row| examined(order.key, row)).collect()
    }

    /// Living tracks at these positions, in this order.
    async fn tracks_by_ids(&self, positions: &[ListPosition]) -> Result<Vec<Track>, CatalogError> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let ids = positions.iter().map(|position| position.id);
        let select = Entity::find().filter(Column::Id.is_in(ids.clone())).filter(living_track());
        let tracks: Vec<Track> = readable(self.reader(), select).await?;
        let mut tracks: HashMap<Uuid, Track> =
            tracks.into_iter().map(|track| (track.id.uuid(), track)).collect();
        // A track that was deleted a moment ago, or with its collection, is left out.
        Ok(ids.filter_map(|id| tracks.remove(&id)).collect())
    }
}

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).filter(Column::DeletedAt.is_null())
}

/// The first id that can have been created at a moment: ids begin with their creation time.
fn first_id(since: Timestamp) -> Uuid {
    TrackId::from_parts(since, [0; 10]).uuid()
}

/// The indexed beginning of an external id.
fn indexed_beginning() -> SimpleExpr {
    Expr::cust("substr(\"track\".\"organization_index\", 1, 200)")
}

fn has_index(index: &str) -> SimpleExpr {
    let beginning: String = index.chars().take(INDEXED_CHARACTERS).collect();
    indexed_beginning().eq(beginning).and(checked(Column::OrganizationIndex.eq(index)))
}

fn has_source(sha256: [u8; 32]) -> SimpleExpr {
    Column::SourceSha256.eq(sha256.to_vec())
}

/// The filters that an index of the organization's tracks serves, the most selective first.
fn narrowing(filter: &TrackFilter) -> impl Iterator<Item = SimpleExpr> {
    let index = filter.organization_index.as_deref().map(has_index);
    let source = filter.source_sha256.map(has_source);
    let creator = filter.creator.map(|creator| Column::CreatorId.eq(creator.uuid()));
    let since = filter.created_since.map(|since| Column::Id.gte(first_id(since)));
    [source, index, creator, since].into_iter().flatten()
}

/// All conditions of a filter. Every track of a filtered list has met them.
fn conditions(filter: &TrackFilter) -> Condition {
    let status = |statuses: &Vec<TrackStatus>| {
        Column::TrackStatusId.is_in(statuses.iter().map(|status| status.as_str()))
    };
    Condition::all()
        // Never empty: it is also the condition of a CASE.
        .add(Column::Id.is_not_null())
        .add_option(filter.track.map(|id| checked(Column::Id.eq(id.uuid()))))
        .add_option(filter.collection.map(|id| checked(Column::CollectionId.eq(id.uuid()))))
        .add_option(filter.creator.map(|id| checked(Column::CreatorId.eq(id.uuid()))))
        .add_option(
            filter.organization_index.as_deref().map(|index| checked(Column::OrganizationIndex.eq(index))),
        )
        .add_option(filter.source_sha256.map(|sha256| checked(has_source(sha256))))
        .add_option(filter.statuses.as_ref().map(|statuses| checked(status(statuses))))
        .add_option(filter.created_since.map(|since| checked(Column::Id.gte(first_id(since)))))
        .add_option(filter.words.as_ref().map(matches))
}

/// The list that is walked: the shortest one that an index provides in this order. It may contain tracks of deleted
/// collections.
fn walked_list(organization: OrganizationId, filter: &TrackFilter, key: TrackOrderKey) -> Select<Entity> {
    let list = match driving(filter) {
        // No join, so that the index alone provides the order.
        Some(condition) if key == TrackOrderKey::Created => of_organization(organization).filter(condition),
        _ => listed_tracks(organization, filter.collection),
    };
    match filter.created_since {
        Some(since) if key == TrackOrderKey::Created => list.filter(Column::Id.gte(first_id(since))),
        _ => list,
    }
}

/// The filter that an index serves in the order of ids.
fn driving(filter: &TrackFilter) -> Option<SimpleExpr> {
    match filter {
        TrackFilter { collection: Some(_), .. } => None,
        TrackFilter { source_sha256: Some(sha256), .. } => Some(has_source(*sha256)),
        TrackFilter { creator: Some(creator), .. } => Some(Column::CreatorId.eq(creator.uuid())),
        TrackFilter { organization_index: Some(index), .. } => Some(has_index(index)),
        TrackFilter { statuses: Some(statuses), .. } => match statuses[..] {
            [status] => Some(Column::StatusRank.eq(i32::from(status.rank()))),
            _ => None,
        },
        _ => None,
    }
}

fn keyset(order: TrackOrder) -> Keyset<Column> {
    let column = match order.key {
        // Ids grow with time.
        TrackOrderKey::Created => None,
        TrackOrderKey::Title => Some(Column::SortTitle),
        TrackOrderKey::Duration => Some(Column::Duration),
        TrackOrderKey::Status => Some(Column::StatusRank),
        TrackOrderKey::Order => Some(Column::TrackOrder),
    };
    Keyset { column, id: Column::Id, is_descending: order.is_descending }
}

fn position(key: TrackOrderKey, row: &Model) -> ListPosition {
    let value = match key {
        TrackOrderKey::Created => SortValue::None,
        TrackOrderKey::Title => SortValue::Text(row.sort_title.clone()),
        TrackOrderKey::Duration => SortValue::Real(row.duration),
        TrackOrderKey::Status => SortValue::Integer(row.status_rank.into()),
        TrackOrderKey::Order => SortValue::Integer(row.track_order),
    };
    ListPosition { value, id: row.id }
}

fn examined(key: TrackOrderKey, row: &QueryResult) -> Result<Examined, CatalogError> {
    let value = match key {
        TrackOrderKey::Created => SortValue::None,
        TrackOrderKey::Title => SortValue::Text(row.try_get("", "sort_title")?),
        TrackOrderKey::Duration => SortValue::Real(row.try_get("", "duration")?),
        TrackOrderKey::Status => SortValue::Integer(row.try_get::<i32>("", "status_rank")?.into()),
        TrackOrderKey::Order => SortValue::Integer(row.try_get("", "track_order")?),
    };
    let position = ListPosition { value, id: row.try_get("", "id")? };
    Ok(Examined { position, fits: row.try_get::<i32>("", "fits")? == 1 })
}
