//! Certificates that nodes order automatically (ACME): one node orders a certificate, and all nodes use it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, CertificateNames, CertificateState, IssuedCertificate, RetryAfter, Timestamp, order_pause,
    renewal_at,
};
use tonearm_outbound::{Acme, AcmeError, AcmeIssued, AcmeProofs};
use tonearm_signing::Vault;
use tonearm_telemetry::Outcome;
use uuid::Uuid;

use crate::refusal::Refusal;

/// The timeout of an order. It is shorter than a lease by more than the clocks of nodes differ.
const MOST_TIME: Duration = Duration::from_secs(300);

/// How long an order may continue after the node begins to stop. The authority may be issuing the certificate at that
/// moment.
const LAST_TIME: Duration = Duration::from_secs(5);

/// How long nodes answer challenges for a name, in seconds.
const PROOF_SECONDS: i64 = 600;

/// The vault context of an ACME account.
pub(crate) fn account_context(directory: &str) -> String {
    format!("acme_account/{directory}")
}

/// The vault context of a certificate's private key.
pub(crate) fn key_context(names: &str) -> String {
    format!("certificate/{names}")
}

/// Orders the certificate for the service's names, and renews it before it expires.
#[derive(Clone)]
pub struct Certificates {
    catalog: Catalog,
    ambient: Ambient,
    vault: Vault,
    acme: Acme,
    names: Arc<CertificateNames>,
}

/// A certificate that can be used.
#[derive(Clone, PartialEq, Eq)]
pub struct UsableCertificate {
    /// The certificate and its intermediate certificates, in PEM.
    pub chain: String,
    /// The private key, in PKCS #8.
    pub key: Vec<u8>,
    /// When it expires.
    pub not_after: Timestamp,
}

/// The outcome of [`Certificates::order_if_due`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderOutcome {
    /// No order was due, or another node is ordering.
    NotDue,
    /// A new certificate was issued.
    Issued {
        /// When it expires.
        not_after: Timestamp,
    },
    /// The node is stopping. Another node may order.
    Stopped,
    /// No certificate was issued.
    Failed {
        /// Why.
        reason: String,
        /// When the next order is due.
        order_at: Timestamp,
    },
}

impl Certificates {
    /// Orders certificates for these names from this authority.
    pub fn new(
        catalog: Catalog,
        ambient: Ambient,
        vault: Vault,
        acme: Acme,
        names: CertificateNames,
    ) -> Self {
        Self { catalog, ambient, vault, acme, names: Arc::new(names) }
    }

    /// The names.
    pub fn names(&self) -> &CertificateNames {
        &self.names
    }

    /// The recorded state of the certificate.
    pub async fn state(&self) -> Result<Option<CertificateState>, Refusal> {
        Ok(self.catalog.certificate(&self.names).await?)
    }

    /// The latest certificate. `None` if there is none yet, or if its key was sealed under a master secret that is no
    /// longer known.
    pub async fn current(&self) -> Result<Option<UsableCertificate>, Refusal> {
        Ok(self.state().await?.and_then(|state| self.usable(state)))
    }

    fn usable(&self, state: CertificateState) -> Option<UsableCertificate> {
        let issued = state.issued?;
        let key = self.vault.open(&key_context(&state.names.to_string()), &issued.sealed_key)?;
        Some(UsableCertificate { chain: issued.chain, key, not_after: issued.not_after })
    }

    /// The certificate to use at the start. If there is no valid certificate for exactly these names, for instance
    /// after the names changed, it is the valid certificate that contains the most of them.
    pub async fn first(&self) -> Result<Option<UsableCertificate>, Refusal> {
        let (own, now) = (self.current().await?, self.ambient.now());
        if own.as_ref().is_some_and(|own| own.not_after > now) {
            return Ok(own);
        }
        let others = self.catalog.valid_certificates(now).await?.into_iter();
        let others = others.filter_map(|state| {
            let shared = self.names.shared_with(&state.names);
            (shared > 0).then_some((shared, self.usable(state)?))
        });
        let best = others.max_by_key(|(shared, usable)| (*shared, usable.not_after));
        Ok(best.map(|(_, usable)| usable).or(own))
    }

