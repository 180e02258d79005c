//! URLs that permit fetching one object.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tonearm_domain::{CachePolicy, DeliveryPath, DurableName, ObjectKey, ShortId, Timestamp};

use crate::keys::Purpose;
use crate::signer::{Token, UrlSigner, VerifyError, canonical_number};

/// Seconds that a delivery URL without a `ttl` is valid.
pub const DEFAULT_TTL_SECONDS: u32 = 3600;

/// The parameter that lets shared caches store the response.
const PUBLIC: &str = "cache=public";

/// Everything but RFC 3986's unreserved characters.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How an object may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryTerms<'a> {
    /// Seconds that the URL is valid. `None` means one hour, and omits `ttl` from the URL.
    pub ttl: Option<u32>,
    /// The name under which a browser saves the object. `None` lets the browser play it.
    pub attachment: Option<&'a str>,
    /// Which caches may store the response. `Private` omits `cache` from the URL.
    pub cache: CachePolicy,
}

/// What a genuine delivery URL permits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryGrant {
    /// What may be fetched.
    pub path: DeliveryPath,
    /// The name to save it under, if it is to be saved.
    pub attachment: Option<String>,
    /// Which caches may store the response.
    pub cache: CachePolicy,
    /// When the permission expires.
    pub expires_at: Timestamp,
    /// The organization's key that signed it, which may be revoked. None if the service itself signed it.
    pub signing_key: Option<ShortId>,
}

impl UrlSigner {
    /// Path and query of a URL that permits fetching the object from `now` on.
    pub fn sign_delivery(&self, key: &ObjectKey, terms: DeliveryTerms<'_>, now: Timestamp) -> String {
        self.sign(Purpose::Delivery, key.organization_id, unsigned(key, terms), now)
    }

    /// Path and query of a URL that permits fetching whatever object the name stands for when it is fetched.
    pub fn sign_durable(&self, name: &DurableName, terms: DeliveryTerms<'_>, now: Timestamp) -> String {
        self.sign(Purpose::Delivery, name.organization_id, unsigned(name, terms), now)
    }

    /// Returns what a path and query permit, exactly as they appear in the request.
    ///
    /// Strict: there is one spelling of each signed URL. The signature is checked before the time, so only holders of a
    /// once valid URL get `Expired`.
    pub fn verify_delivery(
        &self,
        path: &str,
        query: Option<&str>,
        now: Timestamp,
    ) -> Result<DeliveryGrant, VerifyError> {
        let named: DeliveryPath =
            path.strip_prefix('/').and_then(|path| path.parse().ok()).ok_or(VerifyError::Malformed)?;
        let owner = named.organization_id();
        let (signed, token) = Token::split_from(query)?;
        let (terms, key_id) = split_key_id(signed).ok_or(VerifyError::Malformed)?;
        let SignedQuery { ttl, attachment, cache } =
            parse_signed_query(terms).ok_or(VerifyError::Malformed)?;
        let signing_key = match key_id {
            None => self.check_unnamed_mac(owner, path, signed, &token, now)?,
            Some(id) => {
                self.check_own_mac((owner, id), path, signed, &token, now)?;
                Some(id)
            }
        };
        let expires_at = self.expiry(&token, ttl.unwrap_or(DEFAULT_TTL_SECONDS), now)?;
        let attachment = attachment.map(Cow::into_owned);
        Ok(DeliveryGrant { path: named, attachment, cache, expires_at, signing_key })
    }
}

/// What is signed, except for the time of signing.
fn unsigned(path: impl fmt::Display, terms: DeliveryTerms<'_>) -> String {
    match signed_query(terms) {
        Some(query) => format!("/{path}?{query}"),
        None => format!("/{path}"),
    }
}

/// The parameters before `verify`, in their only order and encoding; `None` when there are none.
fn signed_query(terms: DeliveryTerms<'_>) -> Option<String> {
    let mut query = String::new();
    if let Some(name) = terms.attachment {
        query.push_str("attachment=");
        query.extend(utf8_percent_encode(name, RESERVED));
    }
    if terms.cache == CachePolicy::Public {
        separate(&mut query);
        query.push_str(PUBLIC);
    }
    if let Some(ttl) = terms.ttl {
        separate(&mut query);
        write!(query, "ttl={ttl}").expect("a String takes any text");
    }
    (!query.is_empty()).then_some(query)
}

