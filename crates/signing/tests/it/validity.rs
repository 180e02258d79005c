//! When URLs are valid, and with which secrets.

use tonearm_domain::Timestamp;
use tonearm_signing::{DeliveryGrant, DeliveryTerms, Secrets, UploadTarget, UrlSigner, VerifyError};

use crate::{NOW, at, key, signer, split, track, upload};

fn verify(signer: &UrlSigner, url: &str, now: Timestamp) -> Result<DeliveryGrant, VerifyError> {
    let (path, query) = split(url);
    signer.verify_delivery(path, query, now)
}

#[test]
fn the_last_moment_is_the_one_before_the_end() {
    let signer = signer(1);
    for (ttl, valid) in [(None, 3600), (Some(30), 30), (Some(1), 1), (Some(86_400), 86_400)] {
        let url = signer.sign_delivery(&key(), DeliveryTerms { ttl, ..DeliveryTerms::default() }, at(0));
        let end = at(valid);
        assert_eq!(verify(&signer, &url, at(0)).unwrap().expires_at, end);
        assert!(verify(&signer, &url, end.plus_millis(-1)).is_ok(), "{ttl:?}");
        assert_eq!(verify(&signer, &url, end), Err(VerifyError::Expired), "{ttl:?}");
    }
    let never =
        signer.sign_delivery(&key(), DeliveryTerms { ttl: Some(0), ..DeliveryTerms::default() }, at(0));
    assert_eq!(verify(&signer, &never, at(0)), Err(VerifyError::Expired));
}

#[test]
fn a_clock_may_be_half_a_minute_behind() {
    let signer = signer(1);
    let url = signer.sign_delivery(&key(), DeliveryTerms::default(), at(0));
    assert!(verify(&signer, &url, at(-30)).is_ok());
    assert_eq!(verify(&signer, &url, at(-30).plus_millis(-1)), Err(VerifyError::Expired));
    let upload_url = signer.sign_upload(upload(UploadTarget::Source(track())), 3600, at(0));
    let (path, query) = split(&upload_url);
    assert_eq!(signer.verify_upload(path, query, at(-31)), Err(VerifyError::Expired));
}

#[test]
fn only_the_genuine_is_told_that_it_expired() {
    let url = signer(1).sign_delivery(&key(), DeliveryTerms::default(), at(0));
    assert_eq!(verify(&signer(2), &url, at(9999)), Err(VerifyError::BadSignature));
}

#[test]
fn secrets_rotate() {
    let (old, new) = ("o".repeat(32), "n".repeat(32));
    let with = |secrets: &str| UrlSigner::new(Secrets::parse(secrets).unwrap());
    let (before, during, after) = (with(&old), with(&format!("{new},{old}")), with(&new));
    let sign = |signer: &UrlSigner| signer.sign_delivery(&key(), DeliveryTerms::default(), at(0));
    assert!(verify(&during, &sign(&before), at(0)).is_ok());
    assert!(verify(&after, &sign(&during), at(0)).is_ok());
    assert_eq!(verify(&before, &sign(&during), at(0)), Err(VerifyError::BadSignature));
    assert_eq!(verify(&after, &sign(&before), at(0)), Err(VerifyError::BadSignature));
}

#[test]
fn a_moment_outside_ten_digits_is_clamped() {
    let signer = signer(1);
    let url =
        signer.sign_delivery(&key(), DeliveryTerms::default(), Timestamp::from_unix_seconds(5).unwrap());
    assert!(url.contains("verify=1000000000-"), "{url}");
}

#[test]
fn an_upload_url_is_no_delivery_url_and_the_other_way_round() {
    let signer = signer(1);
    let urls = [
        signer.sign_upload(upload(UploadTarget::Source(track())), 3600, at(0)),
        signer.sign_delivery(&key(), DeliveryTerms { ttl: Some(3600), ..DeliveryTerms::default() }, at(0)),
    ];
    assert!(verify(&signer, &urls[0], at(0)).is_err());
    let (path, query) = split(&urls[1]);
    assert!(signer.verify_upload(path, query, at(0)).is_err());
    // The signature of one target with the path of another.
    let cover = signer.sign_upload(upload(UploadTarget::Cover(track())), 3600, at(0));
    for other in ["/cover", "/collection_cover"] {
        let swapped = urls[0].replace("/source", other);
        assert_ne!(swapped, cover);
        let (path, query) = split(&swapped);
        assert_eq!(signer.verify_upload(path, query, at(0)), Err(VerifyError::BadSignature));
    }
}

#[test]
fn digits_cannot_move_between_ttl_and_issued() {
    let signer = signer(1);
    let url =
        signer.sign_delivery(&key(), DeliveryTerms { ttl: Some(30), ..DeliveryTerms::default() }, at(0));
    let issued = NOW.to_string();
    for moved in 1..10 {
        let (to_ttl, left) = issued.split_at(moved);
        let forged = url
            .replace("ttl=30", &format!("ttl=30{to_ttl}"))
            .replace(&format!("verify={issued}"), &format!("verify={left}"));
        assert_eq!(verify(&signer, &forged, at(0)), Err(VerifyError::Malformed), "{forged}");
    }
}