    /// The proof for a name that an authority is validating now. Any node can answer with it.
    pub async fn proof(&self, name: &str) -> Result<Option<[u8; 32]>, Refusal> {
        if !self.names.contains(name) {
            return Ok(None);
        }
        Ok(self.catalog.acme_challenge(&name.to_ascii_lowercase(), self.ambient.now()).await?)
    }

    /// Orders a certificate if one is due and no other node is ordering. A node that stops aborts its order, which then
    /// does not count as failed.
    pub async fn order_if_due(&self, stop: &CancellationToken) -> Result<OrderOutcome, Refusal> {
        let now = self.ambient.now();
        let is_usable = self.current().await?.is_some();
        // This read does not wait for writers.
        if let Some(state) = self.state().await?
            && !self.is_to_order(&state, is_usable, now)
        {
            return Ok(OrderOutcome::NotDue);
        }
        let lease = Uuid::from_bytes(self.ambient.random());
        let Some((before, leased)) = self.lease(lease, is_usable, now).await? else {
            return Ok(OrderOutcome::NotDue);
        };
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(LAST_TIME).await;
        };
        let ordered = tokio::select! {
            ordered = tokio::time::timeout(MOST_TIME, self.order()) => ordered,
            () = stopped => return self.give_back(lease, &before).await,
        };
        let outcome = match ordered {
            Ok(Ok(issued)) => self.record(lease, issued).await?,
            Ok(Err(error)) => {
                let retry_after = error.retry_after();
                self.record_failure(lease, leased.failures, &error.to_string(), retry_after).await?
            }
            Err(_) => {
                let reason = "the authority took longer than five minutes";
                self.record_failure(lease, leased.failures, reason, RetryAfter::None).await?
            }
        };
        count(&outcome);
        Ok(outcome)
    }

    /// Whether an order is due. A certificate whose key cannot be decrypted is ordered again at once, but only if no
    /// order has failed since.
    fn is_to_order(&self, state: &CertificateState, is_usable: bool, now: Timestamp) -> bool {
        let is_lost = state.issued.is_some() && !is_usable && state.failures == 0;
        let is_free = state.leased_until.is_none_or(|until| until <= now);
        state.is_due(now) || (is_lost && is_free)
    }

    /// Takes the lease. Returns the state before and after. The order counts as failed until it is recorded, so that a
    /// node that keeps crashing during orders does not exhaust the authority's rate limit.
    async fn lease(
        &self,
        lease: Uuid,
        is_usable: bool,
        now: Timestamp,
    ) -> Result<Option<(CertificateState, CertificateState)>, Refusal> {
        let tx = self.catalog.begin().await?;
        let before = tx.certificate_to_order(&self.names, now).await?;
        if !self.is_to_order(&before, is_usable, now) {
            return Ok(None);
        }
        let mut state = before.clone();
        state.failures = state.failures.saturating_add(1);
        state.order_at =
            now.plus_seconds(order_pause(state.failures, RetryAfter::None, self.ambient.random()));
        state.leased_until = Some(now.plus_seconds(CertificateState::LEASE_SECONDS));
        state.tried_at = Some(now);
        tx.lease_order(&state, lease).await?;
        tx.commit().await?;
        Ok(Some((before, state)))
    }

    /// Releases the order to another node, or to the next start, as if it had not begun.
    async fn give_back(&self, lease: Uuid, before: &CertificateState) -> Result<OrderOutcome, Refusal> {
        let tx = self.catalog.begin().await?;
        tx.return_order(before, lease).await?;
        tx.commit().await?;
        Ok(OrderOutcome::Stopped)
    }

    async fn order(&self) -> Result<AcmeIssued, OrderError> {
        let account = self.account().await?;
        let ordered = self.acme.order(&account, &self.names, &Proofs(self.clone())).await;
        if ordered.as_ref().is_err_and(|error| error.is_without_account) {
            let tx = self.catalog.begin().await.map_err(Refusal::from)?;
            tx.delete_acme_account(self.acme.directory()).await.map_err(Refusal::from)?;
            tx.commit().await.map_err(Refusal::from)?;
        }
        Ok(ordered?)
    }

    /// The account with the authority. Registers one if there is none.
    async fn account(&self) -> Result<Vec<u8>, OrderError> {
        let directory = self.acme.directory();
        let context = account_context(directory);
        let sealed = self.catalog.acme_account(directory).await.map_err(Refusal::from)?;
        if let Some(account) = sealed.and_then(|sealed| self.vault.open(&context, &sealed)) {
            return Ok(account);
        }
        let account = self.acme.register().await?;
        let sealed = self.vault.seal(&context, self.ambient.random(), &account);
        let tx = self.catalog.begin().await.map_err(Refusal::from)?;
        tx.put_acme_account(directory, sealed).await.map_err(Refusal::from)?;
        tx.commit().await.map_err(Refusal::from)?;
        Ok(account)
    }

    async fn record(&self, lease: Uuid, issued: AcmeIssued) -> Result<OrderOutcome, Refusal> {
        let context = key_context(&self.names.to_string());
        let sealed_key = self.vault.seal(&context, self.ambient.random(), &issued.key);
        let AcmeIssued { chain, not_before, not_after, .. } = issued;
        let order_at = renewal_at(not_before, not_after, self.ambient.random());
        let issued = IssuedCertificate { chain, sealed_key, not_before, not_after };
        let tx = self.catalog.begin().await?;
        let now = self.ambient.now();
        let is_recorded = tx.record_certificate(&self.names, lease, &issued, order_at, now).await?;
        tx.commit().await?;
        Ok(if is_recorded { OrderOutcome::Issued { not_after } } else { OrderOutcome::NotDue })
    }

    async fn record_failure(
        &self,
        lease: Uuid,
        failures: u32,
        reason: &str,
        retry_after: RetryAfter,
    ) -> Result<OrderOutcome, Refusal> {
        let pause = order_pause(failures, retry_after, self.ambient.random());
        let order_at = self.ambient.now().plus_seconds(pause);
        let reason: String = reason.chars().take(CertificateState::LONGEST_ERROR).collect();
        let tx = self.catalog.begin().await?;
        tx.record_failed_order(&self.names, lease, &reason, order_at).await?;
        tx.commit().await?;
        Ok(OrderOutcome::Failed { reason, order_at })
    }
}

