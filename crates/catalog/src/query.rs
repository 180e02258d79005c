//! Runs selects and converts their rows into domain types, on a connection or in a transaction.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use sea_orm::sea_query::{ExprTrait, Keyword, LikeExpr, LockType, SimpleExpr};
use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic, Iterable, PaginatorTrait,
    PrimaryKeyToColumn, QueryResult, QuerySelect, QueryTrait, Select, TryGetableMany, UpdateMany,
};
use tonearm_domain::LimitOffset;
use uuid::Uuid;

use crate::error::{CatalogError, Record};
use crate::statements::Statements;

/// The lock that a transaction takes on a row it is about to change. It does not block transactions that only refer to
/// the row by a foreign key. SQLite has one writer at a time and needs no such lock; there it is left out.
pub(crate) const TO_CHANGE: LockType = LockType::NoKeyUpdate;

/// A condition that is only checked on rows that another condition has found, and that never uses an index.
///
/// Without it, a look-up by id that also names the organization could be planned as a scan of the organization's index:
/// PostgreSQL plans prepared statements without knowing the values, and both plans then look equally good.
pub(crate) fn checked(condition: SimpleExpr) -> SimpleExpr {
    condition.is(SimpleExpr::Keyword(Keyword::Custom("TRUE".into())))
}

/// The text contains `before` directly followed by `word`, which is taken literally and not as a pattern.
pub(crate) fn contains(text: SimpleExpr, before: &str, word: &str) -> SimpleExpr {
    let mut pattern = String::with_capacity(before.len() + word.len() + 3);
    pattern.push('%');
    pattern.push_str(before);
    for character in word.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    text.like(LikeExpr::new(pattern).escape('\\'))
}

pub(crate) async fn one<T, E, C>(db: &C, select: Select<E>) -> Result<Option<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    select.one(db).await?.map(T::try_from).transpose()
}

/// All rows, for a transaction that decides by them: none may be missing. Lists that are shown are [`readable`].
pub(crate) async fn all<T, E>(tx: &Statements, select: Select<E>) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    select.all(tx).await?.into_iter().map(T::try_from).collect()
}

/// The total number of rows, and the rows of the page.
pub(crate) async fn page<T, E, M, C>(
    db: &C,
    select: Select<E>,
    page: LimitOffset,
) -> Result<(u64, Vec<T>), CatalogError>
where
    E: EntityTrait<Model = M>,
    M: sea_orm::FromQueryResult + Sized + Send + Sync,
    T: TryFrom<M, Error = CatalogError>,
    C: ConnectionTrait,
{
    let total = keys_of(select.clone()).count(db).await?;
    if total <= page.offset() {
        return Ok((total, Vec::new()));
    }
    let rows = readable(db, select.limit(page.limit()).offset(page.offset())).await?;
    Ok((total, rows))
}

/// The rows of a list that can be read.
pub(crate) async fn readable<T, E, C>(db: &C, select: Select<E>) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    let rows = listed(db, select).await?;
    Ok(rows.into_iter().filter_map(|row| row.readable(T::try_from)).collect())
}

/// The first rows of a list that can be read, at most `limit`: others stand in for those that cannot be read.
pub(crate) async fn first_readable<T, E, C>(
    db: &C,
    select: Select<E>,
    limit: u64,
) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    first_read(db, select, limit, |row: E::Model| T::try_from(row)).await
}

/// Like [`first_readable`], with what `read` makes of each row.
pub(crate) async fn first_read<T, M, E, C>(
    db: &C,
    select: Select<E>,
    limit: u64,
    read: impl Fn(M) -> Result<T, CatalogError>,
) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    M: FromQueryResult,
    C: ConnectionTrait,
{
    let mut most = limit;
    loop {
        let rows = listed(db, select.clone().limit(most)).await?;
        let count = rows.len() as u64;
        let found: Vec<T> = rows.into_iter().filter_map(|row| row.readable(&read)).collect();
        let Some(more) = more_rows(limit, most, count, found.len()) else { return Ok(found) };
        most = more;
    }
}

/// How many rows to ask for next if `most` were asked for, and `found` of the `count` that came can be read. None if those
/// are enough, or there are no others.
fn more_rows(limit: u64, most: u64, count: u64, found: usize) -> Option<u64> {
    let missing = limit.saturating_sub(found as u64);
    (missing > 0 && count >= most).then_some(most + missing)
}

