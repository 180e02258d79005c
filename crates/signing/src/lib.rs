//! Signed URLs, the keys they are signed with, and the form of API keys. Pure: no I/O, no clock, no randomness.
//!
//! # Signed URLs
//!
//! A signed URL ends in `verify=<issued>-<mac>`:
//!
//! - `issued` is the moment of signing in Unix seconds, always ten digits;
//! - `mac` is base64url (RFC 4648 section 5) without padding, 43 characters, of HMAC-SHA256 over the bytes of the
//!   URL from the path's first slash up to, not including, the `?` or `&` before `verify`, followed at once by
//!   the ten digits of `issued`. Nothing is decoded or normalised first.
//!
//! So for `/a/b?ttl=30&verify=1893456000-…` the MAC is over `/a/b?ttl=301893456000`. As `issued` has a fixed
//! width, no two URLs have the same signed bytes. The form is the one that CDNs call a timed HMAC.
//!
//! A delivery URL is `/{organization}/{folder}/{file}`, then in this order, each at most once:
//! `attachment=NAME`, `cache=public`, `ttl=SECONDS`, `kid=ID`, `verify`. NAME is UTF-8 percent-encoded: every byte but
//! `A-Z a-z 0-9 - . _ ~` as `%XX` in upper case. SECONDS has no leading zero. Without `ttl` the URL is valid for
//! [`DEFAULT_TTL_SECONDS`] from `issued`. An upload URL is
//! `/upload/{organization}/{track}/{source|cover}?ttl=SECONDS&verify=…`, for a new source of a track that has one
//! `/upload/{organization}/{track}/source?replacement=ID&ttl=SECONDS&verify=…`, or
//! `/upload/{organization}/{collection}/collection_cover?ttl=SECONDS&verify=…`.
//!
//! A delivery URL with `kid` was signed by the organization itself, with the signing key of that id (twelve characters
//! of `a-z 0-9`). It is accepted as long as the key is live, and no other key verifies it. A delivery URL without `kid`
//! is verified with the service's key for the organization, or else with at most eight of its live signing keys.
//!
//! # Keys
//!
//! The HMAC key of an organization and purpose is the text of 64 lower-case hex digits of
//! HKDF-SHA256 (RFC 5869) with: the input key material the bytes of a master secret's text, an empty salt, the
//! info `tonearm/v1/<purpose>/<organization>` where purpose is `delivery` or `upload` and organization is its UUID in
//! lower case, and 32 bytes of output. For a signing key of an organization the info is
//! `tonearm/v1/signing-key/<organization>/<kid>`. It is text so that it can be given to a CDN as it is.
//!
//! # Test vectors
//!
//! `tests/vectors.json` in this crate, checked by the tests and, on its own, by `tests/vectors.py`. The first: the
//! master secret `an example secret of thirty-two characters or more` gives, for delivery,
//!
//! ```text
//! organization  018f0000-0000-7000-8000-000000000001
//! key           d2ef94b89ea2e3e690f58578e457449aae13720e89c1d75f41daada603d0b9cb
//! issued        1893456000  (2030-01-01T00:00:00Z)
//! path          /018f0000-0000-7000-8000-000000000001/abcdefghij01/hq.zyxwvutsrq98.mp3
//! query         verify=1893456000-Pc91fPusUAFZ8R9UGn0oF883gKHK41A0jOY1tYZo7jk
//! ```

mod api_key;
mod base62;
mod delivery;
mod keys;
mod listeners;
mod seal;
mod secrets;
mod signer;
mod signing_keys;
mod strength;
mod tickets;
mod token;
mod totp;
mod upload;
mod vault;

pub use api_key::{ApiKeyText, ApiKeyTextError};
pub use delivery::{DEFAULT_TTL_SECONDS, DeliveryGrant, DeliveryTerms};
pub use listeners::ListenerHasher;
pub use seal::{seal, unseal};
pub use secrets::{Secrets, SecretsError};
pub use signer::{UrlSigner, VerifyError};
pub use signing_keys::{LiveKeys, SigningKeyName};
pub use strength::Weakness;
pub use tickets::TicketKeys;
pub use token::{Token, TokenError, subject_hash};
pub use totp::TotpSecret;
pub use upload::{UploadGrant, UploadTarget};
pub use vault::Vault;
