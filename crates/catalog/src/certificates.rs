//! Certificates that nodes obtain by ACME, their accounts with certificate authorities, and challenges for names: the
//! `acme_` tables.

use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Set};
use tonearm_domain::{CertificateNames, CertificateState, IssuedCertificate, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::corrupt;
use crate::entity::{acme_account, acme_certificate, acme_challenge};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one, readable};
use crate::transaction::Transaction;

/// Seconds for which an expired certificate is kept if its names are not those of the current configuration.
const KEPT_AFTER: i64 = 30 * 86_400;

impl Catalog {
    /// The state of the certificate for these names.
    pub async fn certificate(
        &self,
        names: &CertificateNames,
    ) -> Result<Option<CertificateState>, CatalogError> {
        one(self.reader(), acme_certificate::Entity::find_by_id(names.to_string())).await
    }

    /// The states of all certificates that are still valid, for any names.
    pub async fn valid_certificates(&self, now: Timestamp) -> Result<Vec<CertificateState>, CatalogError> {
        use acme_certificate::{Column, Entity};
        readable(self.reader(), Entity::find().filter(Column::NotAfter.gt(now.unix_millis()))).await
    }

    /// The sealed account with the certificate authority that has this directory.
    pub async fn acme_account(&self, directory: &str) -> Result<Option<Vec<u8>>, CatalogError> {
        let found = acme_account::Entity::find_by_id(directory).one(self.reader()).await?;
        Ok(found.map(|row| row.sealed))
    }

    /// The current challenge for a name: the digest that proves it to a certificate authority.
    pub async fn acme_challenge(&self, name: &str, now: Timestamp) -> Result<Option<[u8; 32]>, CatalogError> {
        use acme_challenge::{Column, Entity};
        let select = Entity::find_by_id(name).filter(Column::ExpiresAt.gt(now.unix_millis()));
        let Some(row) = select.one(self.reader()).await? else { return Ok(None) };
        row.digest.try_into().map(Some).map_err(|_| corrupt("acme_challenge.digest"))
    }
}