/// What `read` makes of the selected columns of each row, the first of which is its id, and the number of rows.
pub(crate) async fn read_columns<T, M, E, C>(
    db: &C,
    select: Select<E>,
    read: impl Fn(M) -> Result<T, CatalogError>,
) -> Result<(u64, Vec<T>), CatalogError>
where
    E: EntityTrait,
    M: TryGetableMany,
    C: ConnectionTrait,
{
    let rows = db.query_all(&select.into_query()).await?;
    let each = rows.iter().filter_map(|row| {
        let read =
            M::try_get_many_by_index(row).map_err(DbErr::from).map_err(CatalogError::from).and_then(&read);
        let id = || row.try_get_by_index(0).ok();
        read.map_err(|error| report_once(E::default().table_name(), id(), &error)).ok()
    });
    Ok((rows.len() as u64, each.collect()))
}

/// Like [`first_read`], with what `read` makes of the selected columns.
pub(crate) async fn first_read_columns<T, M, E, C>(
    db: &C,
    select: Select<E>,
    limit: u64,
    read: impl Fn(M) -> Result<T, CatalogError>,
) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    M: TryGetableMany,
    C: ConnectionTrait,
{
    let mut most = limit;
    loop {
        let (count, found) = read_columns(db, select.clone().limit(most), &read).await?;
        let Some(more) = more_rows(limit, most, count, found.len()) else { return Ok(found) };
        most = more;
    }
}

/// A row of a list. One that cannot be read is left out of the list and named in the log, so that it does not hide the
/// others.
pub(crate) struct ListedRow<M> {
    table: &'static str,
    /// The first column of its key, if that is an id.
    pub(crate) id: Option<Uuid>,
    model: Result<M, CatalogError>,
}

impl<M: FromQueryResult> ListedRow<M> {
    pub(crate) fn of<E: EntityTrait>(row: &QueryResult) -> Self {
        let key = E::PrimaryKey::iter().next().map(PrimaryKeyToColumn::into_column);
        Self {
            table: E::default().table_name(),
            id: key.and_then(|key| row.try_get("", key.as_str()).ok()),
            model: M::from_query_result(row, "").map_err(CatalogError::from),
        }
    }

    /// What is made of the row, if it can be read.
    pub(crate) fn readable<T>(self, read: impl FnOnce(M) -> Result<T, CatalogError>) -> Option<T> {
        let Self { table, id, model } = self;
        model.and_then(read).map_err(|error| report_once(table, id, &error)).ok()
    }
}

/// The rows of a list.
pub(crate) async fn listed<M: FromQueryResult, E: EntityTrait, C: ConnectionTrait>(
    db: &C,
    select: Select<E>,
) -> Result<Vec<ListedRow<M>>, CatalogError> {
    let rows = db.query_all(&select.into_query()).await?;
    Ok(rows.iter().map(ListedRow::of::<E>).collect())
}

/// How many damaged rows are remembered, so that each is logged once.
const MOST_REPORTED: usize = 1000;

pub(crate) fn report_once(table: &'static str, id: Option<Uuid>, error: &CatalogError) {
    static REPORTED: Mutex<BTreeSet<(&'static str, Option<Uuid>)>> = Mutex::new(BTreeSet::new());
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.len() < MOST_REPORTED && reported.insert((table, id)) {
        tracing::error!(table, ?id, %error, "a row cannot be read and is left out of lists; see `tonearm verify`");
    }
}

/// Selects only the keys of the same rows: enough to count them without sorting and without reading wide columns.
fn keys_of<E: EntityTrait>(select: Select<E>) -> Select<E> {
    let mut select = select.select_only().columns(E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column));
    QueryTrait::query(&mut select).clear_order_by();
    select
}

/// Changes rows by key. `record` is missing if there is no such row (any more).
pub(crate) async fn change<E, C>(db: &C, update: UpdateMany<E>, record: Record) -> Result<(), CatalogError>
where
    E: EntityTrait,
    C: ConnectionTrait,
{
    match update.exec(db).await?.rows_affected {
        0 => Err(CatalogError::Missing(record)),
        _ => Ok(()),
    }
}
