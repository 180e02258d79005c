//! URLs that organizations sign themselves.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use sha2::Sha256;
use tonearm_domain::ShortId;
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner, VerifyError};

use crate::{NOW, at, key, signer, split};

fn id(n: u8) -> ShortId {
    ShortId::from_random([n; 8])
}

/// Signs a URL up to `verify`, as the backend of an organization does with the text of its key.
fn sign(key: &str, signed: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(format!("{signed}{NOW}").as_bytes());
    let mac = BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}&verify={NOW}-{mac}")
}

/// Like [`sign`], for a URL that may have no parameters before `verify`.
fn sign_with_its_mark(key: &str, signed: &str) -> String {
    let url = sign(key, signed);
    if signed.contains('?') { url } else { url.replacen("&verify", "?verify", 1) }
}

fn verify(signer: &UrlSigner, url: &str) -> Result<(), VerifyError> {
    let (path, query) = split(url);
    signer.verify_delivery(path, query, at(1)).map(drop)
}

#[test]
fn a_live_key_signs_until_it_is_revoked() {
    let (signer, organization) = (signer(1), key().organization_id);
    let url = sign(&signer.signing_key(organization, id(1)), &format!("/{}?kid={}", key(), id(1)));
    assert_eq!(verify(&signer, &url), Err(VerifyError::BadSignature));
    signer.honour(&[(organization, id(1)), (organization, id(2))]);
    assert_eq!(verify(&signer, &url), Ok(()));
    let (path, query) = split(&url);
    assert_eq!(signer.verify_delivery(path, query, at(3600)), Err(VerifyError::Expired));
    // The change applies to clones at once.
    signer.clone().honour(&[(organization, id(2))]);
    assert_eq!(verify(&signer, &url), Err(VerifyError::BadSignature));
    assert_eq!(signer.live_keys().len(), 1);
}

#[test]
fn what_nobody_says_any_more_does_not_count() {
    let (signer, organization) = (signer(1), key().organization_id);
    let text = signer.signing_key(organization, id(1));
    let named = sign(&text, &format!("/{}?kid={}", key(), id(1)));
    let unnamed = sign_with_its_mark(&text, &format!("/{}", key()));
    let verify_at = |url: &str, seconds| {
        let (path, query) = split(url);
        signer.verify_delivery(path, query, at(seconds)).map(drop)
    };
    signer.honour_until(&[(organization, id(1))], at(20));
    for url in [&named, &unnamed] {
        assert_eq!(verify_at(url, 19), Ok(()));
        assert_eq!(verify_at(url, 20), Err(VerifyError::KeysUnknown));
    }
    // The service's own keys are always known.
    let own = signer.sign_delivery(&key(), DeliveryTerms::default(), at(0));
    assert_eq!(verify_at(&own, 20), Ok(()));
    assert!(signer.live_keys().contains((organization, id(1)), at(19)));
    assert!(!signer.live_keys().contains((organization, id(1)), at(20)));
    signer.honour_longer(at(30));
    assert_eq!([29, 30].map(|seconds| verify_at(&named, seconds).is_ok()), [true, false]);
    signer.honour(&[(organization, id(1))]);
    assert_eq!(verify_at(&named, 1000), Ok(()));
}

#[test]
fn a_key_is_good_for_its_own_url_alone() {
    let (signer, organization) = (signer(1), key().organization_id);
    let neighbour = "018f0000-0000-7000-8000-0000000000ff".parse().unwrap();
    signer.honour(&[(organization, id(1)), (organization, id(2)), (neighbour, id(3))]);
    let mine = signer.signing_key(organization, id(1));
    let foreign = signer.signing_key(neighbour, id(3));
    let path = format!("/{}", key());
    for (what, key, signed) in [
        ("names another key", &mine, format!("{path}?kid={}", id(2))),
        ("names a key of somebody else", &foreign, format!("{path}?kid={}", id(3))),
        ("names an unknown key", &mine, format!("{path}?kid={}", id(9))),
        (
            "is signed with the key of the node",
            &signer.delivery_key(organization),
            format!("{path}?kid={}", id(1)),
        ),
    ] {
        assert_eq!(verify(&signer, &sign(key, &signed)), Err(VerifyError::BadSignature), "{what}");
    }
    assert_eq!(
        verify(&signer, &sign(&mine, &format!("{path}?attachment=a.mp3&ttl=60&kid={}", id(1)))),
        Ok(())
    );
}

