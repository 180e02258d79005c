//! Requests that a client may repeat: who is first does the work, everybody after gets its answer.
//!
//! A row is claimed before the work and answered in the transaction of the work. Whoever lost the claim meanwhile cannot
//! answer, so its work is rolled back: of all who ever claim a row, one has an effect.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, Set, TryInsertResult};
use tonearm_domain::Timestamp;
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::idempotent_request::{ActiveModel, Column, Entity, Model};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// What names a request that may be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// A hash of the credential it came with: other callers' keys are other keys.
    pub caller: [u8; 32],
    /// The caller's own name for it.
    pub key: String,
    /// A hash of what it asks for.
    pub fingerprint: [u8; 32],
}

/// The turn to do what a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The request.
    pub request: IdempotentRequest,
    /// Tells this turn from every other at the same request.
    pub id: Uuid,
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

fn named(request: &IdempotentRequest) -> Condition {
    Condition::all()
        .add(Column::Caller.eq(request.caller.to_vec()))
        .add(Column::IdempotencyKey.eq(&request.key))
}

/// Not answered, and still the turn of the one who holds the claim.
fn claim_is_held(claim: &Claim) -> Condition {
    named(&claim.request).add(Column::Claim.eq(claim.id)).add(Column::Answer.is_null())
}

impl Repetition {
    fn of(row: Model, request: &IdempotentRequest) -> Self {
        if row.fingerprint != request.fingerprint {
            return Self::Mismatch;
        }
        row.answer.map_or(Self::Running, Self::Answered)
    }
}

impl Catalog {
    /// What is known of an earlier request with this key; a row that has expired at `now` counts as none.
    pub async fn repetition(
        &self,
        request: &IdempotentRequest,
        now: Timestamp,
    ) -> Result<Option<Repetition>, CatalogError> {
        let row = Entity::find().filter(named(request)).one(self.reader()).await?;
        let living = row.filter(|row| row.expires_at > now.unix_millis());
        Ok(living.map(|row| Repetition::of(row, request)))
    }

    /// Takes a request in, or tells what became of an earlier one with its key. A row that has expired at `now` counts as
    /// none: whoever claimed it cannot have any effect from then on. The claim lasts until `held_until`, and longer where
    /// it is renewed.
    pub async fn claim_repeatable(
        &self,
        claim: &Claim,
        now: Timestamp,
        held_until: Timestamp,
    ) -> Result<Repetition, CatalogError> {
        let request = &claim.request;
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
            claim: Set(Some(claim.id)),
        };
        let inserted = Entity::insert(row)
            .on_conflict_do_nothing_on([Column::Caller, Column::IdempotencyKey])
            .exec_without_returning(tx.db())
            .await?;
        let repetition = if matches!(inserted, TryInsertResult::Inserted(1..)) {
            Repetition::First
        } else {
            let row = Entity::find().filter(named(request)).one(tx.db()).await?;
            row.map_or(Repetition::Running, |row| Repetition::of(row, request))
        };
        tx.commit().await?;
        Ok(repetition)
    }

    /// Holds a claim until a later moment. `false`: it is lost, or answered.
    pub async fn renew_claim(&self, claim: &Claim, held_until: Timestamp) -> Result<bool, CatalogError> {
        let renewed = Entity::update_many()
            .col_expr(Column::ExpiresAt, Expr::value(held_until.unix_millis()))
            .filter(claim_is_held(claim))
            .exec(self.writer())
            .await?;
        Ok(renewed.rows_affected > 0)
    }

    /// Gives a claim back that had no effect, so that the key can be used again. Once this says `true`, nothing that was
    /// done under the claim can be committed any more. `false`: it was lost, or answered.
    pub async fn forget_claim(&self, claim: &Claim) -> Result<bool, CatalogError> {
        let forgotten = Entity::delete_many().filter(claim_is_held(claim)).exec(self.writer()).await?;
        Ok(forgotten.rows_affected > 0)
    }
}

impl Transaction {
    /// Keeps the answer of a claimed request until `expires_at`, together with what else the transaction does. `false`: the
    /// claim was lost, somebody else does the work, and this transaction must be rolled back.
    pub async fn keep_answer(
        &self,
        claim: &Claim,
        answer: Vec<u8>,
        expires_at: Timestamp,
    ) -> Result<bool, CatalogError> {
        let answered = ActiveModel {
            answer: Set(Some(answer)),
            expires_at: Set(expires_at.unix_millis()),
            ..Default::default()
        };
        let kept = Entity::update_many().set(answered).filter(claim_is_held(claim)).exec(self.db()).await?;
        Ok(kept.rows_affected > 0)
    }
}