fn separate(query: &mut String) {
    if !query.is_empty() {
        query.push('&');
    }
}

/// Splits off `kid`, which names a key of an organization, from the end of the signed query, if it is there.
fn split_key_id(signed: Option<&str>) -> Option<(Option<&str>, Option<ShortId>)> {
    let (terms, last) = match signed {
        Some(query) => match query.rsplit_once('&') {
            Some((terms, last)) => (Some(terms), last),
            None => (None, query),
        },
        None => return Some((None, None)),
    };
    match last.strip_prefix("kid=") {
        Some(id) => Some((terms, Some(id.parse().ok()?))),
        None => Some((signed, None)),
    }
}

/// The parameters before `verify`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct SignedQuery<'a> {
    ttl: Option<u32>,
    attachment: Option<Cow<'a, str>>,
    cache: CachePolicy,
}

/// The reverse of [`signed_query`]. `None` for anything that it would not have written.
fn parse_signed_query(query: Option<&str>) -> Option<SignedQuery<'_>> {
    let Some(query) = query else {
        return Some(SignedQuery::default());
    };
    let mut parameters = query.split('&').peekable();
    let attachment = match parameters.peek().and_then(|p| p.strip_prefix("attachment=")) {
        Some(encoded) => {
            parameters.next();
            let name = percent_decode_str(encoded).decode_utf8().ok()?;
            let respelled = utf8_percent_encode(&name, RESERVED);
            respelled.flat_map(str::bytes).eq(encoded.bytes()).then_some(())?;
            Some(name)
        }
        None => None,
    };
    let cache = match parameters.next_if_eq(&PUBLIC) {
        Some(_) => CachePolicy::Public,
        None => CachePolicy::Private,
    };
    let ttl = match parameters.next() {
        Some(parameter) => Some(canonical_number(parameter.strip_prefix("ttl=")?)?),
        None => None,
    };
    parameters.next().is_none().then_some(SignedQuery { ttl, attachment, cache })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_canonical_query_is_one() {
        for query in [
            "",
            "ttl=",
            "ttl=030",
            "ttl=+30",
            "ttl=-1",
            "ttl=4294967296",
            "TTL=30",
            "ttl=30&",
            "&ttl=30",
            "ttl=30&ttl=30",
            "ttl=30&attachment=a",
            "attachment=a&attachment=a",
            "attachment=a&",
            "attachment=a+b",
            "attachment=a b",
            "attachment=%61",
            "attachment=%2f",
            "attachment=%",
            "attachment=%FF",
            "attachment=ü",
            "attachment=a=b",
            "attachment",
            "other=1",
            "cache=private",
            "cache=Public",
            "cache=public&",
            "cache=public&cache=public",
            "cache=public&attachment=a",
            "ttl=30&cache=public",
            "verify=1",
        ] {
            assert_eq!(parse_signed_query(Some(query)), None, "{query}");
        }
    }

    proptest! {
        #[test]
        fn queries_are_read_back(ttl: Option<u32>, attachment: Option<String>, is_public: bool) {
            let cache = if is_public { CachePolicy::Public } else { CachePolicy::Private };
            let terms = DeliveryTerms { ttl, attachment: attachment.as_deref(), cache };
            let query = signed_query(terms);
            let attachment = attachment.as_deref().map(Cow::Borrowed);
            prop_assert_eq!(
                parse_signed_query(query.as_deref()),
                Some(SignedQuery { ttl, attachment, cache })
            );
        }

        #[test]
        fn whatever_is_read_is_canonical(query in "(attachment=[a%2F0.&=]{0,8})?&?(cache=(public|private)?)?&?(ttl=[0-9]{0,4})?") {
            if let Some(SignedQuery { ttl, attachment, cache }) = parse_signed_query(Some(&query)) {
                let terms = DeliveryTerms { ttl, attachment: attachment.as_deref(), cache };
                prop_assert_eq!(signed_query(terms), Some(query));
            }
        }
    }
}