impl Transaction {
    /// The state of the certificate for these names, locked for a change. It is created if there is none.
    pub async fn certificate_to_order(
        &self,
        names: &CertificateNames,
        now: Timestamp,
    ) -> Result<CertificateState, CatalogError> {
        use acme_certificate::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            names: Set(names.to_string()),
            order_at: Set(now.unix_millis()),
            failures: Set(0),
            ..Default::default()
        };
        Entity::insert(row)
            .on_conflict_do_nothing_on([Column::Names])
            .exec_without_returning(self.db())
            .await?;
        let found = one(self.db(), Entity::find_by_id(names.to_string()).lock(TO_CHANGE)).await?;
        found.ok_or_else(|| corrupt("acme_certificate.names"))
    }

    /// Takes the lease for an order. The order counts as failed until its outcome is recorded. The caller must have
    /// locked the row.
    pub async fn lease_order(&self, state: &CertificateState, lease: Uuid) -> Result<(), CatalogError> {
        use acme_certificate::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            order_at: Set(state.order_at.unix_millis()),
            lease_id: Set(Some(lease)),
            leased_until: Set(state.leased_until.map(Timestamp::unix_millis)),
            failures: Set(i32::try_from(state.failures).unwrap_or(i32::MAX)),
            tried_at: Set(state.tried_at.map(Timestamp::unix_millis)),
            ..Default::default()
        };
        let names = state.names.to_string();
        Entity::update_many().set(row).filter(Column::Names.eq(names)).exec(self.db()).await?;
        Ok(())
    }

    /// Records a certificate if the lease is still held, and returns whether it was. Also deletes old certificates for
    /// other names, and expired challenges.
    pub async fn record_certificate(
        &self,
        names: &CertificateNames,
        lease: Uuid,
        issued: &IssuedCertificate,
        order_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        use acme_certificate::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            chain: Set(Some(issued.chain.clone())),
            sealed_key: Set(Some(issued.sealed_key.clone())),
            not_before: Set(Some(issued.not_before.unix_millis())),
            not_after: Set(Some(issued.not_after.unix_millis())),
            order_at: Set(order_at.unix_millis()),
            lease_id: Set(None),
            leased_until: Set(None),
            failures: Set(0),
            last_error: Set(None),
            ..Default::default()
        };
        let names = names.to_string();
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Names.eq(names.clone()))
            .filter(Column::LeaseId.eq(lease));
        let is_recorded = update.exec(self.db()).await?.rows_affected > 0;
        let long_ago = now.plus_seconds(-KEPT_AFTER).unix_millis();
        Entity::delete_many()
            .filter(Column::Names.ne(names))
            .filter(Column::NotAfter.lt(long_ago))
            .exec(self.db())
            .await?;
        acme_challenge::Entity::delete_many()
            .filter(acme_challenge::Column::ExpiresAt.lte(now.unix_millis()))
            .exec(self.db())
            .await?;
        Ok(is_recorded)
    }

    /// Records why an order failed and when it is retried, if the lease is still held.
    pub async fn record_failed_order(
        &self,
        names: &CertificateNames,
        lease: Uuid,
        reason: &str,
        order_at: Timestamp,
    ) -> Result<(), CatalogError> {
        use acme_certificate::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::LastError, Expr::value(reason))
            .col_expr(Column::OrderAt, Expr::value(order_at.unix_millis()))
            .col_expr(Column::LeaseId, Expr::value(None::<Uuid>))
            .col_expr(Column::LeasedUntil, Expr::value(None::<i64>))
            .filter(Column::Names.eq(names.to_string()))
            .filter(Column::LeaseId.eq(lease))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Ends an interrupted order and restores the state from before it, if the lease is still held.
    pub async fn return_order(&self, before: &CertificateState, lease: Uuid) -> Result<(), CatalogError> {
        use acme_certificate::{Column, Entity};
        let tried_at = before.tried_at.map(Timestamp::unix_millis);
        Entity::update_many()
            .col_expr(Column::OrderAt, Expr::value(before.order_at.unix_millis()))
            .col_expr(Column::Failures, Expr::value(i32::try_from(before.failures).unwrap_or(i32::MAX)))
            .col_expr(Column::TriedAt, Expr::value(tried_at))
            .col_expr(Column::LeaseId, Expr::value(None::<Uuid>))
            .col_expr(Column::LeasedUntil, Expr::value(None::<i64>))
            .filter(Column::Names.eq(before.names.to_string()))
            .filter(Column::LeaseId.eq(lease))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Stores a sealed account with a certificate authority, replacing any existing one.
    pub async fn put_acme_account(&self, directory: &str, sealed: Vec<u8>) -> Result<(), CatalogError> {
        use acme_account::{ActiveModel, Column, Entity};
        let row = ActiveModel { directory: Set(directory.to_owned()), sealed: Set(sealed) };
        let replace = OnConflict::column(Column::Directory).update_column(Column::Sealed).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Deletes an account that the certificate authority no longer knows.
    pub async fn delete_acme_account(&self, directory: &str) -> Result<(), CatalogError> {
        acme_account::Entity::delete_by_id(directory).exec(self.db()).await?;
        Ok(())
    }

    /// Stores the challenge for a name, so that every node can answer it until it expires.
    pub async fn put_acme_challenge(
        &self,
        name: &str,
        digest: [u8; 32],
        expires_at: Timestamp,
    ) -> Result<(), CatalogError> {
        use acme_challenge::{ActiveModel, Column, Entity};
        let row = ActiveModel {
            name: Set(name.to_owned()),
            digest: Set(digest.to_vec()),
            expires_at: Set(expires_at.unix_millis()),
        };
        let replace =
            OnConflict::column(Column::Name).update_columns([Column::Digest, Column::ExpiresAt]).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }
}
