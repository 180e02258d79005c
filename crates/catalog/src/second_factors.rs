//! Second factors of people. Secrets are sealed. Of recovery codes, only hashes are stored.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, Iterable, PaginatorTrait, QueryFilter, Set};
use tonearm_domain::{PersonId, SecondFactor};

use crate::catalog::Catalog;
use crate::entity::{recovery_code, second_factor};
use crate::error::CatalogError;
use crate::query::one;
use crate::transaction::Transaction;

impl Catalog {
    /// A person's second factor, including one that is being set up.
    pub async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, CatalogError> {
        one(self.reader(), second_factor::Entity::find_by_id(person.uuid())).await
    }

    /// How many recovery codes a person has left.
    pub async fn recovery_code_count(&self, person: PersonId) -> Result<u64, CatalogError> {
        let own = recovery_code::Column::PersonId.eq(person.uuid());
        Ok(recovery_code::Entity::find().filter(own).count(self.reader()).await?)
    }
}

impl Transaction {
    /// A person's second factor, including one that is being set up. The caller must have locked the person.
    pub async fn second_factor(&self, person: PersonId) -> Result<Option<SecondFactor>, CatalogError> {
        one(self.db(), second_factor::Entity::find_by_id(person.uuid())).await
    }

    /// Writes a person's second factor, replacing the earlier one.
    pub async fn put_second_factor(&self, factor: &SecondFactor) -> Result<(), CatalogError> {
        use second_factor::{ActiveModel, Column, Entity};
        let replace = OnConflict::column(Column::PersonId)
            .update_columns(Column::iter().filter(|column| !matches!(column, Column::PersonId)))
            .to_owned();
        Entity::insert(ActiveModel::from(factor))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }

    /// Removes a person's second factor and recovery codes. Returns whether there was a second factor.
    pub async fn delete_second_factor(&self, person: PersonId) -> Result<bool, CatalogError> {
        self.put_recovery_codes(person, &[]).await?;
        let deleted = second_factor::Entity::delete_by_id(person.uuid()).exec(self.db()).await?;
        Ok(deleted.rows_affected > 0)
    }

    /// Writes the hashes of a person's recovery codes, replacing the earlier ones.
    pub async fn put_recovery_codes(
        &self,
        person: PersonId,
        hashes: &[[u8; 32]],
    ) -> Result<(), CatalogError> {
        use recovery_code::{ActiveModel, Column, Entity};
        Entity::delete_many().filter(Column::PersonId.eq(person.uuid())).exec(self.db()).await?;
        if hashes.is_empty() {
            return Ok(());
        }
        let row =
            |hash: &[u8; 32]| ActiveModel { person_id: Set(person.uuid()), code_hash: Set(hash.to_vec()) };
        Entity::insert_many(hashes.iter().map(row)).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Consumes a recovery code. Returns whether the person had it.
    pub async fn take_recovery_code(&self, person: PersonId, hash: &[u8; 32]) -> Result<bool, CatalogError> {
        let row = recovery_code::Entity::delete_by_id((person.uuid(), hash.to_vec()));
        Ok(row.exec(self.db()).await?.rows_affected > 0)
    }
}
