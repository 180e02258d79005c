//! Nodes request and renew a certificate by themselves, from a real ACME authority.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonearm::{AcmeTerms, Node};
use tonearm_domain::{CertificateState, Clock as _};
use tonearm_fixtures::{Authority, LIFETIME_DAYS};
use tonearm_testkit::{Program, TestServer};

use crate::{binary, eventually};

const NAME: &str = "audio.example.com";

crate::on_both_backends!(
    nodes_share_a_certificate_and_its_renewal,
    a_new_node_begins_with_the_stored_certificate,
    a_node_with_other_names_begins_with_the_certificate_of_most_of_them,
    failures_are_shown_and_not_repeated_at_once,
    the_authority_says_when_it_may_be_asked_again,
    a_node_that_stops_leaves_its_order_to_others,
);

/// Another node, which gets its certificate from the authority.
async fn node(server: &TestServer, authority: &Authority) -> Node {
    node_for(server, authority, NAME).await
}

/// Starts such a node for these names.
async fn node_for(server: &TestServer, authority: &Authority, names: &str) -> Node {
    server
        .another_node_with(|config| {
            config.acme = Some(AcmeTerms {
                names: names.parse().unwrap(),
                contact: Some("ada@example.com".to_owned()),
                directory: authority.directory(),
            });
            config.certificate_check_interval = Duration::from_millis(100);
        })
        .await
}

/// Connects to a node and accepts any certificate.
async fn connect(node: &Node) -> TlsStream<TcpStream> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    let socket = TcpStream::connect(node.address()).await.unwrap();
    let name = ServerName::try_from(NAME).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, socket).await.unwrap()
}

/// The certificate that a node presents.
async fn shown(node: &Node) -> Vec<u8> {
    let stream = connect(node).await;
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

fn latest(authority: &Authority) -> Option<Vec<u8>> {
    let chain = authority.latest()?;
    Some(CertificateDer::pem_slice_iter(chain.as_bytes()).next()?.unwrap().to_vec())
}

/// Whether a request on the connection receives a complete response.
async fn is_alive(stream: &mut TlsStream<TcpStream>) -> bool {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return false };
        answer.push(byte);
    }
    let head = String::from_utf8(answer).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.is_ok() && head.starts_with("http/1.1 200 ")
}

async fn in_use(authority: &Authority, nodes: [&Node; 2]) {
    eventually("both nodes use the certificate", async || {
        let Some(latest) = latest(authority) else { return false };
        shown(nodes[0]).await == latest && shown(nodes[1]).await == latest
    })
    .await;
}

async fn nodes_share_a_certificate_and_its_renewal(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    let (one, other) = (node(&server, &authority).await, node(&server, &authority).await);
    assert_eq!(one.public_url(), format!("https://{NAME}"));
    // Both nodes serve requests before there is a certificate. The authority validates against the second node.
    let mut before = connect(&one).await;
    assert!(is_alive(&mut before).await);
    assert_eq!(authority.latest(), None);
    authority.lead_to(other.address());
    in_use(&authority, [&one, &other]).await;
    assert_eq!((authority.orders(), authority.accounts()), (1, 1));
    assert!(is_alive(&mut before).await, "a connection that was there goes on");

    let first = latest(&authority).unwrap();
    server.clock.advance_seconds(LIFETIME_DAYS * 86_400 * 2 / 3 + 1);
    eventually("it is renewed", async || latest(&authority).unwrap() != first).await;
    in_use(&authority, [&one, &other]).await;
    assert_eq!((authority.orders(), authority.accounts()), (2, 1), "one node ordered, with the same account");
    assert!(is_alive(&mut before).await, "a connection that was there goes on");
    one.stop().await;
    other.stop().await;
}

async fn a_new_node_begins_with_the_stored_certificate(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    let one = node(&server, &authority).await;
    authority.lead_to(one.address());
    eventually("there is a certificate", async || authority.latest().is_some()).await;
    in_use(&authority, [&one, &one]).await;
    let other = node(&server, &authority).await;
    assert_eq!(shown(&other).await, latest(&authority).unwrap());
    assert_eq!(authority.orders(), 1);
    one.stop().await;
    other.stop().await;
}

