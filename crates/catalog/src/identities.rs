//! Accounts of people at an OpenID Connect provider, and the used states of sign-ins with it.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Select, Set, TryInsertResult,
};
use tonearm_domain::{IdentityId, PersonId, PersonIdentity, Timestamp};

use crate::catalog::Catalog;
use crate::entity::person_identity::{ActiveModel, Column, Entity};
use crate::entity::sign_in_state;
use crate::error::{CatalogError, Record};
use crate::query::{all, one, readable};
use crate::transaction::Transaction;

impl Catalog {
    /// The account of a provider with this subject, if it is linked to a person.
    pub async fn identity(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<PersonIdentity>, CatalogError> {
        one(self.reader(), by_subject(issuer, subject)).await
    }

    /// The accounts of a person, at most [`PersonIdentity::MOST`], in the order in which they were linked.
    pub async fn identities(&self, person: PersonId) -> Result<Vec<PersonIdentity>, CatalogError> {
        readable(self.reader(), of_person(person)).await
    }

    /// Whether the state of a sign-in, identified by its hash, was used.
    pub async fn sign_in_state_is_used(&self, hash: &[u8; 32]) -> Result<bool, CatalogError> {
        let found = sign_in_state::Entity::find_by_id(hash.to_vec()).count(self.reader()).await?;
        Ok(found > 0)
    }
}

impl Transaction {
    /// The account of a provider with this subject, if it is linked to a person. It is not locked; lock the person.
    pub async fn identity(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<PersonIdentity>, CatalogError> {
        one(self.db(), by_subject(issuer, subject)).await
    }

    /// The accounts of a person, in the order in which they were linked. They only change while the person is locked.
    pub async fn identities(&self, person: PersonId) -> Result<Vec<PersonIdentity>, CatalogError> {
        all(self.db(), of_person(person)).await
    }

    /// Links an account, which must not be linked yet. The person then counts as claimed.
    pub async fn insert_identity(&self, identity: &PersonIdentity) -> Result<(), CatalogError> {
        self.claim(identity.person_id, identity.linked_at).await?;
        let insert = Entity::insert(ActiveModel::from(identity)).exec_without_returning(self.db());
        insert.await.map_err(CatalogError::or_taken(Record::Unique))?;
        Ok(())
    }

    /// Records that a person has signed in with an account, and the email address that the provider reports for it.
    /// Returns whether the account is still linked to the person.
    pub async fn note_identity_used(
        &self,
        person: PersonId,
        id: IdentityId,
        email: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now.unix_millis()))
            .col_expr(Column::Email, Expr::value(email))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::PersonId.eq(person.uuid()));
        Ok(update.exec(self.db()).await?.rows_affected > 0)
    }

    /// Unlinks an account of a person. Returns whether it was linked. The person counts as claimed, even if the previous
    /// version linked the account and did not record that.
    pub async fn delete_identity(
        &self,
        person: PersonId,
        id: IdentityId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let delete =
            Entity::delete_many().filter(Column::Id.eq(id.uuid())).filter(Column::PersonId.eq(person.uuid()));
        let is_unlinked = delete.exec(self.db()).await?.rows_affected > 0;
        if is_unlinked {
            self.claim(person, now).await?;
        }
        Ok(is_unlinked)
    }

    /// Marks the state of a sign-in, identified by its hash, as used. Returns `false` if it was used before.
    pub async fn use_sign_in_state(
        &self,
        hash: &[u8; 32],
        expires_at: Timestamp,
    ) -> Result<bool, CatalogError> {
        use sign_in_state::{ActiveModel, Column, Entity};
        let row = ActiveModel { hash: Set(hash.to_vec()), expires_at: Set(expires_at.unix_millis()) };
        let inserted = Entity::insert(row)
            .on_conflict_do_nothing_on([Column::Hash])
            .exec_without_returning(self.db())
            .await?;
        Ok(matches!(inserted, TryInsertResult::Inserted(1..)))
    }
}

fn by_subject(issuer: &str, subject: &str) -> Select<Entity> {
    Entity::find().filter(Column::Issuer.eq(issuer)).filter(Column::Subject.eq(subject))
}

fn of_person(person: PersonId) -> Select<Entity> {
    Entity::find().filter(Column::PersonId.eq(person.uuid())).order_by_asc(Column::Id)
}
