//! The object store that this database belongs to.

use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{ObjectKey, StoreId, Timestamp};

use crate::catalog::Catalog;
use crate::column::{moment, moment_if_set, parsed};
use crate::entity::store::{ActiveModel, Column, Entity, Model, ONLY};
use crate::entity::{track, unfinished_restore};
use crate::error::CatalogError;
use crate::living::kept_tracks;
use crate::query::one;
use crate::transaction::Transaction;

/// The identity that the database and its store share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreRecord {
    /// The identity.
    pub id: StoreId,
    /// When it was created.
    pub made_at: Timestamp,
    /// Since when the store holds it too; `None` while it is being written there.
    pub tied_at: Option<Timestamp>,
}

impl TryFrom<Model> for StoreRecord {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: StoreId::new(parsed("store.identity", &row.identity)?),
            made_at: moment("store.made_at", row.made_at)?,
            tied_at: moment_if_set("store.tied_at", row.tied_at)?,
        })
    }
}

impl Catalog {
    /// The identity of the store that the database belongs to.
    pub async fn store_record(&self) -> Result<Option<StoreRecord>, CatalogError> {
        one(self.reader(), Entity::find_by_id(ONLY)).await
    }

    /// Sources of tracks that are not deleted or can be restored: up to `count` of the oldest and as many of the
    /// newest.
    pub async fn sample_of_sources(&self, count: u64) -> Result<Vec<ObjectKey>, CatalogError> {
        use track::Column::{Id, SourceKey};
        let mut sample = Vec::new();
        for order in [Order::Asc, Order::Desc] {
            let select = track::Entity::find()
                .select_only()
                .column(SourceKey)
                .filter(SourceKey.is_not_null())
                .filter(kept_tracks())
                .order_by(Id, order)
                .limit(count);
            for name in select.into_tuple::<String>().all(self.reader()).await? {
                sample.push(parsed::<ObjectKey>("track.source_key", &name)?);
            }
        }
        sample.sort_by_key(ToString::to_string);
        sample.dedup();
        Ok(sample)
    }
}

impl Transaction {
    /// Proposes an identity and returns the one in effect: the first that any node proposed.
    pub async fn propose_store_id(&self, id: StoreId, now: Timestamp) -> Result<StoreRecord, CatalogError> {
        Entity::insert(fresh(id, now))
            .on_conflict_do_nothing_on([Column::Id])
            .exec_without_returning(self.db())
            .await?;
        one(self.db(), Entity::find_by_id(ONLY)).await?.ok_or_else(|| {
            CatalogError::Corrupt("the identity of the object store was removed in the meantime".to_owned())
        })
    }

    /// Replaces the identity, whatever it was. It must still be written to the store.
    pub async fn replace_store_id(&self, id: StoreId, now: Timestamp) -> Result<(), CatalogError> {
        let replace = OnConflict::column(Column::Id)
            .update_columns([Column::Identity, Column::MadeAt, Column::TiedAt])
            .to_owned();
        Entity::insert(fresh(id, now)).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Records that the store holds the identity, which completes a restore. Returns `false` if the database has
    /// another identity by now.
    pub async fn tie_store(&self, id: StoreId, now: Timestamp) -> Result<bool, CatalogError> {
        let tied = Entity::update_many()
            .col_expr(Column::TiedAt, Expr::value(now.unix_millis()))
            .filter(Column::Identity.eq(id.as_str()))
            .exec(self.db())
            .await?;
        unfinished_restore::Entity::delete_many().exec(self.db()).await?;
        Ok(tied.rows_affected > 0)
    }
}

fn fresh(id: StoreId, now: Timestamp) -> ActiveModel {
    ActiveModel {
        id: Set(ONLY),
        identity: Set(id.to_string()),
        made_at: Set(now.unix_millis()),
        tied_at: Set(None),
    }
}
