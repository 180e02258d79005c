//! Rows that are ended, although columns of theirs cannot be read.
//!
//! Whoever ends a record needs few of its columns, and is answered with all of it. So that damage keeps nothing alive,
//! blanks are read in place of the columns that cannot be read. They are written in the transaction that ends the record for
//! good: what can be restored keeps its columns as they are, and what identifies a row, or says what it belongs to, is
//! never written.

use sea_orm::sea_query::{Expr, ExprTrait, Keyword, SimpleExpr};
use sea_orm::{
    ColumnTrait, ColumnType, Condition, ConnectionTrait, EntityTrait, FromQueryResult, IdenStatic, Iterable,
    PrimaryKeyToColumn, QueryFilter, QueryResult, QuerySelect, QueryTrait, Select, Value,
};
use serde_json::json;
use tonearm_domain::{
    ApiKey, CachePolicy, Collection, KeyType, Recipe, RecipeType, Role, SigningKey, Track, TrackStatus,
    WebhookKind,
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
const TOGETHER: [&[&str]; 2] = [&["cover_version", "cover_origin"], &["variant_type_id", "settings"]];

/// Columns with what is read in their place.
type Blanks<E> = Vec<(<E as EntityTrait>::Column, SimpleExpr)>;

/// The row that is to be ended.
pub(crate) async fn one_to_end<T, E>(db: &Statements, select: Select<E>) -> Result<Option<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    match db.query_one(&select.into_query()).await? {
        Some(row) => Ok(Some(read::<T, E>(db, &row).await?.0)),
        None => Ok(None),
    }
}

/// All rows that are to be ended.
pub(crate) async fn all_to_end<T, E>(db: &Statements, select: Select<E>) -> Result<Vec<T>, CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    let mut all = Vec::new();
    for row in db.query_all(&select.into_query()).await? {
        all.push(read::<T, E>(db, &row).await?.0);
    }
    Ok(all)
}

/// The record of a row, the condition that finds the row, and what was read in place of columns that cannot be read.
async fn read<T, E>(db: &Statements, row: &QueryResult) -> Result<(T, Condition, Blanks<E>), CatalogError>
where
    E: EntityTrait,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    let listed = ListedRow::<E::Model>::of::<E>(row);
    let id = listed.id;
    if let Some(record) = listed.readable(T::try_from) {
        return Ok((record, Condition::all(), Vec::new()));
    }
    let keys: Vec<E::Column> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let values = key_of(row, &keys)?.values;
    let own = keys
        .iter()
        .zip(values)
        .fold(Condition::all(), |own, (key, value)| own.add(key.into_expr().eq(value)));
    let others = E::Column::iter().filter(|column| keys.iter().all(|key| key.as_str() != column.as_str()));
    let mut blanked: Blanks<E> = others.filter_map(|column| Some((column, blank(column, id)?))).collect();
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
    Ok((record, own, blanked))
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
        // As long as a source has a key, it has these. No file has this hash, so that nobody takes the source for its own.
        "source_size" => Some(Expr::value(0_i64)),
        "source_sha256" => Some(Expr::value([*id?.as_bytes(); 2].concat())),
        // Whoever ended the record no longer needs its folder. Its objects are found by the sweep.
        "index" | "folder" => text(&id?.simple().to_string()[20..]),
        "track_status_id" => text(TrackStatus::Error.as_str()),
        "api_key_type_id" => text(KeyType::Share.as_str()),
        "variant_type_id" => text(RecipeType::Original.as_str()),
        "cache" => text(CachePolicy::default().as_str()),
        "role" => text(Role::Viewer.as_str()),
        "kind" => text(WebhookKind::Track.as_str()),
        "email" => text("unreadable@tonearm.invalid"),
        "region" | "access_key_id" => text("unreadable"),
        _ if definition.is_null() => Some(SimpleExpr::Keyword(Keyword::Null)),
        _ => match definition.get_column_type() {
            ColumnType::Integer => Some(Expr::value(0_i32)),
            ColumnType::BigInteger => Some(Expr::value(0_i64)),
            ColumnType::Double => Some(Expr::value(0_f64)),
            ColumnType::Boolean => Some(Expr::value(false)),
            ColumnType::Json => Some(Expr::value(json!({}))),
            ColumnType::String(_) => text(""),
            ColumnType::Uuid => Some(Expr::value(Uuid::nil())),
            _ => None,
        },
    }
}

