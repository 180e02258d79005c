//! When master secrets were in use: the `master_secret` table, which stores fingerprints but no secrets.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    Set,
};
use tonearm_domain::{MasterSecretUse, Timestamp};

use crate::catalog::Catalog;
use crate::entity::master_secret::{ActiveModel, Column, Entity};
use crate::entity::signing_key;
use crate::error::CatalogError;
use crate::sqlite;
use crate::url::{DatabaseLocation, DatabaseUrl};

impl Catalog {
    /// Whether a node that used this SQLite file has recorded its master secret. Nothing is changed, and the tables may be
    /// those of another version. `false` for a PostgreSQL server, whose nodes never create a secret.
    pub async fn has_master_secret(url: &DatabaseUrl) -> Result<bool, CatalogError> {
        match &url.0 {
            DatabaseLocation::Sqlite(path) => sqlite::has_master_secret(path).await,
            DatabaseLocation::Postgres(_) => Ok(false),
        }
    }

    /// Records that a node signs with a master secret, and deletes all but the latest records. The first call on a
    /// database also records the `others` that the node knows, since a version without these records may have signed
    /// with them until now.
    pub async fn note_master_secret(
        &self,
        fingerprint: &str,
        others: &[String],
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let tx = self.begin().await?;
        let is_first = Entity::find().one(tx.db()).await?.is_none();
        let others = if is_first { others } else { &[] };
        let rows = others.iter().map(String::as_str).chain([fingerprint]).map(|fingerprint| ActiveModel {
            fingerprint: Set(fingerprint.to_owned()),
            first_at: Set(now.unix_millis()),
            last_at: Set(now.unix_millis()),
        });
        let again = OnConflict::column(Column::Fingerprint).update_column(Column::LastAt).to_owned();
        Entity::insert_many(rows).on_conflict(again).exec_without_returning(tx.db()).await?;
        let latest = Query::select()
            .column(Column::Fingerprint)
            .from(Entity)
            .order_by(Column::LastAt, Order::Desc)
            .limit(MasterSecretUse::MOST_KEPT)
            .take();
        let others = Query::delete()
            .from_table(Entity)
            .and_where(Expr::col(Column::Fingerprint).in_subquery(latest).not())
            .take();
        tx.db().execute(&others).await?;
        tx.commit().await
    }

    /// The master secrets that were in use, the one first used last comes first.
    pub async fn master_secrets(&self) -> Result<Vec<MasterSecretUse>, CatalogError> {
        let select = Entity::find().order_by_desc(Column::FirstAt).limit(MasterSecretUse::MOST_KEPT);
        // All of them: a secret that is left out would be taken for one that never was in use.
        select.all(self.reader()).await?.into_iter().map(MasterSecretUse::try_from).collect()
    }

    /// The number of signing keys created at or before `until` that are not revoked.
    pub async fn live_signing_keys_until(&self, until: Timestamp) -> Result<u64, CatalogError> {
        let select = signing_key::Entity::find()
            .filter(signing_key::Column::RevokedAt.is_null())
            .filter(signing_key::Column::CreatedAt.lte(until.unix_millis()));
        Ok(select.count(self.reader()).await?)
    }
}
