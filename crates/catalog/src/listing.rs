//! Searchable, sorted and paginated lists of tracks and collections.

use sea_orm::sea_query::{BinOper, Expr, ExprTrait, OnConflict, Query, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, NotSet, PaginatorTrait, QueryFilter, QueryResult,
    QuerySelect, QueryTrait, Select, Set,
};
use tonearm_domain::{
    Collection, CollectionId, CollectionSort, OrganizationId, Page, PageQuery, SearchWords, Total, Track,
    TrackId, TrackSort, is_beginning,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::collections::living_id;
use crate::connect_options::Backend;
use crate::entity::{collection, track, track_search};
use crate::error::CatalogError;
use crate::keyset::{Keyset, keyset_page};
use crate::living::living_track;
use crate::query::{checked, contains, readable};
use crate::transaction::Transaction;

/// If a search matches more tracks than this, the matches are not counted, and the list is filtered while it is read.
pub(crate) const MOST_FOUND: u64 = 1000;
/// More ids than this are not looked up one by one if the list has at most [`SHORT_LIST`] tracks.
const MANY_IDS: usize = 100;
const SHORT_LIST: u64 = 5000;
/// The minimum number of characters of a word that SQLite's trigram index can look up.
const TRIGRAM: usize = 3;

/// The tracks that a search matches.
pub(crate) enum SearchMatches {
    /// These tracks and no others.
    Few(Vec<Uuid>),
    /// More than [`MOST_FOUND`] tracks.
    Many,
}

impl Catalog {
    /// A page of the tracks of a collection, or of all collections of the organization.
    pub async fn track_page(
        &self,
        organization: OrganizationId,
        collection: Option<CollectionId>,
        query: &PageQuery<TrackSort, TrackId>,
    ) -> Result<Page<Track>, CatalogError> {
        let listed = listed_tracks(organization, collection);
        let (select, total) = match &query.words {
            None => (listed.clone(), Total::Exactly(self.count_tracks(organization, collection).await?)),
            Some(words) => match self.find_tracks(organization, collection, words).await? {
                SearchMatches::Few(ids) if ids.is_empty() => {
                    let total = Total::Exactly(0);
                    return Ok(Page { rows: Vec::new(), has_before: false, has_after: false, total });
                }
                // Many matches in a short list: reading the list costs less than looking up each match.
                SearchMatches::Few(ids)
                    if ids.len() > MANY_IDS
                        && words.index().is_none()
                        && self.count_tracks(organization, collection).await? <= SHORT_LIST =>
                {
                    (listed.filter(matches(words)), Total::Exactly(ids.len() as u64))
                }
                SearchMatches::Few(ids) => {
                    let total = Total::Exactly(ids.len() as u64);
                    // Filter by id alone: otherwise the database could choose an index for lists and read the whole
                    // list.
                    let few =
                        track::Entity::find().filter(track::Column::Id.is_in(ids)).filter(living_track());
                    (few, total)
                }
                SearchMatches::Many => (listed.filter(matches(words)), Total::MoreThan(MOST_FOUND)),
            },
        };
        let sort = if collection.is_some() { query.sort } else { query.sort.across_collections() };
        keyset_page(
            self.reader(),
            select,
            keyset_of_tracks(sort),
            query.cursor.map(TrackId::uuid),
            query.limit,
            total,
        )
        .await
    }

    /// The tracks that are not deleted and contain all words, unless there are too many.
    pub(crate) async fn find_tracks(
        &self,
        organization: OrganizationId,
        collection: Option<CollectionId>,
        words: &SearchWords,
    ) -> Result<SearchMatches, CatalogError> {
        use track_search::Column;
        let mut select = match self.backend() {
            Backend::Sqlite => looked_up(words),
            Backend::Postgres => {
                Query::select().from(track_search::Entity).cond_where(holds(words.iter())).take()
            }
        };
        select
            .column((track_search::Entity, Column::TrackId))
            .inner_join(track::Entity, track::Column::Id.into_expr().eq(Column::TrackId.into_expr()))
            .and_where(Column::OrganizationId.eq(organization.uuid()))
            .cond_where(living_track())
            .limit(MOST_FOUND + 1);
        if let Some(collection) = collection {
            select.and_where(Column::CollectionId.eq(collection.uuid()));
        }
        let rows = self.search(&select).await?;
        if rows.len() as u64 > MOST_FOUND {
            return Ok(SearchMatches::Many);
        }
        let ids = rows.iter().map(|row| Ok(row.try_get("", "track_id")?));
        let mut ids = ids.collect::<Result<Vec<Uuid>, CatalogError>>()?;
        if let Some(index) = words.index() {
            let of_collection = |id: CollectionId| checked(track::Column::CollectionId.eq(id.uuid()));
            let named = track::Entity::find()
                .filter(track::Column::OrganizationId.eq(organization.uuid()))
                .filter(track::Column::Index.eq(index.to_string()))
                .filter(living_track())
                .apply_if(collection, |select, id| select.filter(of_collection(id)))
                .select_only()
                .column(track::Column::Id)
                .into_tuple::<Uuid>();
            ids.extend(named.one(self.reader()).await?.filter(|id| !ids.contains(id)));
        }
        Ok(SearchMatches::Few(ids))
    }

    /// Runs a search. The best plan depends on how common the words are and how large the organization is, so
    /// PostgreSQL plans each search for its own parameters instead of using a generic plan.
    pub(crate) async fn search(&self, select: &SelectStatement) -> Result<Vec<QueryResult>, CatalogError> {
        if self.backend() == Backend::Sqlite {
            return Ok(self.reader().query_all(select).await?);
        }
        let tx = self.begin_reading().await?;
        tx.execute_unprepared("SET LOCAL plan_cache_mode = force_custom_plan").await?;
        let rows = tx.query_all(select).await?;
        tx.commit().await?;
        Ok(rows)
    }

    /// A page of the organization's collections. A search looks for its words in their titles.
    pub async fn collection_page(
        &self,
        organization: OrganizationId,
        query: &PageQuery<CollectionSort, CollectionId>,
    ) -> Result<Page<Collection>, CatalogError> {
        use collection::Column;
        let mut select = collection::Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null());
        for word in query.words.iter().flat_map(SearchWords::iter) {
            // As in the search text of tracks, the text starts with a space.
            let title = Expr::value(" ").binary(BinOper::Custom("||"), Column::SortTitle.into_expr());
            select = select.filter(like(title, word));
        }
        let (column, is_descending) = match query.sort {
            CollectionSort::Oldest => (None, false),
            CollectionSort::Newest => (None, true),
            CollectionSort::Title => (Some(Column::SortTitle), false),
        };
        let total = match query.words.is_some() {
            true => select.clone().count(self.reader()).await?,
            false => self.collection_count(organization).await?,
        };
        let total = Total::Exactly(total);
        let keyset = Keyset { column, id: Column::Id, is_descending };
        keyset_page(self.reader(), select, keyset, query.cursor.map(CollectionId::uuid), query.limit, total)
            .await
    }

    /// The collections with these ids that are not deleted, in no particular order; at most 1000.
    pub async fn collections_among(
        &self,
        organization: OrganizationId,
        ids: &[CollectionId],
    ) -> Result<Vec<Collection>, CatalogError> {
        use collection::Column;
        let select = collection::Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .filter(Column::Id.is_in(ids.iter().map(|id| id.uuid())));
        readable(self.reader(), select).await
    }
}

