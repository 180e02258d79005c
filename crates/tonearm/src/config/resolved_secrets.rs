//! Secret settings, from all places where they can be set.

use std::path::PathBuf;

use super::ConfigError;
use super::file::Settings;
use super::secret_files::{SecretFile, SecretFiles, SecretSetting, store_credentials};

/// The texts of all secret settings, and the files that they were read from.
pub(super) struct ResolvedSecrets {
    pub(super) database_url: Option<String>,
    pub(super) storage_url: Option<String>,
    pub(super) master_secrets: Option<String>,
    /// Headers for the trace collector.
    pub(super) trace_headers: Option<String>,
    /// The client secret of the OpenID Connect provider.
    pub(super) client_secret: Option<String>,
    store_credentials: Vec<(&'static str, String)>,
    pub(super) files: Vec<SecretFile>,
}

impl ResolvedSecrets {
    /// Takes the secrets out of the settings, and reads those that are in files.
    pub(super) fn read(
        settings: &mut Settings,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut files = SecretFiles::new(&lookup);
        let mut resolve = |name, value: &mut Option<String>, file: &mut Option<PathBuf>| {
            files.resolve(name, SecretSetting { value: value.take(), file: file.take() })
        };
        let database_url =
            resolve("database_url", &mut settings.database_url, &mut settings.database_url_file)?;
        let storage_url = resolve("storage_url", &mut settings.storage_url, &mut settings.storage_url_file)?;
        let master_secrets = resolve("secret", &mut settings.secret, &mut settings.secret_file)?;
        let tracing = &mut settings.tracing;
        let trace_headers =
            resolve("tracing.otlp_headers", &mut tracing.otlp_headers, &mut tracing.otlp_headers_file)?;
        let oidc = &mut settings.oidc;
        let client_secret =
            resolve("oidc.client_secret", &mut oidc.client_secret, &mut oidc.client_secret_file)?;
        let store_credentials = store_credentials(&mut files, &lookup)?;
        Ok(Self {
            database_url,
            storage_url,
            master_secrets,
            trace_headers,
            client_secret,
            store_credentials,
            files: files.read,
        })
    }

    /// A credential for the bucket of the service, by Amazon's name for its variable.
    pub(super) fn store_credential(&self, name: &str) -> Option<String> {
        self.store_credentials.iter().find(|(own, _)| *own == name).map(|(_, text)| text.clone())
    }
}
