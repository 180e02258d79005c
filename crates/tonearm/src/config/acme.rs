//! The settings of the certificate that the service orders by ACME.

use tonearm_domain::{CertificateNames, EmailAddress};

use super::error::ConfigError;
use super::file::TlsSettings;
use super::role::Role;

/// Let's Encrypt.
const DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// The names and the authority of the certificate that the service orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcmeTerms {
    /// The names in the certificate.
    pub names: CertificateNames,
    /// The email address at which the authority may contact the operator.
    pub contact: Option<String>,
    /// The URL of the authority's directory.
    pub directory: String,
}

pub(super) fn acme_terms(
    settings: TlsSettings,
    has_files: bool,
    roles: &[Role],
) -> Result<Option<AcmeTerms>, ConfigError> {
    let contact = settings.acme_contact.map(|text| text.parse::<EmailAddress>()).transpose();
    let contact = contact.map_err(|error| ConfigError::new("tls.acme_contact", error))?;
    let directory = settings.acme_directory.unwrap_or_else(|| DIRECTORY.to_owned());
    if !is_safe(&directory) {
        let problem = format!("{directory:?} is not a URL that begins with https://");
        return Err(ConfigError::new("tls.acme_directory", problem));
    }
    let Some(names) = settings.acme else { return Ok(None) };
    let names = CertificateNames::new(&names).map_err(|error| ConfigError::new("tls.acme", error))?;
    if has_files {
        return Err(ConfigError::new("tls.acme", "cannot be set together with tls_cert and tls_key"));
    }
    if !roles.contains(&Role::Api) && !roles.contains(&Role::Worker) {
        let problem = "needs a node with the role api or worker, since certificates are kept in the database; use \
                       tls_cert and tls_key on edge nodes";
        return Err(ConfigError::new("tls.acme", problem));
    }
    Ok(Some(AcmeTerms { names, contact: contact.map(|address| address.to_string()), directory }))
}

/// Whether a directory is safe to use. Requests to an authority are signed, but its responses are not, so TLS must keep
/// others from changing them. An authority on this machine needs no TLS.
fn is_safe(directory: &str) -> bool {
    let Ok(url) = url::Url::parse(directory) else { return false };
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"));
    url.has_host() && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(names: &[&str]) -> TlsSettings {
        TlsSettings {
            acme: Some(names.iter().map(ToString::to_string).collect()),
            acme_contact: None,
            acme_directory: None,
        }
    }

    #[test]
    fn names_are_enough() {
        let terms = acme_terms(settings(&["Audio.example.com"]), false, &[Role::Api]).unwrap().unwrap();
        assert_eq!(terms.names.as_slice(), ["audio.example.com"]);
        assert_eq!((terms.contact, terms.directory.as_str()), (None, DIRECTORY));
        assert_eq!(acme_terms(TlsSettings::default(), true, &[Role::Edge]), Ok(None));
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let error_of = |names: &[&str], has_files, role| {
            acme_terms(settings(names), has_files, &[role]).unwrap_err().to_string()
        };
        assert!(error_of(&["a.example.com"], true, Role::Api).contains("together with tls_cert"));
        assert!(
            error_of(&["a.example.com"], false, Role::Edge)
                .contains("use tls_cert and tls_key on edge nodes")
        );
        assert!(error_of(&[], false, Role::Api).contains("must name at least one host"));
    }

    #[test]
    fn authorities_are_called_by_https_or_here() {
        for safe in ["https://ca.example.com/directory", "http://127.0.0.1:14000/dir", "http://[::1]:80/"] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_one in ["http://ca.example.com", "ftp://127.0.0.1", "ca.example.com", "https://"] {
            assert!(!is_safe(unsafe_one), "{unsafe_one}");
        }
    }
}