impl Transaction {
    /// Stores the search text of a track.
    pub(crate) async fn put_track_search(&self, track: &Track) -> Result<(), CatalogError> {
        use track_search::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            id: NotSet,
            track_id: Set(track.id.uuid()),
            organization_id: Set(track.organization_id.uuid()),
            collection_id: Set(track.collection_id.uuid()),
            text: Set(track.search_text()),
        };
        let old = Expr::col((Entity, Column::Text));
        // Most changes of a track do not change its search text, so the index is left untouched.
        let replace = OnConflict::column(Column::TrackId)
            .update_column(Column::Text)
            .action_and_where(old.ne(Expr::col(("excluded", Column::Text))))
            .to_owned();
        let insert = Entity::insert(row).on_conflict(replace).into_query();
        self.db().execute(&insert).await?;
        Ok(())
    }

    /// Deletes the search text of a track.
    pub(crate) async fn delete_track_search(&self, track: TrackId) -> Result<(), CatalogError> {
        use track_search::{Column, Entity};
        Entity::delete_many().filter(Column::TrackId.eq(track.uuid())).exec(self.db()).await?;
        Ok(())
    }
}

pub(crate) fn listed_tracks(
    organization: OrganizationId,
    collection: Option<CollectionId>,
) -> Select<track::Entity> {
    use track::Column;
    let tracks = track::Entity::find();
    match collection {
        None => tracks.filter(Column::OrganizationId.eq(organization.uuid())).filter(living_track()),
        // The collection is checked once, not for every track: an index over it then suffices for counting.
        Some(id) => tracks
            .filter(Column::DeletedAt.is_null())
            .filter(Column::CollectionId.into_expr().eq(living_id(organization, id))),
    }
}

