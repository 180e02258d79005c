//! The OpenID Connect provider that people may sign in with.

use tonearm_domain::OrganizationId;
use tonearm_outbound::{ClientSecret, Issuer, ProviderSettings};

use super::error::ConfigError;
use super::file::OidcSettings;

/// The provider, and which of its accounts may sign in.
#[derive(Debug, Clone)]
pub struct OidcConfig {
    /// The provider, and this service as its client.
    pub provider: ProviderSettings,
    /// The name shown to people.
    pub name: String,
    /// The domains of the email addresses that may sign in. If `None`, all may.
    pub allowed_domains: Option<Vec<String>>,
    /// The organization that people without an invitation become members of. If `None`, they cannot sign in.
    pub join: Option<OrganizationId>,
}

/// Checks the settings. The client secret has already been taken out of them.
pub(super) fn oidc(
    settings: OidcSettings,
    client_secret: Option<String>,
) -> Result<Option<OidcConfig>, ConfigError> {
    let OidcSettings { issuer, client_id, name, scopes, allowed_domains, join, .. } = settings;
    let (issuer, client_id) = match (issuer, client_id) {
        (Some(issuer), Some(client_id)) => (issuer, client_id),
        (None, None) => {
            let others = [client_secret.is_some(), name.is_some(), scopes.is_some()];
            let rules = [allowed_domains.is_some(), join.is_some()];
            return match others.into_iter().chain(rules).any(|is_set| is_set) {
                true => Err(ConfigError::new("oidc.issuer", "must be set if other settings of [oidc] are")),
                false => Ok(None),
            };
        }
        (Some(_), None) => {
            return Err(ConfigError::new("oidc.client_id", "must be set together with oidc.issuer"));
        }
        (None, Some(_)) => {
            return Err(ConfigError::new("oidc.issuer", "must be set together with oidc.client_id"));
        }
    };
    let issuer: Issuer = issuer.parse().map_err(|error| ConfigError::new("oidc.issuer", error))?;
    let name = name.unwrap_or_else(|| issuer.host());
    if name.trim().is_empty() || name.chars().count() > 60 || name.contains(char::is_control) {
        return Err(ConfigError::new("oidc.name", "must have 1 to 60 characters"));
    }
    let allowed_domains = allowed_domains.map(domains).transpose()?;
    let join = join.map(|id| id.parse().map_err(|error| ConfigError::new("oidc.join", error))).transpose()?;
    if join.is_some() && allowed_domains.is_none() {
        return Err(ConfigError::new(
            "oidc.join",
            "requires oidc.allowed_domains: otherwise everyone with an account at the provider could join",
        ));
    }
    let (client_secret, scopes) = (client_secret.map(ClientSecret::new), scopes_of(scopes)?);
    let provider = ProviderSettings { issuer, client_id, client_secret, scopes };
    Ok(Some(OidcConfig { provider, name, allowed_domains, join }))
}

fn scopes_of(scopes: Option<Vec<String>>) -> Result<Vec<String>, ConfigError> {
    let scopes = scopes.unwrap_or_else(|| ["openid", "email", "profile"].map(str::to_owned).to_vec());
    let is_scope = |scope: &String| {
        !scope.is_empty()
            && scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
    };
    if !scopes.iter().all(is_scope) || !scopes.iter().any(|scope| scope == "openid") {
        return Err(ConfigError::new("oidc.scopes", "must be a list of scopes that contains openid"));
    }
    Ok(scopes)
}

/// Checks a list of domains. An empty list is an error, and does not mean all domains.
fn domains(domains: Vec<String>) -> Result<Vec<String>, ConfigError> {
    let is_domain = |domain: &String| {
        domain.contains('.')
            && domain.split('.').all(|label| {
                !label.is_empty()
                    && label.chars().all(|character| character.is_alphanumeric() || character == '-')
            })
    };
    if domains.is_empty() || !domains.iter().all(is_domain) {
        let problem = "must list at least one domain such as example.com; to allow all, remove the setting";
        return Err(ConfigError::new("oidc.allowed_domains", problem));
    }
    Ok(domains)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "issuer = 'https://id.example.com'\n";
    const CLIENT: &str = "client_id = 'tonearm'\n";
    const DOMAINS: &str = "allowed_domains = ['example.com', 'example.org']\n";
    const JOIN: &str = "join = '0192f0c1-2b3c-7d4e-8f50-617283940a1b'\n";

    fn read(parts: &[&str]) -> Result<Option<OidcConfig>, String> {
        let mut settings: OidcSettings = toml::from_str(&parts.concat()).unwrap();
        let client_secret = settings.client_secret.take();
        oidc(settings, client_secret).map_err(|error| error.to_string())
    }

    #[test]
    fn a_provider_has_defaults() {
        let config = read(&[ISSUER, CLIENT, "client_secret = 'hush hush'"]).unwrap().unwrap();
        assert!(!format!("{config:?}").contains("hush"));
        assert_eq!(config.name, "id.example.com");
        assert_eq!(config.provider.scopes, ["openid", "email", "profile"]);
        assert!(config.allowed_domains.is_none() && config.join.is_none());
        assert!(read(&[]).unwrap().is_none());
        let config = read(&[ISSUER, CLIENT, DOMAINS, JOIN]).unwrap().unwrap();
        assert_eq!(config.allowed_domains.unwrap(), ["example.com", "example.org"]);
        assert!(config.join.is_some());
    }

    #[test]
    fn a_provider_is_checked_as_a_whole() {
        for (parts, expected) in [
            (&["client_secret = 'x'"][..], "oidc.issuer: must be set if"),
            (&[DOMAINS], "oidc.issuer: must be set if"),
            (&[CLIENT], "oidc.issuer: must be set together"),
            (&[ISSUER], "oidc.client_id: must be set together"),
            (&["issuer = 'http://id.example.com'\n", CLIENT], "oidc.issuer: "),
            (&[ISSUER, CLIENT, "name = ' '"], "oidc.name: "),
            (&[ISSUER, CLIENT, JOIN], "oidc.join: requires oidc.allowed_domains"),
            (&[ISSUER, CLIENT, DOMAINS, "join = 'radio'"], "oidc.join: must be a UUID"),
            (&[ISSUER, CLIENT, "allowed_domains = []"], "oidc.allowed_domains: must list at least one"),
            (&[ISSUER, CLIENT, "allowed_domains = ['@example.com']"], "oidc.allowed_domains: "),
            (&[ISSUER, CLIENT, "scopes = []"], "oidc.scopes: "),
            (&[ISSUER, CLIENT, "scopes = ['email']"], "oidc.scopes: "),
            (&[ISSUER, CLIENT, "scopes = ['openid', 'a b']"], "oidc.scopes: "),
        ] {
            let error = read(parts).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
