//! The `verify` parameter: how it is created, parsed and checked, whatever the URL is for.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use tonearm_domain::{OrganizationId, ShortId, Timestamp};

use crate::keys::{Keys, MAC_LEN, Purpose};
use crate::listeners::ListenerHasher;
use crate::secrets::Secrets;
use crate::signing_keys::{LiveKeys, SigningKeyName};

/// Seconds that the signer's clock may be ahead.
const CLOCK_TOLERANCE_SECONDS: u32 = 30;

/// How long a node accepts a key that it has just made, until it has read the list of live keys again. Not longer: another
/// node may revoke the key meanwhile.
const NEW_KEY_SECONDS: i64 = 2;

/// The moments that have ten digits: 2001-09-09 to 2286-11-20.
const TEN_DIGITS: std::ops::RangeInclusive<i64> = 1_000_000_000..=9_999_999_999;

/// Why a URL permits nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is not in the form of a signed URL, or not signed at all.
    #[error("the URL is not signed")]
    Malformed,
    /// None of the secrets signed it in this form.
    #[error("the signature of the URL does not match")]
    BadSignature,
    /// A key of the organization may have signed it, and it is not known now which keys are live.
    #[error("the signature of the URL cannot be checked now")]
    KeysUnknown,
    /// It is genuine but not valid at this time: it has expired, or it was issued further ahead of this clock than is
    /// tolerated.
    #[error("the URL has expired")]
    Expired,
}

/// Signs URLs and verifies them. Cloning is cheap and shares the derived keys.
#[derive(Clone)]
pub struct UrlSigner {
    keys: Arc<Keys>,
    live: LiveKeys,
    clock_tolerance_seconds: u32,
}

impl UrlSigner {
    /// A signer with these master secrets.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            keys: Arc::new(Keys::new(&secrets)),
            live: LiveKeys::default(),
            clock_tolerance_seconds: CLOCK_TOLERANCE_SECONDS,
        }
    }

    /// The same signer, which tolerates a signer's clock that is ahead by this many seconds instead of 30.
    pub fn with_clock_tolerance(self, seconds: u32) -> Self {
        Self { clock_tolerance_seconds: seconds, ..self }
    }

    /// The key that signs an organization's delivery URLs, 64 hex digits used as text, for a CDN that checks signatures
    /// itself. Anyone who has it can create delivery URLs of this organization, and nothing else.
    pub fn delivery_key(&self, organization: OrganizationId) -> String {
        self.keys.signing_text(Purpose::Delivery, organization)
    }

    /// The text of a key that an organization's own backend signs delivery URLs with, 64 hex digits used as text.
    /// Anyone who has it can create delivery URLs of this organization, with or without its `kid`, as long as the key
    /// is live.
    pub fn signing_key(&self, organization: OrganizationId, id: ShortId) -> String {
        self.keys.signing_key_text(organization, id)
    }

    /// Accepts URLs signed with these keys of organizations from now on, and with no others.
    pub fn honour(&self, live: &[SigningKeyName]) {
        self.live.replace(live, None, |(organization, id)| self.keys.signing_key_ring(organization, id));
    }

    /// Like [`honour`](Self::honour), but from `until` on it is not known which keys are live, unless it is called again
    /// before.
    pub fn honour_until(&self, live: &[SigningKeyName], until: Timestamp) {
        self.live
            .replace(live, Some(until), |(organization, id)| self.keys.signing_key_ring(organization, id));
    }

    /// Accepts the same keys until `until`.
    pub fn honour_longer(&self, until: Timestamp) {
        self.live.extend(until);
    }

    /// Accepts URLs signed with a key that was just made, for the two seconds in which the list of live keys may not
    /// contain it yet.
    pub fn honour_new(&self, name: SigningKeyName, now: Timestamp) {
        let ring = self.keys.signing_key_ring(name.0, name.1);
        self.live.add_new(name, ring, now, now.plus_seconds(NEW_KEY_SECONDS));
    }

    /// Accepts a key no longer, if it was just made.
    pub fn forget_new(&self, name: SigningKeyName) {
        self.live.remove_new(name);
    }

    /// The keys of organizations that are accepted.
    pub fn live_keys(&self) -> &LiveKeys {
        &self.live
    }

    /// Hashes listeners under each master secret, the first one first.
    pub fn listener_hashers(&self) -> Vec<ListenerHasher> {
        self.keys.listener_keys().iter().map(ListenerHasher::new).collect()
    }

    /// Hashes listeners. If the first master secret changes, the listeners of that day are counted again.
    pub fn listener_hasher(&self) -> ListenerHasher {
        ListenerHasher::new(&self.keys.listener_key())
    }

    /// Signs a message of this node to others, as 64 hex digits.
    pub fn sign_text(&self, text: &str) -> String {
        hex::encode(self.keys.sign_text(text))
    }

    /// Whether a node with one of the master secrets signed this.
    pub fn verifies_text(&self, text: &str, mac: &str) -> bool {
        let mut bytes = [0; MAC_LEN];
        hex::decode_to_slice(mac, &mut bytes).is_ok() && self.keys.verifies_text(text, &bytes)
    }

    /// Appends `verify` to a path with an optional query.
    pub(crate) fn sign(
        &self,
        purpose: Purpose,
        organization: OrganizationId,
        mut url: String,
        now: Timestamp,
    ) -> String {
        let issued = now.unix_seconds().clamp(*TEN_DIGITS.start(), *TEN_DIGITS.end()).to_string();
        let mac = self.keys.get_or_derive(purpose, organization).mac(&[&url, &issued]);
        url.push_str(if url.contains('?') { "&verify=" } else { "?verify=" });
        url.push_str(&issued);
        url.push('-');
        BASE64_URL_SAFE_NO_PAD.encode_string(mac, &mut url);
        url
    }

    /// When a token that is valid for `ttl` seconds expires. Fails if it has expired, or was issued too far in the
    /// future.
    pub(crate) fn expiry(
        &self,
        token: &Token<'_>,
        ttl: u32,
        now: Timestamp,
    ) -> Result<Timestamp, VerifyError> {
        let issued = Timestamp::from_unix_seconds(token.issued).ok_or(VerifyError::Malformed)?;
        let expires_at = issued.plus_seconds(ttl.into());
        if now < expires_at && issued <= now.plus_seconds(self.clock_tolerance_seconds.into()) {
            Ok(expires_at)
        } else {
            Err(VerifyError::Expired)
        }
    }

    /// Whether the token is valid for this path and query (without `verify`).
    pub(crate) fn check_mac(
        &self,
        purpose: Purpose,
        organization: OrganizationId,
        path: &str,
        signed_query: Option<&str>,
        token: &Token<'_>,
    ) -> Result<(), VerifyError> {
        let (mark, query) = signed_query.map_or(("", ""), |query| ("?", query));
        let parts = [path, mark, query, token.issued_text];
        genuine(self.keys.verify(purpose, organization, &parts, &token.mac))
    }

    /// Which key made the token of a URL without `kid`: the service's own (`None`), or one of the organization's live
    /// keys. At most eight live keys are tried, and all of them even after a match.
    pub(crate) fn check_unnamed_mac(
        &self,
        organization: OrganizationId,
        path: &str,
        signed_query: Option<&str>,
        token: &Token<'_>,
        now: Timestamp,
    ) -> Result<Option<ShortId>, VerifyError> {
        let own = self.check_mac(Purpose::Delivery, organization, path, signed_query, token);
        if own.is_ok() {
            return Ok(None);
        }
        self.require_known_keys(now)?;
        let (mark, query) = signed_query.map_or(("", ""), |query| ("?", query));
        let parts = [path, mark, query, token.issued_text];
        let tried = self.live.tried(organization, now).into_iter();
        let matching = tried.filter(|(_, ring)| ring.verifies(&parts, &token.mac)).map(|(id, _)| id);
        matching.last().map(Some).ok_or(VerifyError::BadSignature)
    }

    /// Whether a live key of an organization made the token. Unknown and revoked keys are not distinguished from wrong
    /// signatures.
    pub(crate) fn check_own_mac(
        &self,
        key: SigningKeyName,
        path: &str,
        signed_query: Option<&str>,
        token: &Token<'_>,
        now: Timestamp,
    ) -> Result<(), VerifyError> {
        self.require_known_keys(now)?;
        let parts = [path, "?", signed_query.unwrap_or_default(), token.issued_text];
        genuine(self.live.get(key, now).is_some_and(|ring| ring.verifies(&parts, &token.mac)))
    }

    fn require_known_keys(&self, now: Timestamp) -> Result<(), VerifyError> {
        if self.live.are_known(now) { Ok(()) } else { Err(VerifyError::KeysUnknown) }
    }
}

