//! Certificates that the service orders itself: their host names, and when the next one is ordered.

use std::fmt;
use std::str::FromStr;

use crate::timestamp::Timestamp;

/// The host names of one certificate, sorted: at least one, no wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CertificateNames(Vec<String>);

/// Names for which no certificate can be ordered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateNamesError {
    /// No name.
    #[error("must name at least one host, such as audio.example.com")]
    Empty,
    /// Too many names.
    #[error("can name at most {} hosts", CertificateNames::MOST)]
    TooMany,
    /// A wildcard. The certificate authority would require a DNS record for it.
    #[error("{0:?} is a wildcard, which cannot be proved by answering connections; use tls_cert and tls_key")]
    Wildcard(String),
    /// Text that is not a host name.
    #[error("{0:?} is not a host name such as audio.example.com")]
    NotAName(String),
}

impl CertificateNames {
    /// The maximum number of names that Let's Encrypt accepts in a certificate.
    pub const MOST: usize = 100;

    /// Validates names. They are compared case-insensitively, and duplicates are dropped.
    pub fn new<T: AsRef<str>>(names: &[T]) -> Result<Self, CertificateNamesError> {
        let mut all = names.iter().map(|name| host_name(name.as_ref())).collect::<Result<Vec<_>, _>>()?;
        all.sort_unstable();
        all.dedup();
        match all.len() {
            0 => Err(CertificateNamesError::Empty),
            1..=Self::MOST => Ok(Self(all)),
            _ => Err(CertificateNamesError::TooMany),
        }
    }

    /// The names.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Whether the name is one of these, ignoring case.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// The number of names that two certificates have in common.
    pub fn shared_with(&self, others: &Self) -> usize {
        self.0.iter().filter(|name| others.0.binary_search(name).is_ok()).count()
    }
}

fn host_name(text: &str) -> Result<String, CertificateNamesError> {
    let name = text.trim().to_ascii_lowercase();
    if name.starts_with("*.") {
        return Err(CertificateNamesError::Wildcard(name));
    }
    let is_label = |label: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_allowed)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let ends_in_number = name.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
    if name.len() > 253 || ends_in_number || !name.split('.').all(is_label) {
        return Err(CertificateNamesError::NotAName(text.to_owned()));
    }
    Ok(name)
}

impl fmt::Display for CertificateNames {
    /// The names with spaces between them, as in SQL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl FromStr for CertificateNames {
    type Err = CertificateNamesError;

    fn from_str(text: &str) -> Result<Self, CertificateNamesError> {
        Self::new(&text.split_whitespace().collect::<Vec<_>>())
    }
}

/// A certificate, with its private key as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedCertificate {
    /// The certificate and its intermediate certificates, in PEM.
    pub chain: String,
    /// The private key, sealed.
    pub sealed_key: Vec<u8>,
    /// The start of its validity.
    pub not_before: Timestamp,
    /// The end of its validity.
    pub not_after: Timestamp,
}

impl fmt::Debug for IssuedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuedCertificate({} to {})", self.not_before, self.not_after)
    }
}

/// The state of the certificate for some names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateState {
    /// The names.
    pub names: CertificateNames,
    /// The latest certificate, if there is one.
    pub issued: Option<IssuedCertificate>,
    /// When the next one is ordered.
    pub order_at: Timestamp,
    /// When the lease of the node that is ordering it ends.
    pub leased_until: Option<Timestamp>,
    /// Orders that failed or were interrupted since the last successful one.
    pub failures: u32,
    /// Why the last order failed.
    pub last_error: Option<String>,
    /// When a certificate was last ordered.
    pub tried_at: Option<Timestamp>,
}

impl CertificateState {
    /// The lease of a node for an order, in seconds. After it, another node may begin one.
    pub const LEASE_SECONDS: i64 = 600;

    /// The maximum length of a stored error, in characters.
    pub const LONGEST_ERROR: usize = 500;

    /// Whether a certificate is due to be ordered now, by the node that takes the lease.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.order_at <= now && self.leased_until.is_none_or(|until| until <= now)
    }
}

/// When a certificate is renewed: after two thirds of its lifetime, minus a random part of up to a twentieth of its
/// lifetime, so that certificates issued together are not all renewed together.
pub fn renewal_at(not_before: Timestamp, not_after: Timestamp, random: [u8; 4]) -> Timestamp {
    let lifetime = (not_after.unix_millis() - not_before.unix_millis()).max(0);
    not_before.plus_millis(lifetime / 3 * 2 - share(lifetime / 20, random))
}

