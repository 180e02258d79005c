//! The published vectors, against this crate and against Python.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use tonearm_domain::{DeliveryPath, Timestamp};
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner, VerifyError};

use crate::split;

#[derive(Deserialize)]
struct Vectors {
    secret: String,
    urls: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    what: String,
    kid: Option<tonearm_domain::ShortId>,
    purpose: String,
    organization: String,
    issued: i64,
    valid_until: i64,
    key: String,
    url: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../vectors.json")).unwrap()
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(seconds).unwrap()
}

#[test]
fn delivery_urls_are_as_published() {
    let vectors = vectors();
    let signer = UrlSigner::new(Secrets::parse(&vectors.secret).unwrap());
    for vector in vectors.urls.iter().filter(|v| v.purpose == "delivery") {
        assert_eq!(signer.delivery_key(vector.organization.parse().unwrap()), vector.key, "{}", vector.what);
        let (path, query) = split(&vector.url);
        let last_second = moment(vector.valid_until - 1);
        let grant = signer.verify_delivery(path, query, last_second).expect(&vector.what);
        assert_eq!(grant.expires_at, moment(vector.valid_until), "{}", vector.what);
        let ttl = (path.len() + 1..vector.url.len())
            .find_map(|i| vector.url[i..].strip_prefix("ttl="))
            .map(|_| (vector.valid_until - vector.issued) as u32);
        let terms =
            DeliveryTerms { ttl, attachment: grant.attachment.as_deref(), ..DeliveryTerms::default() };
        let issued = moment(vector.issued);
        let signed = match &grant.path {
            DeliveryPath::Object(key) => signer.sign_delivery(key, terms, issued),
            DeliveryPath::Durable(name) => signer.sign_durable(name, terms, issued),
        };
        assert_eq!(signed, vector.url);
    }
}

#[test]
fn urls_signed_by_organizations_are_as_published() {
    let vectors = vectors();
    let signer = UrlSigner::new(Secrets::parse(&vectors.secret).unwrap());
    let own: Vec<&Vector> = vectors.urls.iter().filter(|v| v.purpose == "signing-key").collect();
    assert!(!own.is_empty());
    for vector in own {
        let key = (vector.organization.parse().unwrap(), vector.kid.unwrap());
        assert_eq!(signer.signing_key(key.0, key.1), vector.key, "{}", vector.what);
        let (path, query) = split(&vector.url);
        let last_second = moment(vector.valid_until - 1);
        assert_eq!(signer.verify_delivery(path, query, last_second), Err(VerifyError::BadSignature));
        signer.honour(&[key]);
        let grant = signer.verify_delivery(path, query, last_second).expect(&vector.what);
        assert_eq!(grant.expires_at, moment(vector.valid_until), "{}", vector.what);
        signer.honour(&[]);
    }
}

#[test]
fn upload_urls_are_as_published() {
    let vectors = vectors();
    let signer = UrlSigner::new(Secrets::parse(&vectors.secret).unwrap());
    for vector in vectors.urls.iter().filter(|v| v.purpose == "upload") {
        let (path, query) = split(&vector.url);
        let grant = signer.verify_upload(path, query, moment(vector.issued)).expect(&vector.what);
        assert_eq!(signer.sign_upload(grant, 3600, moment(vector.issued)), vector.url);
        let expired = signer.verify_upload(path, query, moment(vector.valid_until));
        assert_eq!(expired, Err(VerifyError::Expired));
    }
}

#[test]
fn python_agrees() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors.py");
    match Command::new("python3").arg("-B").arg(script).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => eprintln!("skipped, as python3 does not start: {error}"),
    }
}