fn count(outcome: &OrderOutcome) {
    match outcome {
        OrderOutcome::Issued { .. } => tonearm_telemetry::ordered_certificate(Outcome::Success),
        OrderOutcome::Failed { .. } => tonearm_telemetry::ordered_certificate(Outcome::Failure),
        OrderOutcome::NotDue | OrderOutcome::Stopped => {}
    }
}

/// Why an order failed.
#[derive(Debug, thiserror::Error)]
enum OrderError {
    #[error(transparent)]
    Authority(#[from] AcmeError),
    #[error("the database is not available: {0}")]
    Own(#[from] Refusal),
}

impl OrderError {
    fn retry_after(&self) -> RetryAfter {
        match self {
            Self::Authority(error) => error.retry_after,
            Self::Own(_) => RetryAfter::None,
        }
    }
}

/// Stores proofs in the database, so that every node can answer.
struct Proofs(Certificates);

#[async_trait]
impl AcmeProofs for Proofs {
    async fn publish(
        &self,
        name: &str,
        digest: [u8; 32],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let expires_at = self.0.ambient.now().plus_seconds(PROOF_SECONDS);
        let tx = self.0.catalog.begin().await?;
        tx.put_acme_challenge(name, digest, expires_at).await?;
        Ok(tx.commit().await?)
    }
}
