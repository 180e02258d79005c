//! Rows that are ended, although columns of theirs cannot be read.
//!
//! Whoever ends a record needs few of its columns, and is answered with all of it. So that damage keeps nothing alive,
//! columns that cannot be read are blanked in the transaction that ends the record. Those that identify a row, or say what
//! it belongs to, never are.

use sea_orm::sea_query::{Expr, ExprTrait, Keyword, SimpleExpr};
use sea_orm::{
    ColumnTrait, ColumnType, Condition, ConnectionTrait, EntityTrait, FromQueryResult, IdenStatic, Iterable,
    PrimaryKeyToColumn, QueryFilter, QuerySelect, QueryTrait, Select, Value,
};
use serde_json::json;
use tonearm_domain::{
    ApiKey, CachePolicy, Collection, KeyType, Recipe, RecipeType, Role, SigningKey, Track, TrackStatus,
};
use uuid::Uuid;

use crate::damaged::{DamagedRow, key_of};
use crate::entity::{api_key, collection, signing_key, track, variant};
use crate::error::CatalogError;
use crate::query::ListedRow;
use crate::statements::Statements;
use crate::transaction::Transaction;

/// The end of the year 9999.
const FAR: i64 = 253_402_300_799_000;
/// Columns that are read together.
const TOGETHER: [&[&str]; 3] = [
    &["cover_version", "cover_origin"],
    &["source_key", "source_size", "source_sha256"],
    &["variant_type_id", "settings"],
];

/// The row that is to be ended. Its columns that cannot be read are blanked.
pub(crate) async fn one_to_end<T, E>(db: &Statements, select: Select<E>) -> Result<Option<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    let Some(row) = db.query_one(&select.into_query()).await? else { return Ok(None) };
    let listed = ListedRow::<E::Model>::of::<E>(&row);
    let id = listed.id;
    if let Some(record) = listed.readable(T::try_from) {
        return Ok(Some(record));
    }
    let keys: Vec<E::Column> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let values = key_of(&row, &keys)?.values;
    let own = keys
        .iter()
        .zip(values)
        .fold(Condition::all(), |own, (key, value)| own.add(key.into_expr().eq(value)));
    let others = E::Column::iter().filter(|column| keys.iter().all(|key| key.as_str() != column.as_str()));
    let mut blanked: Vec<(E::Column, SimpleExpr)> =
        others.filter_map(|column| Some((column, blank(column, id)?))).collect();
    let mut record = read_with::<T, E>(db, &own, &blanked).await?;
    // Each that can be read is kept.
    for column in E::Column::iter() {
        let kept = together(column.as_str());
        let fewer: Vec<_> = blanked.iter().filter(|(it, _)| !kept.contains(&it.as_str())).cloned().collect();
        if fewer.len() < blanked.len()
            && let Ok(read) = read_with::<T, E>(db, &own, &fewer).await
        {
            (record, blanked) = (read, fewer);
        }
    }
    let update =
        blanked.into_iter().fold(E::update_many(), |update, (column, blank)| update.col_expr(column, blank));
    update.filter(own).exec(db).await?;
    Ok(Some(record))
}

/// Reads a row with these values in the place of its own.
async fn read_with<T, E>(
    db: &Statements,
    own: &Condition,
    blanked: &[(E::Column, SimpleExpr)],
) -> Result<T, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    let select = E::Column::iter().fold(E::find().select_only(), |select, column| {
        match blanked.iter().find(|(it, _)| it.as_str() == column.as_str()) {
            Some((_, blank)) => select.expr_as(blank.clone(), column.as_str()),
            None => select.column(column),
        }
    });
    let row = db.query_one(&select.filter(own.clone()).into_query()).await?;
    let row = row.ok_or_else(|| CatalogError::Corrupt("a row has gone while it was read".to_owned()))?;
    T::try_from(E::Model::from_query_result(&row, "")?)
}

fn together(column: &'static str) -> Vec<&'static str> {
    let group = TOGETHER.into_iter().find(|group| group.contains(&column));
    group.map_or_else(|| vec![column], <[_]>::to_vec)
}

/// What takes the place of a value that cannot be read. It brings nothing back that was ended.
fn blank(column: impl ColumnTrait, id: Option<Uuid>) -> Option<SimpleExpr> {
    let definition = column.def();
    let text = |text: &str| Some(Expr::value(text));
    match column.as_str() {
        "deleted_at" | "revoked_at" => Some(Expr::value(0_i64)),
        // What has no end is ended.
        "expires_at" => Some(Expr::value(FAR)),
        "selection" | "theme" => Some(Expr::value(json!([]))),
        // Whoever ended the record no longer needs its folder. Its objects are found by the sweep.
        "index" | "folder" => text(&id?.simple().to_string()[20..]),
        "track_status_id" => text(TrackStatus::Error.as_str()),
        "api_key_type_id" => text(KeyType::Share.as_str()),
        "variant_type_id" => text(RecipeType::Original.as_str()),
        "cache" => text(CachePolicy::default().as_str()),
        "role" => text(Role::Viewer.as_str()),
        // Rows are found by these, or no text stands for none.
        "kind" | "email" | "region" | "access_key_id" => None,
        _ if definition.is_null() => Some(SimpleExpr::Keyword(Keyword::Null)),
        _ => match definition.get_column_type() {
            ColumnType::Integer => Some(Expr::value(0_i32)),
            ColumnType::BigInteger => Some(Expr::value(0_i64)),
            ColumnType::Double => Some(Expr::value(0_f64)),
            ColumnType::Boolean => Some(Expr::value(false)),
            ColumnType::Json => Some(Expr::value(json!({}))),
            ColumnType::String(_) => text(""),
            _ => None,
        },
    }
}

impl Transaction {
    /// Blanks what cannot be read of a row that was deleted or revoked, and that nobody can end again. Returns whether it
    /// was.
    pub async fn blank_ended(&self, row: &DamagedRow) -> Result<bool, CatalogError> {
        match row.table {
            "track" => self.blank::<Track, track::Entity>(row, track::Column::DeletedAt).await,
            "collection" => {
                self.blank::<Collection, collection::Entity>(row, collection::Column::DeletedAt).await
            }
            "variant" => self.blank::<Recipe, variant::Entity>(row, variant::Column::DeletedAt).await,
            "api_key" => self.blank::<ApiKey, api_key::Entity>(row, api_key::Column::RevokedAt).await,
            "signing_key" => {
                self.blank::<SigningKey, signing_key::Entity>(row, signing_key::Column::RevokedAt).await
            }
            _ => Ok(false),
        }
    }

    /// Blanks a row with one key that has an end.
    async fn blank<T, E>(&self, row: &DamagedRow, end: E::Column) -> Result<bool, CatalogError>
    where
        E: EntityTrait,
        T: TryFrom<E::Model, Error = CatalogError>,
    {
        let Some(key) = E::PrimaryKey::iter().next() else { return Ok(false) };
        let id: Value = row.id.parse::<Uuid>().map_or_else(|_| row.id.as_str().into(), Into::into);
        let select = E::find().filter(key.into_column().eq(id)).filter(end.is_not_null());
        Ok(one_to_end::<T, E>(self.db(), select).await?.is_some())
    }
}
