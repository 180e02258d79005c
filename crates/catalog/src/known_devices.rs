//! Browsers in which people have signed in before. Only hashes of the cookies' secrets are stored.

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
    /// The device whose secret has this SHA-256, even if its time is over, if it is one of the person with this address.
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
    /// Adds a device, known by the SHA-256 of its secret, or writes its last use.
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

    /// Forgets all devices of a person but the `most` that were used last. The person is locked, so that this is done
    /// once at a time.
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

    /// Forgets every device of a person.
    pub async fn delete_known_devices(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many().filter(Column::PersonId.eq(person.uuid())).exec(self.db()).await?;
        Ok(())
    }
}