#[test]
fn a_url_that_names_no_key_is_tried_against_the_live_ones() {
    let (signer, organization) = (signer(1), key().organization_id);
    let neighbour = "018f0000-0000-7000-8000-0000000000ff".parse().unwrap();
    let mine = signer.signing_key(organization, id(2));
    let urls = [format!("/{}", key()), format!("/{}?attachment=a.mp3&ttl=60", key())]
        .map(|signed| sign_with_its_mark(&mine, &signed));
    let granted = |url: &str| {
        let (path, query) = split(url);
        signer.verify_delivery(path, query, at(1)).map(|grant| grant.signing_key)
    };
    for url in &urls {
        assert_eq!(granted(url), Err(VerifyError::BadSignature));
    }
    // A cache of verified URLs must know which key permits this URL, as the key may be revoked.
    signer.honour(&[(organization, id(1)), (organization, id(2)), (neighbour, id(3))]);
    for url in &urls {
        assert_eq!(granted(url), Ok(Some(id(2))));
    }
    let foreign = sign_with_its_mark(&signer.signing_key(neighbour, id(3)), &format!("/{}", key()));
    assert_eq!(granted(&foreign), Err(VerifyError::BadSignature));
    assert_eq!(granted(&signer.sign_delivery(&key(), DeliveryTerms::default(), at(0))), Ok(None));
    signer.honour(&[(organization, id(1))]);
    assert_eq!(granted(&urls[0]), Err(VerifyError::BadSignature));
}

#[test]
fn at_most_eight_keys_are_tried() {
    let (signer, organization) = (signer(1), key().organization_id);
    let mut ids: Vec<ShortId> = (1..=9).map(id).collect();
    ids.sort();
    let names: Vec<_> = ids.iter().rev().map(|id| (organization, *id)).collect();
    signer.honour(&names);
    let works = |id: ShortId| {
        let url = sign_with_its_mark(&signer.signing_key(organization, id), &format!("/{}", key()));
        verify(&signer, &url).is_ok()
    };
    let tried: Vec<bool> = ids.iter().map(|id| works(*id)).collect();
    assert_eq!(tried, [true, true, true, true, true, true, true, true, false]);
    // The ninth works if the URL names it.
    let named = sign(&signer.signing_key(organization, ids[8]), &format!("/{}?kid={}", key(), ids[8]));
    assert_eq!(verify(&signer, &named), Ok(()));
}

#[test]
fn there_is_one_place_for_the_name_of_a_key() {
    let (signer, organization) = (signer(1), key().organization_id);
    signer.honour(&[(organization, id(1))]);
    let mine = signer.signing_key(organization, id(1));
    let kid = id(1);
    for query in [
        format!("kid={kid}&ttl=60"),
        format!("kid={kid}&kid={kid}"),
        format!("kid={kid}&attachment=a"),
        "ttl=60&kid=".to_owned(),
        format!("KID={kid}"),
        format!("kid={}", kid.as_str().to_uppercase()),
        format!("kid={kid}x"),
        format!("kid=%61{}", &kid.as_str()[1..]),
        format!("&kid={kid}"),
        format!("kid={kid}&"),
    ] {
        let url = sign(&mine, &format!("/{}?{query}", key()));
        assert_eq!(verify(&signer, &url), Err(VerifyError::Malformed), "{query}");
    }
}

#[test]
fn keys_outlive_the_rotation_of_the_master_secret_until_it_is_dropped() {
    let (old, new) =
        ("an old secret that is long enough for one", "a new secret that is long enough for one");
    let signer = |text: &str| UrlSigner::new(Secrets::parse(text).unwrap());
    let organization = key().organization_id;
    let url = sign(&signer(old).signing_key(organization, id(1)), &format!("/{}?kid={}", key(), id(1)));
    for (secrets, expected) in
        [(format!("{new},{old}"), Ok(())), (new.to_owned(), Err(VerifyError::BadSignature))]
    {
        let signer = signer(&secrets);
        signer.honour(&[(organization, id(1))]);
        assert_eq!(verify(&signer, &url), expected);
    }
}

#[test]
fn nodes_sign_what_they_publish() {
    let mac = signer(1).sign_text("text");
    assert!(signer(1).verifies_text("text", &mac));
    assert!(!signer(2).verifies_text("text", &mac));
    assert!(!signer(1).verifies_text("texts", &mac));
    for bad in ["", "00", &mac[1..], &mac.replace(|_| true, "g")] {
        assert!(!signer(1).verifies_text("text", bad));
    }
}

proptest! {
    #[test]
    fn no_key_no_entry(ttl in prop::option::of(1..100_000_u32), forged: [u8; 32], n: u8) {
        let signer = signer(1);
        signer.honour(&[(key().organization_id, id(1))]);
        let ttl = ttl.map_or(String::new(), |ttl| format!("ttl={ttl}&"));
        let url = sign(&hex::encode(forged), &format!("/{}?{ttl}kid={}", key(), id(n)));
        prop_assert_eq!(verify(&signer, &url), Err(VerifyError::BadSignature));
        // Adding the ID of an organization's key to a node's URL does not make it a URL of the organization.
        let own = signer.sign_delivery(&key(), DeliveryTerms::default(), at(0));
        let renamed = own.replace("?verify", &format!("?kid={}&verify", id(1)));
        prop_assert_eq!(verify(&signer, &renamed), Err(VerifyError::BadSignature));
    }
}
