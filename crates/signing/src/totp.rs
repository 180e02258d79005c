//! One-time codes of authenticator apps: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which every app
//! supports.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use subtle::ConstantTimeEq;
use tonearm_domain::Timestamp;

/// Seconds that a code is shown.
const STEP: i64 = 30;

/// Steps by which a phone's clock may be off, in each direction.
const TOLERANCE: i64 = 1;

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The secret that an authenticator app and the service share.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret([u8; 20]);

impl std::fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TotpSecret")
    }
}

impl TotpSecret {
    /// From random bytes.
    pub fn new(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// From the bytes as they were sealed. None if their number is wrong.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes to be sealed.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text that people type into an app: 32 letters and digits.
    pub fn base32(&self) -> String {
        let mut text = String::with_capacity(32);
        // 40 bits are exactly eight characters.
        for chunk in self.0.chunks(5) {
            let bits = chunk.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            for at in (0..8).rev() {
                let index = usize::try_from(bits >> (5 * at) & 31).unwrap_or_default();
                text.push(char::from(BASE32[index]));
            }
        }
        text
    }

    /// From the text that people type into an app, in any groups.
    pub fn from_base32(text: &str) -> Option<Self> {
        let (mut bytes, mut pending, mut pending_bits) = (Vec::with_capacity(20), 0_u32, 0);
        for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
            let five = BASE32.iter().position(|own| *own == byte.to_ascii_uppercase())?;
            (pending, pending_bits) = (pending << 5 | u32::try_from(five).ok()?, pending_bits + 5);
            if pending_bits >= 8 {
                pending_bits -= 8;
                bytes.push(u8::try_from(pending >> pending_bits).ok()?);
                pending &= (1 << pending_bits) - 1;
            }
        }
        Self::from_slice(&bytes)
    }

    /// The URI that an app reads from a picture: the secret, and a name for it.
    pub fn uri(&self, issuer: &str, account: &str) -> String {
        let (issuer, account) = (percent_encoded(issuer), percent_encoded(account));
        format!("otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}", self.base32())
    }

    /// The code that an app shows at a moment.
    pub fn code_at(&self, now: Timestamp) -> String {
        self.code(now.unix_millis().div_euclid(1000) / STEP)
    }

    /// The step of a code, if the code is valid now. Only steps after `last` are accepted, so that no code is valid
    /// twice.
    pub fn check(&self, code: &str, now: Timestamp, last: i64) -> Option<i64> {
        let typed: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let current = now.unix_millis().div_euclid(1000) / STEP;
        let steps = current - TOLERANCE..=current + TOLERANCE;
        // Every step is checked, so that the time reveals nothing.
        let is_code = |step: &i64| bool::from(self.code(*step).as_bytes().ct_eq(typed.as_bytes()));
        steps.filter(is_code).filter(|step| *step > last).max()
    }

    fn code(&self, step: i64) -> String {
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(&step.to_be_bytes());
        let hash = mac.finalize().into_bytes();
        let offset = usize::from(hash[19] & 15);
        let bits = hash[offset..offset + 4].iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        format!("{:06}", (bits & 0x7fff_ffff) % 1_000_000)
    }
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds).unwrap()
    }

    fn secret() -> TotpSecret {
        TotpSecret::new(*b"12345678901234567890")
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        // From RFC 6238, appendix B. Apps show the last six digits.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret().code_at(at(seconds)), code);
            let (spaced, step) = (format!(" {} {}", &code[..3], &code[3..]), seconds / 30);
            assert_eq!(secret().check(&spaced, at(seconds), 0), Some(step));
        }
    }

    #[test]
    fn a_code_is_good_for_a_while_and_once() {
        let (secret, now) = (secret(), at(1_111_111_110));
        for (seconds, is_good) in [(-61, false), (-30, true), (0, true), (30, true), (61, false)] {
            let code = secret.code_at(at(1_111_111_110 + seconds));
            assert_eq!(secret.check(&code, now, 0).is_some(), is_good, "{seconds}");
        }
        let code = secret.code_at(now);
        let step = secret.check(&code, now, 0).unwrap();
        assert_eq!(secret.check(&code, now, step), None);
        for wrong in ["", "1", "28708", "2870822", "２８７０８２"] {
            assert_eq!(secret.check(wrong, at(59), 0), None, "{wrong}");
        }
    }

    #[test]
    fn apps_are_given_the_secret() {
        assert_eq!(secret().base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            secret().uri("Tonearm: x", "a&b@example.com"),
            "otpauth://totp/Tonearm%3A%20x:a%26b%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tonearm%3A%20x"
        );
        assert_eq!(TotpSecret::from_slice(secret().as_bytes()), Some(secret()));
        assert_eq!(TotpSecret::from_base32("gezd GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"), Some(secret()));
        assert!(TotpSecret::from_slice(b"short").is_none() && TotpSecret::from_base32("1").is_none());
    }
}
