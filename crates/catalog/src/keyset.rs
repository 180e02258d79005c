//! Keyset pagination: an index finds a page by the row before it, so a late page costs no more than the first.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};
use tonearm_domain::{
    Cursor, ListPart, ListPosition, Page, PageBytes, PageRecord, SearchWords, SortValue, Total,
};
use uuid::Uuid;

use crate::error::CatalogError;
use crate::query::{first_read, listed};

/// Rows that a search without an index reads at once.
const SEARCHED: u64 = 1000;

/// The sort order of a list: a column, then the id. Both have the same direction, so that one index serves both
/// directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyset<C> {
    /// `None` to sort by id alone.
    pub(crate) column: Option<C>,
    pub(crate) id: C,
    pub(crate) is_descending: bool,
}

impl<C: ColumnTrait> Keyset<C> {
    /// Whether a row is after the given one, or before it if not `forward`. The sort value of the given row is looked
    /// up, so that URLs need only its id.
    pub(crate) fn beyond<E: EntityTrait<Column = C>>(&self, row: Uuid, forward: bool) -> SimpleExpr {
        let of_row =
            |column: C| Query::select().column(column).from(E::default()).and_where(self.id.eq(row)).take();
        let own: Vec<SimpleExpr> =
            self.column.into_iter().chain([self.id]).map(|column| column.into_expr()).collect();
        let other: Vec<SimpleExpr> = self
            .column
            .into_iter()
            .map(|column| SimpleExpr::SubQuery(None, Box::new(of_row(column).into())))
            .chain([Expr::value(row)])
            .collect();
        let (own, other) = (Expr::tuple(own), Expr::tuple(other));
        if forward == self.is_descending { own.lt(other) } else { own.gt(other) }
    }

    /// Whether a row is after a position.
    pub(crate) fn after(&self, position: &ListPosition) -> SimpleExpr {
        let value = match &position.value {
            SortValue::None => None,
            SortValue::Integer(number) => Some(Expr::value(*number)),
            SortValue::Real(number) => Some(Expr::value(*number)),
            SortValue::Text(text) => Some(Expr::value(text.as_str())),
        };
        let own = self.column.into_iter().chain([self.id]).map(|column| column.into_expr());
        let own = Expr::tuple(own.collect::<Vec<SimpleExpr>>());
        let other = Expr::tuple(value.into_iter().chain([Expr::value(position.id)]).collect::<Vec<_>>());
        if self.is_descending { own.lt(other) } else { own.gt(other) }
    }

    pub(crate) fn sorted<E: EntityTrait<Column = C>>(&self, select: Select<E>, forward: bool) -> Select<E> {
        let order = if forward == self.is_descending { Order::Desc } else { Order::Asc };
        let by = self.column.into_iter().chain([self.id]);
        by.fold(select, |select, column| select.order_by(column, order.clone()))
    }
}

/// One page of a select. If there are no rows beyond the cursor (any more), the first page.
pub(crate) async fn keyset_page<T, E, C>(
    db: &C,
    select: Select<E>,
    keyset: Keyset<E::Column>,
    cursor: Cursor<Uuid>,
    limit: u32,
    total: Total,
) -> Result<Page<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    searched_page(db, select, keyset, cursor, (limit, total), None, |_| Vec::new()).await
}

/// Like [`keyset_page`], of the rows whose texts contain the words. Without an index, rows are read until the page is
/// full, which suits lists of some thousand rows.
pub(crate) async fn searched_page<T, E, C>(
    db: &C,
    select: Select<E>,
    keyset: Keyset<E::Column>,
    cursor: Cursor<Uuid>,
    (limit, total): (u32, Total),
    words: Option<&SearchWords>,
    texts: impl Fn(&E::Model) -> Vec<&str>,
) -> Result<Page<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    // One extra row shows whether there are more.
    let step = if words.is_some() { SEARCHED } else { u64::from(limit) + 1 };
    let fits = |row: &E::Model| words.is_none_or(|words| words.are_within(&texts(row)));
    let (mut at, forward) = match cursor {
        Cursor::First => (None, true),
        Cursor::After(row) => (Some(row), true),
        Cursor::Before(row) => (Some(row), false),
    };
    let mut found = Vec::new();
    while found.len() <= most {
        let beyond = at.map(|row| keyset.beyond::<E>(row, forward));
        let rest = select.clone().apply_if(beyond, |select, beyond| select.filter(beyond));
        let rows = listed(db, keyset.sorted(rest, forward).limit(step)).await?;
        let is_end = (rows.len() as u64) < step;
        at = rows.last().and_then(|row| row.id);
        let fitting = |row: E::Model| if fits(&row) { T::try_from(row).map(Some) } else { Ok(None) };
        found.extend(rows.into_iter().filter_map(|row| row.readable(fitting).flatten()));
        if is_end || at.is_none() {
            break;
        }
    }
    if found.is_empty() && cursor != Cursor::First {
        return Box::pin(searched_page(db, select, keyset, Cursor::First, (limit, total), words, texts))
            .await;
    }
    let has_more = found.len() > most;
    let mut rows: Vec<T> = found;
    rows.truncate(most);
    if !forward {
        rows.reverse();
    }
    let (has_before, has_after) = match cursor {
        Cursor::First => (false, has_more),
        Cursor::After(_) => (true, has_more),
        Cursor::Before(_) => (has_more, true),
    };
    Ok(Page { rows, has_before, has_after, total })
}

/// At most `limit` rows after a position, as many as fit a page, and the position after which the next rows follow.
/// `position_of` returns the position of a row.
pub(crate) async fn keyset_part<T, E, C>(
    db: &C,
    select: Select<E>,
    keyset: Keyset<E::Column>,
    after: Option<&ListPosition>,
    limit: u64,
    position_of: impl Fn(&E::Model) -> ListPosition,
) -> Result<ListPart<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError> + PageRecord,
    C: ConnectionTrait,
{
    let select = match after {
        None => select,
        Some(position) => select.filter(keyset.after(position)),
    };
    let read = |model: E::Model| Ok((position_of(&model), T::try_from(model)?));
    // One extra row shows whether there are more.
    let found = first_read(db, keyset.sorted(select, true), limit + 1, read).await?;
    let count = found.len();
    let (mut rows, mut last, mut page) = (Vec::new(), None, PageBytes::default());
    for (position, row) in found.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        if !page.fits(&row) {
            break;
        }
        rows.push(row);
        last = Some(position);
    }
    let next = last.filter(|_| rows.len() < count);
    Ok(ListPart { rows, next, count: None })
}