/// When to retry, according to the certificate authority.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// The authority gave no time.
    #[default]
    None,
    /// A rate limit was exceeded, and the authority gave no time.
    TooMuch,
    /// After this number of seconds.
    Seconds(u64),
}

impl RetryAfter {
    /// The longest delay in seconds that is accepted from an authority, because a certificate is needed in any case.
    pub const MOST_SECONDS: u64 = 24 * 3600;

    fn least(self) -> i64 {
        match self {
            Self::None => 0,
            Self::TooMuch => 6 * 3600,
            Self::Seconds(seconds) => i64::try_from(seconds.min(Self::MOST_SECONDS)).unwrap_or(0),
        }
    }
}

/// Seconds until an order is retried after this number of failures. Let's Encrypt refuses more than five failures an
/// hour for a name; even the first pauses stay below that limit.
pub fn order_pause(failures: u32, retry_after: RetryAfter, random: [u8; 4]) -> i64 {
    const PAUSES: [i64; 7] = [15 * 60, 30 * 60, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600];
    let at = (failures.saturating_sub(1) as usize).min(PAUSES.len() - 1);
    let pause = PAUSES[at].max(retry_after.least());
    pause + share(pause / 5, random)
}

/// A random part of `most`.
fn share(most: i64, random: [u8; 4]) -> i64 {
    let part = i128::from(most) * i128::from(u32::from_be_bytes(random)) / i128::from(u32::MAX);
    i64::try_from(part).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_have_one_order() {
        let names = CertificateNames::new(&["b.example.com", "A.example.com", " a.example.com"]).unwrap();
        assert_eq!(names.as_slice(), ["a.example.com", "b.example.com"]);
        assert_eq!(names.to_string().parse(), Ok(names.clone()));
        assert!(names.contains("B.EXAMPLE.com") && !names.contains("example.com"));
        let others = CertificateNames::new(&["b.example.com", "c.example.com"]).unwrap();
        assert_eq!((names.shared_with(&others), names.shared_with(&names)), (1, 2));
        assert_eq!("".parse::<CertificateNames>(), Err(CertificateNamesError::Empty));
        let wildcard = CertificateNames::new(&["*.example.com"]);
        assert!(matches!(wildcard, Err(CertificateNamesError::Wildcard(_))));
        for bad in ["192.0.2.1", "a..b", "-a.b", "a b", "https://a.b", "a.b:443", "ä.example.com", "[::1]"] {
            let found = CertificateNames::new(&[bad]);
            assert_eq!(found, Err(CertificateNamesError::NotAName(bad.to_owned())), "{bad}");
        }
        let many: Vec<String> = (0..101).map(|n| format!("n{n}.example.com")).collect();
        assert_eq!(CertificateNames::new(&many), Err(CertificateNamesError::TooMany));
    }

    #[test]
    fn renewals_are_early_enough_and_spread() {
        let at = |days: i64| Timestamp::from_unix_seconds(1_000_000_000 + days * 86_400).unwrap();
        assert_eq!(renewal_at(at(0), at(90), [0; 4]), at(60));
        assert_eq!(renewal_at(at(0), at(90), [255; 4]), at(60).plus_seconds(-90 * 86_400 / 20));
        assert_eq!(renewal_at(at(1), at(0), [255; 4]), at(1));
    }

    #[test]
    fn pauses_grow_to_a_day_and_stay_within_the_limits_of_authorities() {
        let in_an_hour = (1..).scan(0, |passed, failures| {
            *passed += order_pause(failures, RetryAfter::None, [0; 4]);
            Some(*passed)
        });
        assert!(in_an_hour.take_while(|passed| *passed <= 3600).count() < 5);
        assert_eq!(order_pause(1, RetryAfter::None, [0; 4]), 900);
        assert_eq!(order_pause(1, RetryAfter::None, [255; 4]), 900 + 180);
        assert_eq!(order_pause(1, RetryAfter::TooMuch, [0; 4]), 6 * 3600);
        assert_eq!(order_pause(1000, RetryAfter::None, [0; 4]), 24 * 3600);
    }

    #[test]
    fn what_the_authority_asks_for_is_kept_within_a_day() {
        for (asked, pause) in [(1, 900), (3600, 3600), (u64::MAX, 24 * 3600)] {
            assert_eq!(order_pause(1, RetryAfter::Seconds(asked), [0; 4]), pause, "{asked}");
        }
        assert_eq!(order_pause(4, RetryAfter::Seconds(3600), [0; 4]), 3 * 3600, "pauses grow all the same");
    }
}
