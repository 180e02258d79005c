//! Sign-ins of people, and attempts that failed. Only hashes of the secrets are stored.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    QueryOrder, Set,
};
use tonearm_domain::{FailedSignIns, Person, PersonId, SignIn, SignInId, Timestamp};

use crate::catalog::Catalog;
use crate::column::corrupt;
use crate::entity::sign_in::{ActiveModel, Column, Entity};
use crate::entity::{failed_sign_in, person};
use crate::error::CatalogError;
use crate::query::{one, readable};
use crate::transaction::Transaction;

impl Catalog {
    /// The sign-in whose secret has this SHA-256, even if it has expired, and its person.
    pub async fn sign_in_by_hash(&self, hash: &[u8; 32]) -> Result<Option<(SignIn, Person)>, CatalogError> {
        let select = Entity::find().find_also_related(person::Entity);
        let row = select.filter(Column::TokenHash.eq(hash.to_vec())).one(self.reader()).await?;
        match row {
            Some((row, Some(person))) => Ok(Some((row.try_into()?, person.try_into()?))),
            _ => Ok(None),
        }
    }

    /// The sign-ins of a person, the last used first, including expired ones.
    pub async fn sign_ins(&self, person: PersonId) -> Result<Vec<SignIn>, CatalogError> {
        let select = Entity::find().filter(Column::PersonId.eq(person.uuid())).order_by_desc(Column::SeenAt);
        readable(self.reader(), select).await
    }

    /// Records that a sign-in is being used.
    pub async fn note_sign_in_seen(&self, id: SignInId, now: Timestamp) -> Result<(), CatalogError> {
        Entity::update_many()
            .col_expr(Column::SeenAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .exec(self.writer())
            .await?;
        Ok(())
    }

    /// The recent failed sign-ins of a subject: a hash of an account or of an address.
    pub async fn failed_sign_ins(&self, subject: &[u8; 32]) -> Result<Option<FailedSignIns>, CatalogError> {
        one(self.reader(), failed_sign_in::Entity::find_by_id(subject.to_vec())).await
    }
}

impl Transaction {
    /// Adds a sign-in, identified by the SHA-256 of its secret.
    pub async fn insert_sign_in(&self, sign_in: &SignIn, hash: &[u8; 32]) -> Result<(), CatalogError> {
        let address = sign_in.address.map(|address| self.stored_addresses().of(address));
        let mut row = ActiveModel::from(&SignIn { address, ..sign_in.clone() });
        row.token_hash = Set(hash.to_vec());
        Entity::insert(row).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Whether a person has this sign-in.
    pub async fn has_sign_in(&self, person: PersonId, id: SignInId) -> Result<bool, CatalogError> {
        let select = Entity::find_by_id(id.uuid()).filter(Column::PersonId.eq(person.uuid()));
        Ok(select.count(self.db()).await? > 0)
    }

    /// Ends one sign-in of a person.
    pub async fn delete_sign_in(&self, person: PersonId, id: SignInId) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_many()
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::PersonId.eq(person.uuid()))
            .exec(self.db())
            .await?;
        Ok(deleted.rows_affected > 0)
    }

    /// Ends every sign-in of a person, except `but` if it is given.
    pub async fn delete_sign_ins(&self, person: PersonId, but: Option<SignInId>) -> Result<(), CatalogError> {
        let mut ended = Condition::all().add(Column::PersonId.eq(person.uuid()));
        if let Some(but) = but {
            ended = ended.add(Column::Id.ne(but.uuid()));
        }
        Entity::delete_many().filter(ended).exec(self.db()).await?;
        Ok(())
    }

    /// The recent failed sign-ins of a subject, locked until the end of the transaction even if there are none:
    /// attempts of one subject are counted one after another.
    pub async fn failed_sign_ins_to_change(
        &self,
        subject: &[u8; 32],
        now: Timestamp,
    ) -> Result<FailedSignIns, CatalogError> {
        use failed_sign_in::{Column, Entity, Model};
        // An update that changes nothing locks the row that is there.
        let lock = OnConflict::column(Column::Subject)
            .value(Column::Count, Expr::col((Entity, Column::Count)))
            .to_owned();
        let insert = Query::insert()
            .into_table(Entity)
            .columns([Column::Subject, Column::Count, Column::LastAt])
            .values_panic([subject.to_vec().into(), 0.into(), now.unix_millis().into()])
            .on_conflict(lock)
            .returning_all()
            .take();
        let row = self.db().query_one(&insert).await?.ok_or_else(|| corrupt("failed_sign_in.subject"))?;
        Model::from_query_result(&row, "")?.try_into()
    }

    /// Writes the failed sign-ins of a subject.
    pub async fn put_failed_sign_ins(
        &self,
        subject: &[u8; 32],
        failed: FailedSignIns,
    ) -> Result<(), CatalogError> {
        use failed_sign_in::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            subject: Set(subject.to_vec()),
            count: Set(i32::try_from(failed.count).unwrap_or(i32::MAX)),
            last_at: Set(failed.last_at.unix_millis()),
        };
        let update =
            OnConflict::column(Column::Subject).update_columns([Column::Count, Column::LastAt]).to_owned();
        Entity::insert(row).on_conflict(update).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Records that an attempt that was counted for a subject has failed now. It counts even if the failed sign-ins of
    /// the subject were deleted meanwhile.
    pub async fn note_failed_sign_in(&self, subject: &[u8; 32], now: Timestamp) -> Result<(), CatalogError> {
        use failed_sign_in::{ActiveModel, Column, Entity};
        let row =
            ActiveModel { subject: Set(subject.to_vec()), count: Set(1), last_at: Set(now.unix_millis()) };
        let update = OnConflict::column(Column::Subject).update_column(Column::LastAt).to_owned();
        Entity::insert(row).on_conflict(update).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Uncounts an attempt that was counted for a subject and has not failed.
    pub async fn uncount_sign_in(&self, subject: &[u8; 32]) -> Result<(), CatalogError> {
        use failed_sign_in::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::Count, Expr::col(Column::Count).sub(1))
            .filter(Column::Subject.eq(subject.to_vec()))
            .filter(Column::Count.gt(0))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Deletes the failed sign-ins of a subject.
    pub async fn delete_failed_sign_ins(&self, subject: &[u8; 32]) -> Result<(), CatalogError> {
        failed_sign_in::Entity::delete_by_id(subject.to_vec()).exec(self.db()).await?;
        Ok(())
    }
}
