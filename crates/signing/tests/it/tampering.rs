//! Any change to a signed URL invalidates it, and no input makes verification panic.

use proptest::prelude::*;
use tonearm_domain::{ContentType, DeliveryPath, ObjectFile, ObjectKey, OrganizationId, ShortId};
use tonearm_signing::{DeliveryTerms, UploadGrant, UploadTarget, VerifyError};

use crate::{at, key, signer, split, track, upload};

fn any_key() -> impl Strategy<Value = ObjectKey> {
    (any::<[u8; 10]>(), any::<[u8; 8]>(), any::<[u8; 8]>(), "[a-z0-9_-]{2,20}", 0..ContentType::ALL.len())
        .prop_filter_map("labels have rules of their own", |(random, folder, version, label, content)| {
            Some(ObjectKey {
                organization_id: tonearm_domain::RecordId::from_parts(at(0), random),
                folder: ShortId::from_random(folder),
                file: ObjectFile {
                    label: label.parse().ok()?,
                    version: ShortId::from_random(version),
                    content_type: ContentType::ALL[content],
                },
            })
        })
}

/// The URL with one character replaced; `None` if this changes nothing.
fn change(url: &str, place: prop::sample::Index, replacement: char) -> Option<String> {
    let place = place.index(url.len());
    let changed = format!("{}{replacement}{}", url.get(..place)?, url.get(place + 1..)?);
    (changed != url).then_some(changed)
}

proptest! {
    #[test]
    fn what_is_signed_verifies(
        key in any_key(),
        ttl in prop::option::of(1..=86_400u32),
        attachment: Option<String>,
        elapsed in 0..86_400i64,
    ) {
        let signer = signer(1);
        let url = signer.sign_delivery(&key, DeliveryTerms { ttl, attachment: attachment.as_deref(), ..DeliveryTerms::default() }, at(0));
        let (path, query) = split(&url);
        let valid = i64::from(ttl.unwrap_or(3600));
        let verified = signer.verify_delivery(path, query, at(elapsed));
        if elapsed < valid {
            let grant = verified.unwrap();
            prop_assert_eq!(grant.path, DeliveryPath::Object(key));
            prop_assert_eq!(grant.attachment, attachment);
            prop_assert_eq!(grant.expires_at, at(valid));
        } else {
            prop_assert_eq!(verified, Err(VerifyError::Expired));
        }
    }

    #[test]
    fn a_changed_character_breaks_it(
        place: prop::sample::Index,
        replacement in prop_oneof!["[!-~]".prop_map(|s| s.chars().next().unwrap()), any::<char>()],
        attachment in prop::option::of("[a-zA-Z ]{1,10}"),
    ) {
        let signer = signer(1);
        let terms = DeliveryTerms { ttl: Some(30), attachment: attachment.as_deref(), ..DeliveryTerms::default() };
        if let Some(changed) = change(&signer.sign_delivery(&key(), terms, at(0)), place, replacement) {
            let (path, query) = split(&changed);
            let error = signer.verify_delivery(path, query, at(0)).unwrap_err();
            prop_assert!(matches!(error, VerifyError::Malformed | VerifyError::BadSignature), "{}", changed);
        }
    }

    #[test]
    fn a_changed_character_breaks_an_upload(place: prop::sample::Index, replacement in "[!-~]") {
        let signer = signer(1);
        let url = signer.sign_upload(upload(UploadTarget::Cover(track())), 3600, at(0));
        if let Some(changed) = change(&url, place, replacement.chars().next().unwrap()) {
            let (path, query) = split(&changed);
            prop_assert!(signer.verify_upload(path, query, at(0)).is_err(), "{}", changed);
        }
    }

    #[test]
    fn any_text_is_refused_without_panic(path in "\\PC{0,80}", query in prop::option::of("\\PC{0,80}")) {
        let signer = signer(1);
        prop_assert!(signer.verify_delivery(&path, query.as_deref(), at(0)).is_err());
        prop_assert!(signer.verify_upload(&path, query.as_deref(), at(0)).is_err());
    }

    #[test]
    fn any_query_on_a_real_path_is_refused(
        query in "((attachment|ttl|verify)=[a-z0-9%=-]{0,12}&?){0,4}(verify=[0-9]{0,11}-?[A-Za-z0-9_=-]{0,44})?",
    ) {
        let signer = signer(1);
        let path = format!("/{}", key());
        prop_assert!(signer.verify_delivery(&path, Some(&query), at(0)).is_err());
        prop_assert!(signer.verify_upload("/upload/x", Some(&query), at(0)).is_err());
    }

    #[test]
    fn uploads_are_read_back(organization: [u8; 10], id: [u8; 10], which in 0..4, ttl in 1..=86_400u32) {
        use tonearm_domain::RecordId as _;
        let signer = signer(1);
        let target = match which {
            0 => UploadTarget::Source(tonearm_domain::TrackId::from_parts(at(0), id)),
            1 => UploadTarget::Cover(tonearm_domain::TrackId::from_parts(at(0), id)),
            2 => UploadTarget::Replacement(
                tonearm_domain::TrackId::from_parts(at(0), id),
                tonearm_domain::ReplacementId::from_parts(at(1), id),
            ),
            _ => UploadTarget::CollectionCover(tonearm_domain::CollectionId::from_parts(at(0), id)),
        };
        let grant = UploadGrant { organization_id: OrganizationId::from_parts(at(0), organization), target };
        let url = signer.sign_upload(grant, ttl, at(0));
        let (path, query) = split(&url);
        prop_assert_eq!(signer.verify_upload(path, query, at(i64::from(ttl) - 1)), Ok(grant));
    }
}

#[test]
fn additions_to_a_signed_url_break_it() {
    let signer = signer(1);
    let url = signer.sign_delivery(
        &key(),
        DeliveryTerms { ttl: Some(30), attachment: Some("a.mp3"), ..DeliveryTerms::default() },
        at(0),
    );
    let (path, query) = split(&url);
    let query = query.unwrap();
    let (signed, verify) = query.rsplit_once('&').unwrap();
    let changed = [
        (path.to_owned(), format!("{query}&")),
        (path.to_owned(), format!("{query}&x=1")),
        (path.to_owned(), format!("x=1&{query}")),
        (path.to_owned(), format!("{query}&{verify}")),
        (path.to_owned(), format!("{verify}&{signed}")),
        (path.to_owned(), format!("{query}=")),
        (path.to_owned(), format!("&{verify}")),
        (path.to_owned(), verify.to_owned()),
        (path.to_owned(), signed.to_owned()),
        (path.to_owned(), signed.replace("a.mp3", "%61.mp3") + "&" + verify),
        (path.to_owned(), "ttl=30&attachment=a.mp3&".to_owned() + verify),
        (format!("/{path}"), query.to_owned()),
        (format!("{path}/"), query.to_owned()),
        (path.replace("/hq", "/./hq"), query.to_owned()),
        (path.replace("/hq", "/x/../hq"), query.to_owned()),
        (path.replace("hq", "%68q"), query.to_owned()),
        (path.to_uppercase(), query.to_owned()),
    ];
    for (path, query) in changed {
        assert!(signer.verify_delivery(&path, Some(&query), at(0)).is_err(), "{path}?{query}");
    }
    assert!(signer.verify_delivery(path, Some(query), at(0)).is_ok());
    assert_eq!(signer.verify_delivery(path, None, at(0)), Err(VerifyError::Malformed));
}
