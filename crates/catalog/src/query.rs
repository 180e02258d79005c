//! Runs selects and converts their rows into domain types, on a connection or in a transaction.

use sea_orm::sea_query::{ExprTrait, Keyword, LikeExpr, LockType, SimpleExpr};
use sea_orm::{
    ConnectionTrait, EntityTrait, Iterable, PaginatorTrait, PrimaryKeyToColumn, QuerySelect, QueryTrait,
    Select, UpdateMany,
};
use tonearm_domain::LimitOffset;

use crate::error::{CatalogError, Record};

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

pub(crate) async fn all<T, E, C>(db: &C, select: Select<E>) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
    C: ConnectionTrait,
{
    select.all(db).await?.into_iter().map(T::try_from).collect()
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
    let rows = all(db, select.limit(page.limit()).offset(page.offset())).await?;
    Ok((total, rows))
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