/// Whether a track matches the words. It is only checked on rows that other conditions have found: for each of them, the
/// search text is looked up.
pub(crate) fn matches(words: &SearchWords) -> Condition {
    use track_search::Column;
    let found = Query::select()
        .expr(Expr::value(1))
        .from(track_search::Entity)
        .and_where(Column::TrackId.into_expr().eq(track::Column::Id.into_expr()))
        .cond_where(holds(words.iter()))
        .take();
    let named = words.index().map(|index| checked(track::Column::Index.eq(index.to_string())));
    Condition::any().add(SimpleExpr::SubQuery(None, Box::new(found.into())).is_not_null()).add_option(named)
}

fn keyset_of_tracks(sort: TrackSort) -> Keyset<track::Column> {
    use track::Column;
    let (column, is_descending) = match sort {
        TrackSort::Order => (Some(Column::TrackOrder), false),
        TrackSort::Title => (Some(Column::SortTitle), false),
        // Ids increase with time.
        TrackSort::Newest => (None, true),
        TrackSort::Longest => (Some(Column::Duration), true),
        TrackSort::Status => (Some(Column::StatusRank), false),
    };
    Keyset { column, id: Column::Id, is_descending }
}

fn holds<'a>(words: impl Iterator<Item = &'a str>) -> Condition {
    let text = || Expr::col((track_search::Entity, track_search::Column::Text));
    words.fold(Condition::all(), |all, word| all.add(like(text(), word)))
}

/// The condition that a text contains a word, which is not a pattern. Each word of the text follows a space.
fn like(text: SimpleExpr, word: &str) -> SimpleExpr {
    contains(text, if is_beginning(word) { " " } else { "" }, word)
}

/// The form of a word that is looked up in the text, with a leading space if it must begin a word.
fn indexed(word: &str) -> String {
    if is_beginning(word) { format!(" {word}") } else { word.to_owned() }
}

/// The search texts that contain the words, on SQLite. Words that are long enough are looked up in the trigram index.
/// It folds letters in a way of its own, so that all words filter its results.
fn looked_up(words: &SearchWords) -> SelectStatement {
    let long: Vec<&str> = words.iter().filter(|word| indexed(word).chars().count() >= TRIGRAM).collect();
    let mut select = Query::select();
    if long.is_empty() {
        select.from(track_search::Entity);
    } else {
        let quoted: Vec<String> =
            long.iter().map(|word| format!("\"{}\"", indexed(word).replace('"', "\"\""))).collect();
        let row = Expr::col(("track_search_trigram", "rowid"));
        select
            .from("track_search_trigram")
            // SQLite keeps the order of a cross join, and stops once it has enough rows.
            .cross_join(track_search::Entity)
            .and_where(track_search::Column::Id.into_expr().eq(row))
            .and_where(Expr::cust_with_values("track_search_trigram MATCH ?", [quoted.join(" AND ")]));
    }
    select.cond_where(holds(words.iter())).take()
}
