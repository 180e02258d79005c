//! Idempotent requests: the first request with a key does the work, later ones get its stored response.
//!
//! A row is claimed before the work, and the response is stored in the transaction of the work. A request that has lost
//! its claim in the meantime cannot store a response, so its work is rolled back. Of all requests that ever claim a
//! row, only one has an effect.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, Set, TryInsertResult};
use tonearm_domain::{OrganizationId, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::idempotent_request::{ActiveModel, Column, Entity, Model};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// The identity of an idempotent request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// A hash of the credential of the request. The keys of different callers are independent.
    pub caller: [u8; 32],
    /// The organization of the credential.
    pub organization_id: OrganizationId,
    /// The idempotency key that the caller chose.
    pub key: String,
    /// A hash of the content of the request.
    pub fingerprint: [u8; 32],
}

/// The exclusive right to do the work of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The request.
    pub request: IdempotentRequest,
    /// Distinguishes this claim from all others on the same request.
    pub id: Uuid,
}

/// What is known of a request when it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repetition {
    /// It is the first; its caller does the work.
    First,
    /// The first request is still being processed.
    Running,
    /// The request was answered; this is the sealed response.
    Answered(Vec<u8>),
    /// The key was used for a different request.
    Mismatch,
}

fn named(request: &IdempotentRequest) -> Condition {
    Condition::all()
        .add(Column::Caller.eq(request.caller.to_vec()))
        .add(Column::IdempotencyKey.eq(&request.key))
}

/// The request is not answered, and this claim still holds it.
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
    /// What is known of an earlier request with this key. A row that has expired at `now` is ignored.
    pub async fn repetition(
        &self,
        request: &IdempotentRequest,
        now: Timestamp,
    ) -> Result<Option<Repetition>, CatalogError> {
        let row = Entity::find().filter(named(request)).one(self.reader()).await?;
        let living = row.filter(|row| row.expires_at > now.unix_millis());
        Ok(living.map(|row| Repetition::of(row, request)))
    }

    /// Claims a request, or returns the state of an earlier one with its key. A row that has expired at `now` is
    /// deleted, and its claim can no longer have any effect. The new claim lasts until `held_until`, or longer if it is
    /// renewed.
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
            organization_id: Set(Some(request.organization_id.uuid())),
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

    /// Extends a claim until `held_until`. `false`: the claim was lost, or the request is answered.
    pub async fn renew_claim(&self, claim: &Claim, held_until: Timestamp) -> Result<bool, CatalogError> {
        let renewed = Entity::update_many()
            .col_expr(Column::ExpiresAt, Expr::value(held_until.unix_millis()))
            .filter(claim_is_held(claim))
            .exec(self.writer())
            .await?;
        Ok(renewed.rows_affected > 0)
    }

    /// Releases a claim that had no effect, so that the key can be used again. Once this has returned `true`, work done
    /// under the claim can no longer be committed. `false`: the claim was lost, or the request is answered.
    pub async fn forget_claim(&self, claim: &Claim) -> Result<bool, CatalogError> {
        let forgotten = Entity::delete_many().filter(claim_is_held(claim)).exec(self.writer()).await?;
        Ok(forgotten.rows_affected > 0)
    }
}

impl Transaction {
    /// Stores the response to a claimed request until `expires_at`, in the transaction of the work. `false`: the claim
    /// was lost, another caller does the work, and this transaction must be rolled back.
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
