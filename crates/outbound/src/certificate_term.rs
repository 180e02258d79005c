//! Reads the validity period of a certificate.

use tonearm_domain::Timestamp;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::time::Time;

/// The validity period of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateTerm {
    /// When it begins.
    pub not_before: Timestamp,
    /// When it ends.
    pub not_after: Timestamp,
}

/// Bytes that are not a certificate, or a certificate without usable dates.
#[derive(Debug, thiserror::Error)]
pub enum CertificateTermError {
    /// They are not a certificate; with the parser's message.
    #[error("the certificate cannot be read: {0}")]
    Unreadable(String),
    /// A date is out of range.
    #[error("the certificate has no valid dates")]
    Dates,
}

impl CertificateTerm {
    /// Reads a certificate in DER.
    pub fn read(certificate: &[u8]) -> Result<Self, CertificateTermError> {
        let parsed = Certificate::from_der(certificate)
            .map_err(|error| CertificateTermError::Unreadable(error.to_string()))?;
        let validity = parsed.tbs_certificate.validity;
        Ok(Self { not_before: timestamp(validity.not_before)?, not_after: timestamp(validity.not_after)? })
    }
}

fn timestamp(time: Time) -> Result<Timestamp, CertificateTermError> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).ok();
    seconds.and_then(Timestamp::from_unix_seconds).ok_or(CertificateTermError::Dates)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(until: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["audio.example.com".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2025, 1, 1), date_time_ymd(until, 1, 31));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn dates_are_read() {
        // Dates have two forms: a year with two digits, and from 2050 with four.
        for (year, end) in [(2030, "2030-01-31T00:00:00.000Z"), (2061, "2061-01-31T00:00:00.000Z")] {
            let term = CertificateTerm::read(&certificate(year)).unwrap();
            assert_eq!(term.not_before.to_string(), "2025-01-01T00:00:00.000Z");
            assert_eq!(term.not_after.to_string(), end);
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_dates() {
        let whole = certificate(2030);
        for end in 0..whole.len() {
            assert!(CertificateTerm::read(&whole[..end]).is_err(), "{end}");
        }
        assert!(CertificateTerm::read(b"-----BEGIN CERTIFICATE-----").is_err());
    }
}
