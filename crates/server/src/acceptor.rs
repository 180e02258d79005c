//! Accepts TLS connections: with the certificate in use, or with the proof of a name that a certificate authority
//! requests.

use std::io;
use std::sync::Arc;

use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};
use tonearm_service::Certificates;

/// The protocol of connections that only prove a name (RFC 8737).
const ACME_TLS: &[u8] = b"acme-tls/1";

/// Performs TLS handshakes.
#[derive(Clone)]
pub struct Acceptor {
    tls: TlsAcceptor,
    /// The source of proofs, if the service gets its certificate by itself.
    certificates: Option<Certificates>,
}

impl Acceptor {
    pub(crate) fn new(config: ServerConfig, certificates: Option<Certificates>) -> Self {
        Self { tls: TlsAcceptor::from(Arc::new(config)), certificates }
    }

    /// Performs the handshake; `None` if the connection was only for a proof and is done.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        let Some(certificates) = &self.certificates else {
            return self.tls.accept(stream).await.map(Some);
        };
        let begun = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
        let hello = begun.client_hello();
        let is_for_proof = hello.alpn().is_some_and(|mut offered| offered.any(|name| name == ACME_TLS));
        let name = hello.server_name().map(str::to_owned);
        if !is_for_proof {
            return begun.into_stream(self.tls.config().clone()).await.map(Some);
        }
        let name = name.ok_or_else(|| io::Error::other("a proof was asked for without a name"))?;
        let proof = certificates.proof(&name).await.map_err(io::Error::other)?;
        let digest = proof.ok_or_else(|| io::Error::other(format!("there is no proof of {name}")))?;
        let config = proving(&name, digest).map_err(io::Error::other)?;
        begun.into_stream(Arc::new(config)).await?;
        Ok(None)
    }
}

/// Why a proof cannot be given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error(transparent)]
    Certificate(#[from] rcgen::Error),
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

/// TLS with a self-signed certificate that contains the proof.
fn proving(name: &str, digest: [u8; 32]) -> Result<ServerConfig, ProofError> {
    let mut params = CertificateParams::new([name.to_owned()])?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let certified =
        CertifiedKey::new(vec![certificate.der().clone()], ring::sign::any_supported_type(&private)?);
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        // Not `with_single_cert`, which refuses the proof because it is a critical extension.
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.alpn_protocols = vec![ACME_TLS.to_vec()];
    Ok(config)
}
