//! Known devices: browsers in which people have signed in before. Only hashes of the secrets in their cookies are
//! stored.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, Set};
use tonearm_domain::{EmailAddress, KnownDevice, PersonId};

use crate::catalog::Catalog;
use crate::entity::known_device::{ActiveModel, Column, Entity};
use crate::entity::person;
use crate::error::CatalogError;
use crate::query::one;
use crate::transaction::Transaction;

impl Catalog {
    /// The device whose secret has this SHA-256, even if it has expired, if it belongs to the person with this email
    /// address.
    pub async fn known_device(
        &self,
        hash: &[u8; 32],
        email: &EmailAddress,
    ) -> Result<Option<KnownDevice>, CatalogError> {
        let select = Entity::find_by_id(hash.to_vec())
            .inner_join(person::Entity)
            .filter(person::Column::Email.eq(email.as_str()));
        one(self.reader(), select).await
    }
}

impl Transaction {
    /// Adds a device, identified by the SHA-256 of its secret, or updates its last use.
    pub async fn put_known_device(&self, device: KnownDevice, hash: &[u8; 32]) -> Result<(), CatalogError> {
        let row = ActiveModel {
            token_hash: Set(hash.to_vec()),
            person_id: Set(device.person_id.uuid()),
            seen_at: Set(device.seen_at.unix_millis()),
        };
        let update = OnConflict::column(Column::TokenHash).update_column(Column::SeenAt).to_owned();
        Entity::insert(row).on_conflict(update).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Deletes all devices of a person except the `most` that were used last. The person is locked, so that only one
    /// transaction does this at a time.
    pub async fn limit_known_devices(&self, person: PersonId, most: u64) -> Result<(), CatalogError> {
        self.person(person).await?;
        let beyond = Query::select()
            .column(Column::TokenHash)
            .from(Entity)
            .and_where(Expr::col(Column::PersonId).eq(person.uuid()))
            .order_by(Column::SeenAt, Order::Desc)
            .limit(1000)
            .offset(most)
            .take();
        let delete = Query::delete()
            .from_table(Entity)
            .and_where(Expr::col(Column::TokenHash).in_subquery(beyond))
            .take();
        self.db().execute(&delete).await?;
        Ok(())
    }

    /// Deletes all devices of a person.
    pub async fn delete_known_devices(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many().filter(Column::PersonId.eq(person.uuid())).exec(self.db()).await?;
        Ok(())
    }
}
