//! The configuration file and the variables that override it.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::retention::Days;
use super::secret_files::{SecretSetting, backup_variables};
use super::{ByteSize, ConfigError, Role};

/// The commented configuration file with every setting at its default.
pub(crate) const EXAMPLE: &str = include_str!("../../../../tonearm.toml");

/// The variables that are no settings of the service: where its files are, what its clients use, and the secrets that commands
/// store.
const NO_SETTINGS: [&str; 9] = [
    "TONEARM_CONFIG",
    "TONEARM_DATA_DIR",
    "TONEARM_SERVER",
    "TONEARM_API_KEY",
    "TONEARM_API_KEY_FILE",
    "TONEARM_TRANSCRIPTION_KEY",
    "TONEARM_TRANSCRIPTION_KEY_FILE",
    "TONEARM_IMPORT_SECRET_ACCESS_KEY",
    "TONEARM_IMPORT_SECRET_ACCESS_KEY_FILE",
];

/// Those of some names of variables that begin with `TONEARM_` and mean nothing: most are misspelt.
pub(crate) fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let known: HashSet<String> = variables().chain(backup_variables()).collect();
    let is_unknown = |name: &String| {
        name.starts_with("TONEARM_") && !known.contains(name) && !NO_SETTINGS.contains(&&**name)
    };
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort();
    unknown
}