async fn a_node_with_other_names_begins_with_the_certificate_of_most_of_them(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    let one = node(&server, &authority).await;
    authority.lead_to(one.address());
    in_use(&authority, [&one, &one]).await;
    let before = latest(&authority).unwrap();
    authority.refuse(Some("rateLimited"));
    authority.ask_to_wait(Some(7200));
    let other = node_for(&server, &authority, "audio.example.com new.example.com").await;
    assert_eq!(shown(&other).await, before);
    eventually("the order is refused", async || authority.refused() >= 1).await;
    assert_eq!(shown(&other).await, before, "it is used until there is a new one");
    let stranger = node_for(&server, &authority, "elsewhere.example.com").await;
    assert_ne!(shown(&stranger).await, before, "it is for none of its names");
    stranger.stop().await;

    one.stop().await;
    authority.refuse(None);
    authority.lead_to(other.address());
    // The wait that the authority requested, plus up to a fifth.
    server.clock.advance_seconds(8641);
    eventually("there is a new one", async || latest(&authority).unwrap() != before).await;
    in_use(&authority, [&other, &other]).await;
    other.stop().await;
}

async fn failures_are_shown_and_not_repeated_at_once(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    // The names resolve to a server that cannot answer the challenge, because it speaks plain HTTP.
    authority.lead_to(server.node.address());
    let one = node(&server, &authority).await;
    let doctor = async || {
        let mut program: Program = server.program(binary());
        program.set("TONEARM_TLS_ACME", NAME);
        program.set("TONEARM_TLS_ACME_DIRECTORY", &authority.directory());
        String::from_utf8(program.run(&["doctor"]).stdout).unwrap()
    };
    eventually("the failure is recorded", async || {
        doctor().await.contains("failed certificate requests: 1; the last reason: audio.example.com: ")
    })
    .await;
    let report = doctor().await;
    assert!(
        report.contains("FAIL  certificate ")
            && report.contains("there is no certificate for audio.example.com"),
        "{report}"
    );
    assert_eq!(authority.orders(), 1);

    // The first pause is a quarter of an hour, plus up to a fifth.
    authority.lead_to(one.address());
    server.clock.advance_seconds(15 * 60 * 6 / 5 + 1);
    in_use(&authority, [&one, &one]).await;
    assert_eq!(authority.orders(), 2);
    let report = doctor().await;
    assert!(
        report.contains("certificate for audio.example.com until 2030-0")
            && !report.contains("failed certificate requests"),
        "{report}"
    );
    one.stop().await;
}

async fn state(server: &TestServer) -> Option<CertificateState> {
    let catalog = &server.node.services().unwrap().catalog;
    catalog.certificate(&NAME.parse().unwrap()).await.unwrap()
}

async fn the_authority_says_when_it_may_be_asked_again(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    authority.refuse(Some("rateLimited"));
    authority.ask_to_wait(Some(7200));
    let one = node(&server, &authority).await;
    eventually("the failure is recorded", async || {
        state(&server).await.is_some_and(|state| state.last_error.is_some())
    })
    .await;
    let state = state(&server).await.unwrap();
    let pause = state.order_at.unix_millis() - server.clock.now().unix_millis();
    assert!((7_200_000..=8_640_000).contains(&pause), "{pause} ms, with up to a fifth more");
    authority.refuse(None);
    authority.lead_to(one.address());
    server.clock.advance_seconds(8641);
    in_use(&authority, [&one, &one]).await;
    assert_eq!((authority.refused(), authority.orders()), (1, 1));
    one.stop().await;
}

async fn a_node_that_stops_leaves_its_order_to_others(server: TestServer) {
    let authority = Authority::start(server.clock.clone()).await;
    // The names resolve to no server yet, so the order does not complete.
    let one = node(&server, &authority).await;
    eventually("an order has begun", async || authority.orders() == 1).await;
    one.stop().await;
    let left = state(&server).await.unwrap();
    assert_eq!((left.failures, left.leased_until, left.last_error), (0, None, None));
    let other = node(&server, &authority).await;
    authority.lead_to(other.address());
    in_use(&authority, [&other, &other]).await;
    assert_eq!(authority.orders(), 2);
    other.stop().await;
}

/// Accepts every certificate. The tests check which one is presented.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
