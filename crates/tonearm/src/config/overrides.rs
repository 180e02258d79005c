//! Settings that command-line flags override.

use std::path::PathBuf;

use super::Role;
use super::file::Settings;

/// Settings that command-line flags override.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--data-dir`
    pub data_dir: Option<PathBuf>,
    /// `--listen`
    pub listen: Option<String>,
    /// `--roles`
    pub roles: Option<Vec<Role>>,
    /// `--tls-cert`
    pub tls_cert: Option<PathBuf>,
    /// `--tls-key`
    pub tls_key: Option<PathBuf>,
    /// `--migrate`
    pub migrate: bool,
}

impl Overrides {
    /// Whether a flag whose value can be wrong overrides a setting.
    pub(super) fn has(&self, setting: &str) -> bool {
        match setting {
            "listen" => self.listen.is_some(),
            "data_dir" => self.data_dir.is_some(),
            "tls_cert" => self.tls_cert.is_some() || self.tls_key.is_some(),
            _ => false,
        }
    }

    pub(super) fn apply(&self, settings: &mut Settings) {
        if let Some(data_dir) = &self.data_dir {
            settings.data_dir = Some(data_dir.clone());
        }
        if let Some(listen) = &self.listen {
            settings.listen = Some(listen.clone());
        }
        if let Some(roles) = &self.roles {
            settings.roles = Some(roles.clone());
        }
        if self.tls_cert.is_some() || self.tls_key.is_some() {
            settings.tls_cert = self.tls_cert.clone();
            settings.tls_key = self.tls_key.clone();
        }
        if self.migrate {
            settings.database.migrate = Some(true);
        }
    }
}
