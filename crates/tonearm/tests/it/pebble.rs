//! A certificate from Pebble, the authority with which Let's Encrypt tests clients. Its Debian package is `pebble`.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio_rustls::TlsConnector;
use tonearm_fixtures::{Certificate, EVENTUALLY, free_port};
use tonearm_testkit::Program;

use crate::binary;
use crate::tls::trusting;

const NAME: &str = "audio.example.com";

/// Starts a program that ends with the test. Returns `None` if it is not installed.
fn begin(name: &str, arguments: &[&str]) -> Option<Child> {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // By default, Pebble sleeps before it validates, so that clients have to wait, too.
    command.env("PEBBLE_VA_NOSLEEP", "1").kill_on_drop(true);
    match command.spawn() {
        Ok(child) => Some(child),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

fn free() -> String {
    format!("127.0.0.1:{}", free_port())
}

fn write_settings(path: &Path, certificate: &Certificate, listen: &str, management: &str, tls_port: u16) {
    let settings = json!({ "pebble": {
        "listenAddress": listen,
        "managementListenAddress": management,
        "certificate": certificate.chain,
        "privateKey": certificate.key,
        "httpPort": 9,
        "tlsPort": tls_port,
        "ocspResponderURL": "",
        "externalAccountBindingRequired": false,
    }});
    std::fs::write(path, settings.to_string()).unwrap();
}

/// The root of this authority, once it answers.
async fn root(trusted: &Path, management: &str) -> CertificateDer<'static> {
    let client = trusting(trusted).build().unwrap();
    let begun = Instant::now();
    loop {
        match client.get(format!("https://{management}/roots/0")).send().await {
            Ok(answer) => {
                let pem = answer.error_for_status().unwrap().bytes().await.unwrap();
                return CertificateDer::from_pem_slice(&pem).unwrap();
            }
            Err(error) => assert!(begun.elapsed() < EVENTUALLY, "Pebble does not answer: {error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_comes_from_pebble() {
    let folder = tempfile::tempdir().unwrap();
    let own = Certificate::make(folder.path());
    let (listen, management, names) = (free(), free(), free());
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let mut program = Program::new(binary(), &data);
    let address = program.url().replace("http://", "");
    let tls_port = address.rsplit(':').next().unwrap().parse().unwrap();
    let settings = folder.path().join("pebble.json");
    write_settings(&settings, &own, &listen, &management, tls_port);
    // All names resolve to this machine.
    let no_names =
        ["-management", &free(), "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", ""];
    let resolver = begin("pebble-challtestsrv", &[&["-dns01", &names][..], &no_names[..]].concat());
    let pebble = begin("pebble", &["-config", settings.to_str().unwrap(), "-dnsserver", &names, "-strict"]);
    let (Some(_resolver), Some(_pebble)) = (resolver, pebble) else {
        println!("not run, as Pebble is not installed; run `apt-get install pebble`");
        return;
    };
    let mut roots = RootCertStore::empty();
    roots.add(root(&own.chain, &management).await).unwrap();

    program.set("TONEARM_TLS_ACME", NAME);
    program.set("TONEARM_TLS_ACME_DIRECTORY", &format!("https://{listen}/dir"));
    program.set("SSL_CERT_FILE", own.chain.to_str().unwrap());
    program.spawn();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let begun = Instant::now();
    loop {
        // Until it has the certificate, it presents one that no authority signed.
        if let Ok(socket) = TcpStream::connect(&address).await
            && connector.connect(ServerName::try_from(NAME).unwrap(), socket).await.is_ok()
        {
            break;
        }
        assert!(begun.elapsed() < EVENTUALLY, "no certificate: {}", program.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    program.kill();
}