/// Whether the column says what a record belongs to.
fn is_place(column: impl ColumnTrait) -> bool {
    let definition = column.def();
    matches!(definition.get_column_type(), ColumnType::Uuid) && !definition.is_null()
}

impl Transaction {
    /// Blanks what cannot be read of a row that was deleted for good or revoked, and that nobody can end again. Returns
    /// whether it was.
    pub async fn blank_ended(&self, row: &DamagedRow) -> Result<bool, CatalogError> {
        let id: Value = row.id.parse::<Uuid>().map_or_else(|_| row.id.as_str().into(), Into::into);
        match row.table {
            "track" => self.blank_track(id).await,
            "collection" => self.blank_collection(id).await,
            "variant" => self.blank_recipe(id).await,
            "api_key" => self.blank_api_key(id).await,
            "signing_key" => self.blank_signing_key(id).await,
            _ => Ok(false),
        }
    }

    pub(crate) async fn blank_track(&self, id: impl Into<Value>) -> Result<bool, CatalogError> {
        use track::Column::{DeletedAt, RestorableUntil};
        self.blank::<Track, track::Entity>(id, DeletedAt, Some(RestorableUntil)).await
    }

    pub(crate) async fn blank_collection(&self, id: impl Into<Value>) -> Result<bool, CatalogError> {
        use collection::Column::{DeletedAt, RestorableUntil};
        self.blank::<Collection, collection::Entity>(id, DeletedAt, Some(RestorableUntil)).await
    }

    pub(crate) async fn blank_recipe(&self, id: impl Into<Value>) -> Result<bool, CatalogError> {
        self.blank::<Recipe, variant::Entity>(id, variant::Column::DeletedAt, None).await
    }

    pub(crate) async fn blank_api_key(&self, id: impl Into<Value>) -> Result<bool, CatalogError> {
        self.blank::<ApiKey, api_key::Entity>(id, api_key::Column::RevokedAt, None).await
    }

    pub(crate) async fn blank_signing_key(&self, id: impl Into<Value>) -> Result<bool, CatalogError> {
        self.blank::<SigningKey, signing_key::Entity>(id, signing_key::Column::RevokedAt, None).await
    }

    /// Blanks what cannot be read of a row that has an end, unless it can be restored.
    async fn blank<T, E>(
        &self,
        id: impl Into<Value>,
        end: E::Column,
        restorable: Option<E::Column>,
    ) -> Result<bool, CatalogError>
    where
        E: EntityTrait,
        T: TryFrom<E::Model, Error = CatalogError>,
    {
        let Some(key) = E::PrimaryKey::iter().next() else { return Ok(false) };
        let ended = E::find().filter(key.into_column().eq(id)).filter(end.is_not_null());
        let ended = restorable.into_iter().fold(ended, |ended, until| ended.filter(until.is_null()));
        let Some(row) = self.db().query_one(&ended.into_query()).await? else { return Ok(false) };
        let (_, own, blanked) = read::<T, E>(self.db(), &row).await?;
        let written: Vec<_> = blanked.into_iter().filter(|(column, _)| !is_place(*column)).collect();
        if !written.is_empty() {
            let update = E::update_many();
            let update = written.into_iter().fold(update, |update, (it, blank)| update.col_expr(it, blank));
            update.filter(own).exec(self.db()).await?;
        }
        Ok(true)
    }
}
