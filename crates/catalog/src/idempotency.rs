//! Requests that a client may repeat: who is first does the work, everybody after gets its answer.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, Set, TryInsertResult};
use tonearm_domain::Timestamp;

use crate::entity::idempotent_request::{ActiveModel, Column, Entity};
use crate::{Catalog, CatalogError, Transaction};

/// What names a request that may be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatableRequest {
    /// A hash of the credential it came with: other callers' keys are other keys.
    pub caller: [u8; 32],
    /// The caller's own name for it.
    pub key: String,
    /// A hash of what it asks for.
    pub fingerprint: [u8; 32],
}

/// What is known of a request when it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repetition {
    /// It is the first: whoever is told so does the work.
    First,
    /// The first is still being answered.
    Running,
    /// It was answered like this (sealed).
    Answered(Vec<u8>),
    /// The key was used for something else.
    Mismatch,
}

fn named(request: &RepeatableRequest) -> Condition {
    Condition::all()
        .add(Column::Caller.eq(request.caller.to_vec()))
        .add(Column::IdempotencyKey.eq(&request.key))
}

/// Still being answered by the one who was told to be first, and by nobody else.
fn running(request: &RepeatableRequest) -> Condition {
    named(request).add(Column::Fingerprint.eq(request.fingerprint.to_vec())).add(Column::Answer.is_null())
}

impl Catalog {
    /// Takes a request in, or tells what became of an earlier one with its key. A row that has expired at `now`
    /// counts as none. The new one is held until `held_until`: should its process die, others may then try.
    pub async fn begin_repeatable(
        &self,
        request: &RepeatableRequest,
        now: Timestamp,
        held_until: Timestamp,
    ) -> Result<Repetition, CatalogError> {
        let tx = self.begin().await?;
        Entity::delete_many()
            .filter(named(request).add(Column::ExpiresAt.lte(now.unix_millis())))
            .exec(tx.db())
            .await?;
        let row = ActiveModel {
            caller: Set(request.caller.to_vec()),
            idempotency_key: Set(request.key.clone()),
            fingerprint: Set(request.fingerprint.to_vec()),
            answer: Set(None),
            expires_at: Set(held_until.unix_millis()),
        };
        let inserted = Entity::insert(row)
            .on_conflict_do_nothing_on([Column::Caller, Column::IdempotencyKey])
            .exec_without_returning(tx.db())
            .await?;
        let repetition = if matches!(inserted, TryInsertResult::Inserted(1..)) {
            Repetition::First
        } else {
            match Entity::find().filter(named(request)).one(tx.db()).await? {
                Some(row) if row.fingerprint != request.fingerprint => Repetition::Mismatch,
                Some(row) => row.answer.map_or(Repetition::Running, Repetition::Answered),
                None => Repetition::Running,
            }
        };
        tx.commit().await?;
        Ok(repetition)
    }

    /// Keeps the answer of a request that was taken in, until `expires_at`.
    pub async fn keep_answer(
        &self,
        request: &RepeatableRequest,
        answer: Vec<u8>,
        expires_at: Timestamp,
    ) -> Result<(), CatalogError> {
        let answered = ActiveModel {
            answer: Set(Some(answer)),
            expires_at: Set(expires_at.unix_millis()),
            ..Default::default()
        };
        Entity::update_many().set(answered).filter(running(request)).exec(self.writer()).await?;
        Ok(())
    }

    /// Forgets a request that was taken in and changed nothing, so that its key can be used again.
    pub async fn forget_repeatable(&self, request: &RepeatableRequest) -> Result<(), CatalogError> {
        Entity::delete_many().filter(running(request)).exec(self.writer()).await?;
        Ok(())
    }
}

impl Transaction {
    /// Removes the answers that have expired. Gives how many there were.
    pub async fn delete_expired_answers(&self, now: Timestamp) -> Result<u64, CatalogError> {
        let deleted =
            Entity::delete_many().filter(Column::ExpiresAt.lte(now.unix_millis())).exec(self.db()).await?;
        Ok(deleted.rows_affected)
    }
}
