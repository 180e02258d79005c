//! Running a select and taking its rows over into the domain, the same on a connection and in a transaction.

use sea_orm::sea_query::{ExprTrait, Keyword, LikeExpr, LockType, SimpleExpr};
use sea_orm::{
    ConnectionTrait, EntityTrait, Iterable, PaginatorTrait, PrimaryKeyToColumn, QuerySelect, QueryTrait,
    Select, UpdateMany,
};
use tonearm_domain::LimitOffset;

use crate::error::{CatalogError, Record};

/// The lock that a transaction takes on a row it is about to change. It does not hold up those who only refer to
/// the row by a foreign key. SQLite has one writer at a time and needs no such lock; there it is left out.
pub(crate) const TO_CHANGE: LockType = LockType::NoKeyUpdate;

/// A condition that is checked on rows which another condition has found, and that no index is used for.
///
/// A look-up by id that names the organization too could otherwise be planned as a walk through the organization's
/// index: PostgreSQL plans prepared statements for values that it does not know, and both then look as good.
pub(crate) fn checked(condition: SimpleExpr) -> SimpleExpr {
    condition.is(SimpleExpr::Keyword(Keyword::Custom("TRUE".into())))
}

/// That a text contains a word, which is no pattern, right after `before`.
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

/// How many rows there are in all, and those of the page.
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

/// The same rows, by their keys alone: enough to count them, without sorting and without reading what is wide.
fn keys_of<E: EntityTrait>(select: Select<E>) -> Select<E> {
    let mut select = select.select_only().columns(E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column));
    QueryTrait::query(&mut select).clear_order_by();
    select
}

/// Changes rows by key; `record` is missing where there is no such row (any more).
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
