//! The settings of the configuration file.

use std::path::PathBuf;

use serde::Deserialize;

use super::config_file::ConfigFile;
use super::retention::Days;
use super::{ByteSize, ConfigError, Role};

/// The commented configuration file with every setting at its default.
pub(crate) const EXAMPLE: &str = include_str!("../../../../tonearm.toml");

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
    pub(super) max_duration_hours: Option<u32>,
    pub(super) max_records: Option<u64>,
    pub(super) max_metadata: Option<ByteSize>,
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
    /// Whether there is a setting of this name outside of all sections.
    pub(super) fn has(name: &str) -> bool {
        EXAMPLE.lines().take_while(|line| !line.starts_with('[')).any(|line| {
            line.strip_prefix('#')
                .unwrap_or(line)
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(" = "))
        })
    }

    /// Parses a file, and applies the variables that override it: `limits.max_upload_bytes` is
    /// `TONEARM_LIMITS_MAX_UPLOAD_BYTES`.
    pub(super) fn parse(
        file: &ConfigFile,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let document = toml::Deserializer::parse(&file.text).map_err(|error| file.error("", &error))?;
        let mut settings: Self = serde_path_to_error::deserialize(document)
            .map_err(|error| file.error(&error.path().to_string(), error.inner()))?;
        settings.override_from_environment(lookup)?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, ConfigError> {
        let path = Some("/etc/tonearm.toml".into());
        Settings::parse(&ConfigFile { path, text: text.to_owned(), ..ConfigFile::default() }, &|_: &str| None)
    }

    #[test]
    fn the_example_holds_every_setting_and_only_those() {
        assert!(parse(EXAMPLE).is_ok());
        let uncommented: String = EXAMPLE
            .lines()
            .map(|line| line.strip_prefix("#").filter(|rest| rest.contains(" = ")).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let settings = parse(&uncommented).unwrap();
        let printed = format!("{settings:?}");
        assert!(!printed.contains("None"), "a setting is missing in tonearm.toml: {printed}");
    }

    #[test]
    fn errors_name_the_setting_and_its_line() {
        for (text, expected) in [
            (
                "lisen = \"x\"",
                "lisen: is no setting; `tonearm config` prints all of them (line 1 of /etc/tonearm.toml)",
            ),
            ("\n[limits]\nmax_conections = 1", "limits.max_conections: is no setting"),
            (
                "[tracing]\n\npublic_url = 'https://a'",
                "tracing.public_url: public_url belongs above the first [section]: what follows one is part of it (line 3 ",
            ),
            (
                "\n[limits]\nmax_connections = 'many'",
                "limits.max_connections: must be a whole number, 0 or greater (line 3 of /etc/tonearm.toml)",
            ),
            (
                "[limits]\nmax_upload_bytes = true",
                "limits.max_upload_bytes: must be a size such as 8GiB, 500MB or 1048576 (line 2 ",
            ),
            (
                "[limits]\nmax_upload_bytes = 'lots'",
                "limits.max_upload_bytes: \"lots\" is not a size such as 8GiB",
            ),
            (
                "[retention]\naudit_days = true",
                "retention.audit_days: must be a number of days, or \"forever\" (line 2 ",
            ),
            (
                "[api]\npublic_play_sessions = 'yes'",
                "api.public_play_sessions: must be true or false (line 2 ",
            ),
            ("roles = ['api', 'king']", "roles[1]: must be one of api, worker, edge (line 1 "),
            ("limits = 7", "limits: must be a section, [limits] (line 1 "),
            ("\n\nlisten = 127.0.0.1:8080", "configuration: "),
            ("[tls]\nacme = 'x'", "tls.acme: must be a list (line 2 "),
            ("listen = '1'\nlisten = '2'", "configuration: "),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
            assert!(error.ends_with(" of /etc/tonearm.toml)") && error.lines().count() == 1, "{error}");
            for rust in ["struct", "enum", "usize", "u64", "variant", "sequence"] {
                assert!(!error.contains(rust), "{error}");
            }
        }
    }
}