/// The variable of each setting, as the commented file has them all.
fn variables() -> impl Iterator<Item = String> {
    let mut section = String::new();
    EXAMPLE.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}_");
            return None;
        }
        let (name, _) = line.strip_prefix('#')?.split_once(" = ")?;
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        is_name.then(|| format!("TONEARM_{section}{name}").to_uppercase())
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) listen: Option<String>,
    pub(super) public_url: Option<String>,
    pub(super) delivery_url: Option<String>,
    pub(super) delivery_cache: Option<String>,
    pub(super) delivery_cache_window_seconds: Option<u32>,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) database_url: Option<String>,
    pub(super) database_url_file: Option<PathBuf>,
    pub(super) storage_url: Option<String>,
    pub(super) storage_url_file: Option<PathBuf>,
    pub(super) secret: Option<String>,
    pub(super) secret_file: Option<PathBuf>,
    pub(super) roles: Option<Vec<Role>>,
    pub(super) trusted_proxies: Option<Vec<String>>,
    pub(super) forwarded_header: Option<String>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) http2_without_tls: Option<bool>,
    pub(super) tls: TlsSettings,
    pub(super) database: DatabaseSettings,
    pub(super) limits: LimitSettings,
    pub(super) shutdown: ShutdownSettings,
    pub(super) library: LibrarySettings,
    pub(super) usage: UsageSettings,
    pub(super) retention: RetentionSettings,
    pub(super) privacy: PrivacySettings,
    pub(super) api: ApiSettings,
    pub(super) edge: EdgeSettings,
    pub(super) worker: WorkerSettings,
    pub(super) media: MediaSettings,
    pub(super) outbound: OutboundSettings,
    pub(super) webhooks: WebhookSettings,
    pub(super) oidc: OidcSettings,
    pub(super) log: LogSettings,
    pub(super) metrics: MetricsSettings,
    pub(super) tracing: TracingSettings,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TlsSettings {
    pub(super) acme: Option<Vec<String>>,
    pub(super) acme_contact: Option<String>,
    pub(super) acme_directory: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DatabaseSettings {
    pub(super) connections: Option<u32>,
    pub(super) statement_timeout_seconds: Option<u64>,
    pub(super) migrate: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LimitSettings {
    pub(super) max_upload_bytes: Option<ByteSize>,
    pub(super) max_cover_bytes: Option<ByteSize>,
    pub(super) max_json_bytes: Option<ByteSize>,
    pub(super) min_free_space: Option<ByteSize>,
    pub(super) max_queued_jobs: Option<u64>,
    pub(super) max_connections: Option<usize>,
    pub(super) header_timeout_seconds: Option<u32>,
    pub(super) send_timeout_seconds: Option<u32>,
    pub(super) min_bytes_per_second: Option<u32>,
    pub(super) requests_per_minute_per_key: Option<u32>,
    pub(super) requests_per_minute_per_address: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ShutdownSettings {
    pub(super) delay_seconds: Option<u32>,
    pub(super) drain_seconds: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LibrarySettings {
    pub(super) keep_deleted_hours: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ApiSettings {
    pub(super) public_play_sessions: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EdgeSettings {
    pub(super) threads: Option<u32>,
    pub(super) clock_tolerance_seconds: Option<u32>,
    pub(super) memory_cache: Option<ByteSize>,
    pub(super) disk_cache: Option<ByteSize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UsageSettings {
    pub(super) keep_titles: Option<bool>,
    pub(super) country_database: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RetentionSettings {
    pub(super) audit_days: Option<Days>,
    pub(super) webhook_days: Option<Days>,
    pub(super) failed_job_days: Option<Days>,
    pub(super) session_days: Option<Days>,
    pub(super) sign_in_days: Option<Days>,
    pub(super) invitation_days: Option<Days>,
    pub(super) usage_batch_days: Option<Days>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PrivacySettings {
    pub(super) truncate_addresses: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WorkerSettings {
    pub(super) slots: Option<usize>,
    pub(super) wait_slots: Option<usize>,
    pub(super) maintenance_slots: Option<usize>,
    pub(super) lease_seconds: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MediaSettings {
    pub(super) ffmpeg: Option<PathBuf>,
    pub(super) ffprobe: Option<PathBuf>,
    pub(super) concurrency: Option<usize>,
    pub(super) memory: Option<ByteSize>,
    pub(super) confinement: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OutboundSettings {
    pub(super) allow_private: Option<bool>,
    pub(super) allow_imports: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WebhookSettings {
    pub(super) connections: Option<usize>,
    pub(super) connections_per_endpoint: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OidcSettings {
    pub(super) issuer: Option<String>,
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<String>,
    pub(super) client_secret_file: Option<PathBuf>,
    pub(super) name: Option<String>,
    pub(super) scopes: Option<Vec<String>>,
    pub(super) allowed_domains: Option<Vec<String>>,
    pub(super) join: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LogSettings {
    pub(super) format: Option<String>,
    pub(super) filter: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MetricsSettings {
    pub(super) listen: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TracingSettings {
    pub(super) otlp_endpoint: Option<String>,
    pub(super) otlp_headers: Option<String>,
    pub(super) otlp_headers_file: Option<PathBuf>,
    pub(super) sample_ratio: Option<f64>,
    pub(super) service_name: Option<String>,
}

impl Settings {
    /// From the text of a file, overridden by variables: `limits.max_upload_bytes` is
    /// `TONEARM_LIMITS_MAX_UPLOAD_BYTES`.
    pub(super) fn parse(text: &str, lookup: &impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut settings: Self =
            toml::from_str(text).map_err(|error| ConfigError::new("configuration", one_line(&error)))?;
        let variables = Variables { lookup };
        variables.text("listen", &mut settings.listen);
        variables.text("public_url", &mut settings.public_url);
        variables.text("delivery_url", &mut settings.delivery_url);
        variables.text("delivery_cache", &mut settings.delivery_cache);
        variables.toml("delivery_cache_window_seconds", &mut settings.delivery_cache_window_seconds)?;
        variables.path("data_dir", &mut settings.data_dir);
        variables.secret("database_url", &mut settings.database_url, &mut settings.database_url_file);
        variables.secret("storage_url", &mut settings.storage_url, &mut settings.storage_url_file);
        variables.secret("secret", &mut settings.secret, &mut settings.secret_file);
        variables.roles("roles", &mut settings.roles)?;
        variables.list("trusted_proxies", &mut settings.trusted_proxies);
        variables.text("forwarded_header", &mut settings.forwarded_header);
        variables.path("tls_cert", &mut settings.tls_cert);
        variables.path("tls_key", &mut settings.tls_key);
        variables.toml("http2_without_tls", &mut settings.http2_without_tls)?;
        variables.list("tls.acme", &mut settings.tls.acme);
        variables.text("tls.acme_contact", &mut settings.tls.acme_contact);
        variables.text("tls.acme_directory", &mut settings.tls.acme_directory);
        variables.toml("database.connections", &mut settings.database.connections)?;
        variables
            .toml("database.statement_timeout_seconds", &mut settings.database.statement_timeout_seconds)?;
        variables.toml("database.migrate", &mut settings.database.migrate)?;
        variables.parsed("limits.max_upload_bytes", &mut settings.limits.max_upload_bytes)?;
        variables.parsed("limits.max_cover_bytes", &mut settings.limits.max_cover_bytes)?;
        variables.parsed("limits.max_json_bytes", &mut settings.limits.max_json_bytes)?;
        variables.parsed("limits.min_free_space", &mut settings.limits.min_free_space)?;
        variables.toml("limits.max_queued_jobs", &mut settings.limits.max_queued_jobs)?;
        variables.toml("limits.max_connections", &mut settings.limits.max_connections)?;
        variables.toml("limits.header_timeout_seconds", &mut settings.limits.header_timeout_seconds)?;
        variables.toml("limits.send_timeout_seconds", &mut settings.limits.send_timeout_seconds)?;
        variables.toml("limits.min_bytes_per_second", &mut settings.limits.min_bytes_per_second)?;
        variables
            .toml("limits.requests_per_minute_per_key", &mut settings.limits.requests_per_minute_per_key)?;
        variables.toml(
            "limits.requests_per_minute_per_address",
            &mut settings.limits.requests_per_minute_per_address,
        )?;
        variables.toml("shutdown.delay_seconds", &mut settings.shutdown.delay_seconds)?;
        variables.toml("shutdown.drain_seconds", &mut settings.shutdown.drain_seconds)?;
        variables.toml("library.keep_deleted_hours", &mut settings.library.keep_deleted_hours)?;
        variables.toml("usage.keep_titles", &mut settings.usage.keep_titles)?;
        variables.path("usage.country_database", &mut settings.usage.country_database);
        let retention = &mut settings.retention;
        variables.parsed("retention.audit_days", &mut retention.audit_days)?;
        variables.parsed("retention.webhook_days", &mut retention.webhook_days)?;
        variables.parsed("retention.failed_job_days", &mut retention.failed_job_days)?;
        variables.parsed("retention.session_days", &mut retention.session_days)?;
        variables.parsed("retention.sign_in_days", &mut retention.sign_in_days)?;
        variables.parsed("retention.invitation_days", &mut retention.invitation_days)?;
        variables.parsed("retention.usage_batch_days", &mut retention.usage_batch_days)?;
        variables.toml("privacy.truncate_addresses", &mut settings.privacy.truncate_addresses)?;
        variables.toml("api.public_play_sessions", &mut settings.api.public_play_sessions)?;
        variables.toml("edge.threads", &mut settings.edge.threads)?;
        variables.toml("edge.clock_tolerance_seconds", &mut settings.edge.clock_tolerance_seconds)?;
        variables.parsed("edge.memory_cache", &mut settings.edge.memory_cache)?;
        variables.parsed("edge.disk_cache", &mut settings.edge.disk_cache)?;
        variables.toml("worker.slots", &mut settings.worker.slots)?;
        variables.toml("worker.wait_slots", &mut settings.worker.wait_slots)?;
        variables.toml("worker.maintenance_slots", &mut settings.worker.maintenance_slots)?;
        variables.toml("worker.lease_seconds", &mut settings.worker.lease_seconds)?;
        variables.path("media.ffmpeg", &mut settings.media.ffmpeg);
        variables.path("media.ffprobe", &mut settings.media.ffprobe);
        variables.toml("media.concurrency", &mut settings.media.concurrency)?;
        variables.parsed("media.memory", &mut settings.media.memory)?;
        variables.text("media.confinement", &mut settings.media.confinement);
        variables.toml("outbound.allow_private", &mut settings.outbound.allow_private)?;
        variables.toml("outbound.allow_imports", &mut settings.outbound.allow_imports)?;
        variables.toml("webhooks.connections", &mut settings.webhooks.connections)?;
        variables
            .toml("webhooks.connections_per_endpoint", &mut settings.webhooks.connections_per_endpoint)?;
        let oidc = &mut settings.oidc;
        variables.text("oidc.issuer", &mut oidc.issuer);
        variables.text("oidc.client_id", &mut oidc.client_id);
        variables.secret("oidc.client_secret", &mut oidc.client_secret, &mut oidc.client_secret_file);
        variables.text("oidc.name", &mut oidc.name);
        variables.list("oidc.scopes", &mut oidc.scopes);
        variables.list("oidc.allowed_domains", &mut oidc.allowed_domains);
        variables.text("oidc.join", &mut oidc.join);
        variables.text("log.format", &mut settings.log.format);
        variables.text("log.filter", &mut settings.log.filter);
        variables.text("metrics.listen", &mut settings.metrics.listen);
        let tracing = &mut settings.tracing;
        variables.text("tracing.otlp_endpoint", &mut tracing.otlp_endpoint);
        variables.secret("tracing.otlp_headers", &mut tracing.otlp_headers, &mut tracing.otlp_headers_file);
        variables.toml("tracing.sample_ratio", &mut tracing.sample_ratio)?;
        variables.text("tracing.service_name", &mut tracing.service_name);
        Ok(settings)
    }
}

impl Settings {
    /// The settings that are secret, taken out: database, store, master secrets, headers for the collector of traces, the
    /// client's secret of the OpenID Connect provider.
    pub(super) fn take_secrets(&mut self) -> [SecretSetting; 5] {
        let take = |value: &mut Option<String>, file: &mut Option<PathBuf>| SecretSetting {
            value: value.take(),
            file: file.take(),
        };
        [
            take(&mut self.database_url, &mut self.database_url_file),
            take(&mut self.storage_url, &mut self.storage_url_file),
            take(&mut self.secret, &mut self.secret_file),
            take(&mut self.tracing.otlp_headers, &mut self.tracing.otlp_headers_file),
            take(&mut self.oidc.client_secret, &mut self.oidc.client_secret_file),
        ]
    }
}

struct Variables<'a, F> {
    lookup: &'a F,
}

impl<F: Fn(&str) -> Option<String>> Variables<'_, F> {
    fn get(&self, setting: &str) -> Option<String> {
        (self.lookup)(&format!("TONEARM_{}", setting.replace('.', "_").to_uppercase()))
    }

    fn text(&self, setting: &str, target: &mut Option<String>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value);
        }
    }

    /// A secret, or the file that holds it. Either variable overrides both settings.
    fn secret(&self, setting: &str, value: &mut Option<String>, file: &mut Option<PathBuf>) {
        let (text, path) = (self.get(setting), self.get(&format!("{setting}_file")));
        if text.is_some() || path.is_some() {
            *value = text;
            *file = path.map(PathBuf::from);
        }
    }

    fn list(&self, setting: &str, target: &mut Option<Vec<String>>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value.split(',').map(|item| item.trim().to_owned()).collect());
        }
    }

    fn path(&self, setting: &str, target: &mut Option<PathBuf>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value.into());
        }
    }

    fn parsed<T: std::str::FromStr<Err = String>>(
        &self,
        setting: &str,
        target: &mut Option<T>,
    ) -> Result<(), ConfigError> {
        if let Some(value) = self.get(setting) {
            *target = Some(value.parse().map_err(|error: String| ConfigError::new(setting, error))?);
        }
        Ok(())
    }

    /// Numbers and truth values are written as in the file.
    fn toml<T: DeserializeOwned>(&self, setting: &str, target: &mut Option<T>) -> Result<(), ConfigError> {
        #[derive(Deserialize)]
        struct Holder<T> {
            value: T,
        }
        if let Some(value) = self.get(setting) {
            let holder: Holder<T> = toml::from_str(&format!("value = {value}")).map_err(|_| {
                ConfigError::new(setting, format!("{value:?} is not a valid value for this setting"))
            })?;
            *target = Some(holder.value);
        }
        Ok(())
    }

    fn roles(&self, setting: &str, target: &mut Option<Vec<Role>>) -> Result<(), ConfigError> {
        if let Some(value) = self.get(setting) {
            let roles = value.split(',').map(|role| role.trim().parse());
            *target = Some(roles.collect::<Result<_, String>>().map_err(|e| ConfigError::new(setting, e))?);
        }
        Ok(())
    }
}

/// The parser's message without its drawing of the line.
fn one_line(error: &toml::de::Error) -> String {
    error.message().replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_holds_every_setting_and_only_those() {
        let none = |_: &str| None;
        assert!(Settings::parse(EXAMPLE, &none).is_ok());
        let uncommented: String = EXAMPLE
            .lines()
            .map(|line| line.strip_prefix("#").filter(|rest| rest.contains(" = ")).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let settings = Settings::parse(&uncommented, &none).unwrap();
        let printed = format!("{settings:?}");
        assert!(!printed.contains("None"), "a setting is missing in tonearm.toml: {printed}");
    }

    #[test]
    fn every_setting_has_a_variable_and_others_are_named() {
        let asked = std::cell::RefCell::new(HashSet::new());
        Settings::parse("", &|name: &str| {
            asked.borrow_mut().insert(name.to_owned());
            None
        })
        .unwrap();
        let asked: Vec<String> = asked.into_inner().into_iter().collect();
        assert_eq!(asked.len(), variables().count());
        let others = ["TONEARM_CONFIG", "TONEARM_DATA_DIR", "TONEARM_LISTN", "TONEARM_LIMITS_LISTEN", "PATH"];
        let names = asked.into_iter().chain(others.map(str::to_owned));
        assert_eq!(unknown_variables(names), ["TONEARM_LIMITS_LISTEN", "TONEARM_LISTN"]);
    }

    #[test]
    fn unknown_settings_are_refused() {
        let error = Settings::parse("lisen = \"x\"", &|_: &str| None).unwrap_err().to_string();
        assert!(error.contains("lisen"), "{error}");
    }
}