impl fmt::Debug for UrlSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UrlSigner")
    }
}

fn genuine(genuine: bool) -> Result<(), VerifyError> {
    if genuine { Ok(()) } else { Err(VerifyError::BadSignature) }
}

/// The value of `verify`, parsed and not yet verified.
pub(crate) struct Token<'a> {
    issued_text: &'a str,
    issued: i64,
    mac: [u8; MAC_LEN],
}

impl<'a> Token<'a> {
    /// Splits a query into what is signed, if anything, and the token in `verify`, its last parameter.
    pub(crate) fn split_from(query: Option<&'a str>) -> Result<(Option<&'a str>, Self), VerifyError> {
        let query = query.ok_or(VerifyError::Malformed)?;
        let (signed, last) = match query.rsplit_once('&') {
            Some((signed, last)) => (Some(signed), last),
            None => (None, query),
        };
        let value = last.strip_prefix("verify=").ok_or(VerifyError::Malformed)?;
        Ok((signed, Self::parse(value).ok_or(VerifyError::Malformed)?))
    }

    fn parse(value: &'a str) -> Option<Self> {
        let (issued_text, mac_text) = value.split_once('-')?;
        let issued = canonical_number(issued_text).filter(|issued| TEN_DIGITS.contains(issued))?;
        // One byte more than a MAC has, as the decoder wants room for whole groups of three.
        let mut mac = [0; MAC_LEN + 1];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(mac_text, &mut mac).ok()?;
        let mac = mac[..length].try_into().ok()?;
        Some(Self { issued_text, issued, mac })
    }
}

/// A number in its only spelling: digits alone, no leading zero.
pub(crate) fn canonical_number<N: std::str::FromStr>(text: &str) -> Option<N> {
    let bytes = text.as_bytes();
    let canonical =
        bytes.iter().all(u8::is_ascii_digit) && (bytes.len() == 1 || bytes.first() != Some(&b'0'));
    canonical.then(|| text.parse().ok())?
}
