//! TLS with a certificate that the service gets by itself, and that all nodes share.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tonearm_domain::Ambient;
use tonearm_service::{Certificates, OrderOutcome, Refusal, UsableCertificate};
use tonearm_signing::Secrets;

use crate::acceptor::Acceptor;
use crate::tls::{Current, TlsError, server_config};

/// The certificate in use, which is kept up to date.
pub struct AcmeTls {
    certificates: Certificates,
    current: Arc<Current>,
    used: Option<UsableCertificate>,
    acceptor: Acceptor,
}

impl AcmeTls {
    /// Begins with the stored certificate, even if it covers only some of the names. If there is none, or it cannot be
    /// read, begins with a self-signed one: the authority must be able to connect before there is another.
    pub async fn open(
        certificates: Certificates,
        secrets: &Secrets,
        ambient: &Ambient,
    ) -> Result<Self, TlsError> {
        let used = read_certificate(&certificates).await;
        let certified = match used.as_ref().map(certified) {
            Some(Ok(certified)) => certified,
            Some(Err(error)) => {
                tracing::warn!(%error, "the stored certificate cannot be used; beginning with a self-signed one");
                self_signed(&certificates)?
            }
            None => {
                tracing::warn!("there is no certificate yet; beginning with a self-signed one");
                self_signed(&certificates)?
            }
        };
        let current = Arc::new(Current::new(certified));
        let config = server_config(current.clone(), secrets, ambient)?;
        let acceptor = Acceptor::new(config, Some(certificates.clone()));
        Ok(Self { certificates, current, used, acceptor })
    }

    /// The acceptor of connections.
    pub fn acceptor(&self) -> Acceptor {
        self.acceptor.clone()
    }

    /// Orders certificates when they are due, and starts to use those that any node obtained, until the node stops.
    pub async fn follow(mut self, every: Duration, stop: CancellationToken) {
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut fails = false;
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let done = self.look(&stop).await;
            match &done {
                Ok(()) if fails => tracing::info!("recovered: looking for a new certificate"),
                Err(error) if !fails => {
                    let error: &dyn std::error::Error = error;
                    tracing::warn!(error, "failed, will be retried: looking for a new certificate");
                }
                _ => {}
            }
            fails = done.is_err();
        }
    }

    async fn look(&mut self, stop: &CancellationToken) -> Result<(), Refusal> {
        match self.certificates.order_if_due(stop).await? {
            OrderOutcome::NotDue | OrderOutcome::Stopped => {}
            OrderOutcome::Issued { not_after } => tracing::info!(%not_after, "got a new certificate"),
            OrderOutcome::Failed { reason, order_at } => {
                tracing::warn!(reason, retry_at = %order_at, "could not get a certificate");
            }
        }
        let now = self.certificates.current().await?;
        if now.is_none() || now == self.used {
            return Ok(());
        }
        match now.as_ref().map(certified) {
            Some(Ok(certified)) => {
                self.current.set(certified);
                tracing::info!(names = %self.certificates.names(), "a new certificate is in use");
            }
            Some(Err(error)) => tracing::warn!(%error, "the new certificate is invalid; keeping the old one"),
            None => {}
        }
        // An invalid certificate is not checked again.
        self.used = now;
        Ok(())
    }
}

async fn read_certificate(certificates: &Certificates) -> Option<UsableCertificate> {
    match certificates.first().await {
        Ok(certificate) => certificate,
        Err(error) => {
            tracing::warn!(%error, "the stored certificate could not be read");
            None
        }
    }
}

fn certified(usable: &UsableCertificate) -> Result<Arc<CertifiedKey>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(usable.chain.as_bytes())
        .collect::<Result<Vec<_>, _>>()
        .map_err(TlsError::Stored)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(usable.key.clone()));
    Ok(Arc::new(CertifiedKey::from_der(chain, key, &ring::default_provider())?))
}

fn self_signed(certificates: &Certificates) -> Result<Arc<CertifiedKey>, TlsError> {
    let key = KeyPair::generate().map_err(TlsError::SelfSigned)?;
    let params = CertificateParams::new(certificates.names().as_slice()).map_err(TlsError::SelfSigned)?;
    let certificate = params.self_signed(&key).map_err(TlsError::SelfSigned)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let chain = vec![certificate.der().clone()];
    Ok(Arc::new(CertifiedKey::from_der(chain, private, &ring::default_provider())?))
}
