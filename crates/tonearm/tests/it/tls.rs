//! HTTPS with a certificate made for the test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Version;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, HandshakeKind, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonearm::{Config, Node, Role};
use tonearm_fixtures::{Certificate, install_tls_provider};
use tonearm_server::tls::TlsFiles;
use tonearm_testkit::{Backend, Program, TestServer};

use crate::{binary, eventually};

/// A folder with a certificate for 127.0.0.1 and its key.
struct Issued(TempDir);

impl Issued {
    fn new() -> Self {
        let issued = Self(tempfile::tempdir().unwrap());
        issued.renew();
        issued
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Replaces the certificate with another one.
    fn renew(&self) {
        let apart = tempfile::tempdir_in(self.0.path()).unwrap();
        let Certificate { chain, key } = Certificate::make(apart.path());
        std::fs::rename(key, self.path("key.pem")).unwrap();
        std::fs::rename(chain, self.path("cert.pem")).unwrap();
    }

    /// A builder for a client with its own connections, which trusts only this certificate.
    fn trusting(&self) -> reqwest::ClientBuilder {
        trusting(&self.path("cert.pem"))
    }

    fn client(&self) -> reqwest::Client {
        self.trusting().build().unwrap()
    }
}

/// A builder for a client that trusts only this certificate.
pub(crate) fn trusting(certificate: &Path) -> reqwest::ClientBuilder {
    install_tls_provider();
    let pem = std::fs::read(certificate).unwrap();
    reqwest::Client::builder().tls_certs_only([reqwest::Certificate::from_pem(&pem).unwrap()])
}

/// Starts another node on the data of `server`, with the certificate.
async fn serve(server: &TestServer, issued: &Issued) -> Node {
    let files = TlsFiles { certificates: issued.path("cert.pem"), key: issued.path("key.pem") };
    server
        .another_node_with(|config| {
            config.tls = Some(files);
            config.roles = vec![Role::Api, Role::Edge];
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_delivered_by_http_1_and_2() {
    let issued = Issued::new();
    let server = TestServer::start(Backend::Embedded).await;
    let node = serve(&server, &issued).await;
    let url = node.public_url();
    assert!(url.starts_with("https://"), "{url}");
    let (path, sound) = crate::edge::deliverable(&server).await;
    let signed = format!("{url}{path}");
    let http1 = issued.trusting().http1_only().build().unwrap();
    for (client, version) in [(issued.client(), Version::HTTP_2), (http1, Version::HTTP_11)] {
        let listed = client.get(format!("{url}/v1/collection")).bearer_auth(server.client.key());
        let listed = listed.send().await.unwrap();
        assert_eq!((listed.status().as_u16(), listed.version()), (200, version));
        // The first round opens the file. The second finds it open.
        for _ in 0..2 {
            let answer = client.get(&signed).send().await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.version()), (200, version));
            assert!(answer.bytes().await.unwrap() == sound);
            let part = client.get(&signed).header("Range", "bytes=100000-299999").send().await.unwrap();
            assert_eq!(part.status(), 206);
            assert!(part.bytes().await.unwrap() == sound[100_000..300_000]);
        }
    }
    node.stop().await;
}

fn client_config(issued: &Issued) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(issued.path("cert.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

/// The kind of TLS handshake with a node. The client keeps the tickets that it receives.
async fn handshake(connector: &TlsConnector, node: &Node) -> HandshakeKind {
    let socket = TcpStream::connect(node.address()).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut stream = connector.connect(name, socket).await.unwrap();
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&answer));
    stream.get_ref().1.handshake_kind().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_at_another_node() {
    let issued = Issued::new();
    let server = TestServer::start(Backend::Embedded).await;
    let edge = async |secrets: Option<&str>| {
        let files = TlsFiles { certificates: issued.path("cert.pem"), key: issued.path("key.pem") };
        let change = |config: &mut Config| {
            config.tls = Some(files);
            config.roles = vec![Role::Edge];
            config.secrets = secrets.map(|text| text.parse().unwrap()).or(config.secrets.take());
        };
        server.another_node_with(change).await
    };
    let connector = TlsConnector::from(client_config(&issued));
    let (one, other) = (edge(None).await, edge(None).await);
    let stranger = edge(Some("the master secret of some other service")).await;
    assert_eq!(handshake(&connector, &one).await, HandshakeKind::Full);
    assert_eq!(handshake(&connector, &other).await, HandshakeKind::Resumed);
    one.stop().await;
    let restarted = edge(None).await;
    assert_eq!(handshake(&connector, &restarted).await, HandshakeKind::Resumed);
    assert_eq!(handshake(&connector, &stranger).await, HandshakeKind::Full);
    assert_eq!(handshake(&connector, &restarted).await, HandshakeKind::Full);
    // Tickets expire, whatever the client assumes.
    server.clock.advance_seconds(2 * 12 * 3600);
    assert_eq!(handshake(&connector, &other).await, HandshakeKind::Full);
    for node in [other, restarted, stranger] {
        node.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let (issued, data) = (Issued::new(), tempfile::tempdir().unwrap());
    let mut program = Program::new(binary(), data.path());
    for (name, file) in [("TONEARM_TLS_CERT", "cert.pem"), ("TONEARM_TLS_KEY", "key.pem")] {
        program.set(name, issued.path(file).to_str().unwrap());
    }
    program.start().await;
    let health = format!("{}/healthz", program.url().replace("http://", "https://"));
    let before = issued.client();
    assert_eq!(before.get(&health).send().await.unwrap().status(), 200);

    let first = issued.trusting();
    std::fs::write(issued.path("cert.pem"), "no certificate").unwrap();
    eventually("the broken certificate is seen", async || {
        program.log().contains("the new certificate is invalid; keeping the old one")
    })
    .await;
    assert_eq!(first.build().unwrap().get(&health).send().await.unwrap().status(), 200);
    issued.renew();
    eventually("the new certificate is in use", async || issued.client().get(&health).send().await.is_ok())
        .await;
    // An existing connection stays open.
    assert_eq!(before.get(&health).send().await.unwrap().status(), 200);
    assert!(program.terminate(), "{}", program.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_without_its_own_key_is_refused_at_the_start() {
    let (one, other) = (Issued::new(), Issued::new());
    let data = tempfile::tempdir().unwrap();
    let output = Command::new(crate::binary())
        .args(["--data-dir", data.path().to_str().unwrap(), "serve", "--listen", "127.0.0.1:0"])
        .args(["--tls-cert", one.path("cert.pem").to_str().unwrap()])
        .args(["--tls-key", other.path("key.pem").to_str().unwrap()])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("the certificate and its key cannot be used"), "{stderr}");
}

/// The timeout of the first request starts with the connection. A slow TLS handshake leaves less time for the request.
#[tokio::test(flavor = "multi_thread")]
async fn tls_and_the_first_request_share_their_time() {
    const LIMIT: Duration = Duration::from_secs(4);
    let issued = Issued::new();
    let server = TestServer::start(Backend::Embedded).await;
    let files = TlsFiles { certificates: issued.path("cert.pem"), key: issued.path("key.pem") };
    let node = async |tls: Option<TlsFiles>| {
        let change = |config: &mut Config| {
            config.tls = tls;
            config.roles = vec![Role::Edge];
            config.server_limits.header_timeout = LIMIT;
        };
        server.another_node_with(change).await
    };
    let (plain, secure) = (node(None).await, node(Some(files)).await);
    // Each client is late with its first step, and then sends nothing more.
    let half_a_head = async {
        let mut socket = TcpStream::connect(plain.address()).await.unwrap();
        let begun = Instant::now();
        tokio::time::sleep(LIMIT * 3 / 4).await;
        socket.write_all(b"POST /nothing HTTP/1.1\r\nHost: x\r\n").await.unwrap();
        let _ = socket.read_to_end(&mut Vec::new()).await;
        begun.elapsed()
    };
    let only_tls = async |protocol: &[u8]| {
        let mut config = (*client_config(&issued)).clone();
        config.alpn_protocols = vec![protocol.to_vec()];
        let socket = TcpStream::connect(secure.address()).await.unwrap();
        let begun = Instant::now();
        tokio::time::sleep(LIMIT * 3 / 4).await;
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, socket).await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
        begun.elapsed()
    };
    let (half, http1, http2) = tokio::join!(half_a_head, only_tls(b"http/1.1"), only_tls(b"h2"));
    for (client, kept) in [("half a head", half), ("HTTP/1.1", http1), ("HTTP/2", http2)] {
        assert!((LIMIT - Duration::from_millis(100)..LIMIT * 3 / 2).contains(&kept), "{client}: {kept:?}");
    }
    plain.stop().await;
    secure.stop().await;
}
