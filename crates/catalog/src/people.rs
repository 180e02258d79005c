//! People and the hashes of their passwords.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{EmailAddress, Person, PersonId};

use crate::catalog::Catalog;
use crate::entity::person::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, change, one};
use crate::transaction::Transaction;

impl Catalog {
    /// One person.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>, CatalogError> {
        one(self.reader(), Entity::find_by_id(id.uuid())).await
    }

    /// Everybody, by creation.
    pub async fn people(&self) -> Result<Vec<Person>, CatalogError> {
        all(self.reader(), Entity::find().order_by_asc(Column::Id)).await
    }

    /// Whether there is anybody at all.
    pub async fn has_people(&self) -> Result<bool, CatalogError> {
        Ok(Entity::find().limit(1).count(self.reader()).await? > 0)
    }

    /// The person with this address, and the hash of the person's password.
    pub async fn person_with_password(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<(Person, String)>, CatalogError> {
        let row = Entity::find().filter(Column::Email.eq(email.as_str())).one(self.reader()).await?;
        row.map(|row| {
            let hash = row.password_hash.clone();
            Ok((Person::try_from(row)?, hash))
        })
        .transpose()
    }

    /// The hash of a person's password.
    pub async fn password_hash(&self, id: PersonId) -> Result<Option<String>, CatalogError> {
        Ok(Entity::find_by_id(id.uuid()).one(self.reader()).await?.map(|row| row.password_hash))
    }
}

impl Transaction {
    /// One person, locked for a change.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Whether there is anybody at all.
    pub async fn has_people(&self) -> Result<bool, CatalogError> {
        Ok(Entity::find().limit(1).count(self.db()).await? > 0)
    }

    /// Those who own every new organization.
    pub async fn administrators(&self) -> Result<Vec<PersonId>, CatalogError> {
        let select = Entity::find().filter(Column::IsAdministrator.eq(true)).order_by_asc(Column::Id);
        let rows = select.all(self.db()).await?;
        Ok(rows.into_iter().map(|row| PersonId::from_uuid(row.id)).collect())
    }

    /// Adds a person. The address must be free.
    pub async fn insert_person(&self, person: &Person, password_hash: &str) -> Result<(), CatalogError> {
        let mut row = ActiveModel::from(person);
        row.password_hash = Set(password_hash.to_owned());
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::EmailAddress))?;
        Ok(())
    }

    /// Writes a person's name.
    pub async fn rename_person(&self, id: PersonId, name: &str) -> Result<(), CatalogError> {
        let update =
            Entity::update_many().col_expr(Column::Name, Expr::value(name)).filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }

    /// Gives a person another password.
    pub async fn set_password_hash(&self, id: PersonId, hash: &str) -> Result<(), CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::PasswordHash, Expr::value(hash))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }
}
