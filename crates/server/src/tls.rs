//! TLS with a certificate that is reloaded when its files change.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::task::spawn_blocking;
use tonearm_domain::{Ambient, Timestamp};
use tonearm_outbound::CertificateTerm;
use tonearm_service::CertificateEnd;
use tonearm_signing::Secrets;

use crate::acceptor::Acceptor;
use crate::tickets::Tickets;

/// How often the files are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The name of HTTP/2 in ALPN.
pub(crate) const HTTP2: &[u8] = b"h2";

/// Where a certificate and its key are, both in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub certificates: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why a certificate cannot be used, in one line.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// One of the files cannot be read, or has another format.
    #[error("cannot read {path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: rustls_pki_types::pem::Error,
    },
    /// There is no certificate in the file.
    #[error("{0} contains no certificate")]
    Empty(PathBuf),
    /// The certificate and the key do not match, or are of an unsupported kind.
    #[error("the certificate and its key cannot be used: {0}")]
    Unfit(#[from] rustls::Error),
    /// The stored data is not a certificate.
    #[error("the stored certificate cannot be read: {0}")]
    Stored(rustls_pki_types::pem::Error),
    /// The initial self-signed certificate could not be created.
    #[error("cannot make a self-signed certificate: {0}")]
    SelfSigned(rcgen::Error),
}

/// The certificate in use.
pub struct Tls {
    files: TlsFiles,
    current: Arc<Current>,
    acceptor: Acceptor,
}

impl Tls {
    /// Reads the files. Blocks briefly. Sessions that began at a node with the same secrets can be resumed here.
    pub fn open(files: TlsFiles, secrets: &Secrets, ambient: &Ambient) -> Result<Self, TlsError> {
        let current = Arc::new(Current::new(read(&files)?));
        let config = server_config(current.clone(), secrets, ambient)?;
        Ok(Self { files, current, acceptor: Acceptor::new(config, None) })
    }

    /// The acceptor of connections.
    pub fn acceptor(&self) -> Acceptor {
        self.acceptor.clone()
    }

    /// Returns a function that reports when the certificate in use expires.
    pub fn certificate_end(&self) -> CertificateEnd {
        let current = self.current.clone();
        Arc::new(move || {
            let certified = current.0.read().unwrap_or_else(PoisonError::into_inner).clone();
            end_of(&certified)
        })
    }

    /// Checks the files forever, and reloads them when they change. While they are not usable, as between the writing
    /// of one and the other, the previous certificate stays in use.
    pub async fn follow(self) {
        let mut seen = look(&self.files).await;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = look(&self.files).await;
            if now == seen {
                continue;
            }
            seen = now;
            let files = self.files.clone();
            match spawn_blocking(move || read(&files)).await {
                Ok(Ok(certified)) => {
                    self.current.set(certified);
                    tracing::info!(certificates = %self.files.certificates.display(), "the certificate was reloaded");
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the new certificate is invalid; keeping the old one")
                }
                Err(error) => tracing::error!(%error, "the certificate could not be read"),
            }
        }
    }
}

/// TLS with the certificate in use. Sessions that began at a node with the same secrets can be resumed.
pub(crate) fn server_config(
    current: Arc<Current>,
    secrets: &Secrets,
    ambient: &Ambient,
) -> Result<ServerConfig, TlsError> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(current);
    config.ticketer = Arc::new(Tickets::new(secrets, ambient.clone())?);
    // Early data, which is sent before the handshake is complete, can be replayed by attackers.
    config.max_early_data_size = 0;
    config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// When the certificate in files that were given to a command expires; none if they cannot be read.
pub fn end_of_files(files: &TlsFiles) -> Option<Timestamp> {
    match read(files) {
        Ok(certified) => end_of(&certified),
        Err(error) => {
            tracing::warn!(%error, "could not read the certificate");
            None
        }
    }
}

/// When the server's own certificate, the first of the chain, expires.
fn end_of(certified: &CertifiedKey) -> Option<Timestamp> {
    let own = certified.cert.first()?;
    match CertificateTerm::read(own) {
        Ok(term) => Some(term.not_after),
        Err(error) => {
            tracing::warn!(%error, "could not read when the certificate ends");
            None
        }
    }
}

/// What identifies a version of a file: its time and size.
type Mark = Option<(SystemTime, u64)>;

async fn look(files: &TlsFiles) -> [Mark; 2] {
    [mark(&files.certificates).await, mark(&files.key).await]
}

async fn mark(path: &Path) -> Mark {
    let metadata = tokio::fs::metadata(path).await.ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn read(files: &TlsFiles) -> Result<Arc<CertifiedKey>, TlsError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| TlsError::File { path, source }
    };
    let certificates = CertificateDer::pem_file_iter(&files.certificates)
        .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>())
        .map_err(unreadable(&files.certificates))?;
    if certificates.is_empty() {
        return Err(TlsError::Empty(files.certificates.clone()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(unreadable(&files.key))?;
    Ok(Arc::new(CertifiedKey::from_der(certificates, key, &ring::default_provider())?))
}

/// Resolves to the certificate in use for every client.
pub(crate) struct Current(RwLock<Arc<CertifiedKey>>);

impl Current {
    pub(crate) fn new(certified: Arc<CertifiedKey>) -> Self {
        Self(RwLock::new(certified))
    }

    /// Uses another certificate from now on. Existing connections continue.
    pub(crate) fn set(&self, certified: Arc<CertifiedKey>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = certified;
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}
