//! People and the hashes of their passwords.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set};
use tonearm_domain::{Cursor, EmailAddress, Language, Page, Person, PersonId, SearchWords, Timestamp, Total};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::ending::one_to_end;
use crate::entity::person::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::keyset::{Keyset, searched_page};
use crate::query::{TO_CHANGE, change, one, readable};
use crate::transaction::Transaction;

impl Catalog {
    /// One person.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>, CatalogError> {
        one(self.reader(), Entity::find_by_id(id.uuid())).await
    }

    /// All people, oldest first.
    pub async fn people(&self) -> Result<Vec<Person>, CatalogError> {
        readable(self.reader(), Entity::find().order_by_asc(Column::Id)).await
    }

    /// A page of the people whose name or address contains each of the words, oldest first. They are not counted.
    pub async fn person_page(
        &self,
        words: Option<&SearchWords>,
        cursor: Cursor<PersonId>,
        limit: u32,
    ) -> Result<Page<Person>, CatalogError> {
        let keyset = Keyset { column: None, id: Column::Id, is_descending: false };
        let (cursor, page) = (cursor.map(|id| id.uuid()), (limit, Total::MoreThan(0)));
        searched_page(self.reader(), Entity::find(), keyset, cursor, page, words, |row| {
            vec![&row.name, &row.email]
        })
        .await
    }

    /// The person with this address.
    pub async fn person_by_email(&self, email: &EmailAddress) -> Result<Option<Person>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::Email.eq(email.as_str()))).await
    }

    /// The id of the person with this address. Nothing else is read.
    pub async fn person_id_by_email(&self, email: &EmailAddress) -> Result<Option<PersonId>, CatalogError> {
        let found = Entity::find().filter(Column::Email.eq(email.as_str())).select_only().column(Column::Id);
        let id: Option<Uuid> = found.into_tuple().one(self.reader()).await?;
        Ok(id.map(PersonId::from_uuid))
    }

    /// Whether anybody has a password, whose hash is not `none`, or was ever linked to an account of a provider.
    pub async fn has_credentials(&self, none: &str) -> Result<bool, CatalogError> {
        Ok(with_credentials(none).limit(1).count(self.reader()).await? > 0)
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

fn with_credentials(none: &str) -> Select<Entity> {
    Entity::find().filter(Column::PasswordHash.ne(none).or(Column::ClaimedAt.is_not_null()))
}

impl Transaction {
    /// One person, locked for a change.
    pub async fn person(&self, id: PersonId) -> Result<Option<Person>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Locks a person. Nothing else is read.
    pub async fn lock_person(&self, id: PersonId) -> Result<(), CatalogError> {
        let select = Entity::find_by_id(id.uuid()).lock(TO_CHANGE).select_only().column(Column::Id);
        select.into_tuple::<Uuid>().one(self.db()).await?;
        Ok(())
    }

    /// One person, locked and to be removed.
    pub async fn person_to_end(&self, id: PersonId) -> Result<Option<Person>, CatalogError> {
        one_to_end(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Whether there are any people.
    pub async fn has_people(&self) -> Result<bool, CatalogError> {
        Ok(Entity::find().limit(1).count(self.db()).await? > 0)
    }

    /// See [`Catalog::has_credentials`].
    pub async fn has_credentials(&self, none: &str) -> Result<bool, CatalogError> {
        Ok(with_credentials(none).limit(1).count(self.db()).await? > 0)
    }

    /// One person with the hash of the password, locked for a change.
    pub async fn person_with_password(&self, id: PersonId) -> Result<Option<(Person, String)>, CatalogError> {
        let row = Entity::find_by_id(id.uuid()).lock(TO_CHANGE).one(self.db()).await?;
        row.map(|row| {
            let hash = row.password_hash.clone();
            Ok((Person::try_from(row)?, hash))
        })
        .transpose()
    }

    /// Whether a person has this address.
    pub async fn is_address_taken(&self, email: &EmailAddress) -> Result<bool, CatalogError> {
        Ok(Entity::find().filter(Column::Email.eq(email.as_str())).count(self.db()).await? > 0)
    }

    /// The person with this address and the hash of the password, locked for a change.
    pub async fn person_with_password_by_email(
        &self,
        email: &EmailAddress,
    ) -> Result<Option<(Person, String)>, CatalogError> {
        let select = Entity::find().filter(Column::Email.eq(email.as_str())).lock(TO_CHANGE);
        let row = select.one(self.db()).await?;
        row.map(|row| {
            let hash = row.password_hash.clone();
            Ok((Person::try_from(row)?, hash))
        })
        .transpose()
    }

    /// Whether an account of a provider was ever linked to a person.
    pub async fn is_claimed(&self, id: PersonId) -> Result<bool, CatalogError> {
        let select = Entity::find_by_id(id.uuid()).filter(Column::ClaimedAt.is_not_null());
        Ok(select.count(self.db()).await? > 0)
    }

    /// Records that an account of a provider is or was linked to a person.
    pub(crate) async fn claim(&self, id: PersonId, now: Timestamp) -> Result<(), CatalogError> {
        Entity::update_many()
            .col_expr(Column::ClaimedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::ClaimedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// The owners of every new organization: administrators who may sign in.
    pub async fn administrators(&self) -> Result<Vec<PersonId>, CatalogError> {
        let select = Entity::find()
            .filter(Column::IsAdministrator.eq(true))
            .filter(Column::DisabledAt.is_null())
            .order_by_asc(Column::Id)
            .select_only()
            .column(Column::Id);
        let ids: Vec<Uuid> = select.into_tuple().all(self.db()).await?;
        Ok(ids.into_iter().map(PersonId::from_uuid).collect())
    }

    /// The same, locked: the administrators do not change until the end of the transaction.
    pub async fn administrators_to_change(&self) -> Result<Vec<PersonId>, CatalogError> {
        let select = Entity::find()
            .filter(Column::IsAdministrator.eq(true))
            .order_by_asc(Column::Id)
            .lock(TO_CHANGE)
            .select_only()
            .columns([Column::Id, Column::IsAdministrator])
            .column_as(Column::DisabledAt.is_null(), "may_sign_in");
        let rows: Vec<(Uuid, bool, bool)> = select.into_tuple().all(self.db()).await?;
        // Filter again after locking: another transaction may have changed the rows while this one waited.
        let active =
            rows.into_iter().filter(|(_, is_administrator, may_sign_in)| *is_administrator && *may_sign_in);
        Ok(active.map(|(id, ..)| PersonId::from_uuid(id)).collect())
    }

    /// Disables sign-in for a person from a moment on, or enables it again with `None`.
    pub async fn set_person_disabled(
        &self,
        id: PersonId,
        since: Option<Timestamp>,
    ) -> Result<(), CatalogError> {
        let since = since.map(|at| at.unix_millis());
        let update = Entity::update_many()
            .col_expr(Column::DisabledAt, Expr::value(since))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }

    /// Sets whether a person is an administrator.
    pub async fn set_administrator(&self, id: PersonId, is_one: bool) -> Result<(), CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::IsAdministrator, Expr::value(is_one))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }

    /// Removes a person, with the person's memberships, sessions, devices and links. Records of what the person did are
    /// kept.
    pub async fn delete_person(&self, id: PersonId) -> Result<bool, CatalogError> {
        Ok(Entity::delete_by_id(id.uuid()).exec(self.db()).await?.rows_affected > 0)
    }

    /// Adds a person. The address must not be in use.
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

    /// Sets the language of a person's pages.
    pub async fn set_person_language(
        &self,
        id: PersonId,
        language: Option<Language>,
    ) -> Result<(), CatalogError> {
        let language = language.map(Language::as_str);
        let update = Entity::update_many()
            .col_expr(Column::Language, Expr::value(language))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }

    /// Replaces the hash of a person's password.
    pub async fn set_password_hash(&self, id: PersonId, hash: &str) -> Result<(), CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::PasswordHash, Expr::value(hash))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Person).await
    }
}
