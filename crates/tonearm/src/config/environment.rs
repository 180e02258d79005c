//! The environment variables that override the configuration file: `limits.max_upload_bytes` is
//! `TONEARM_LIMITS_MAX_UPLOAD_BYTES`.

mod unknown;
mod variables;

use super::ConfigError;
use super::file::{
    ApiSettings, DatabaseSettings, EdgeSettings, LibrarySettings, LimitSettings, LogSettings, MediaSettings,
    MetricsSettings, OidcSettings, OutboundSettings, PrivacySettings, RetentionSettings, Settings,
    ShutdownSettings, TlsSettings, TracingSettings, UsageSettings, WebhookSettings, WorkerSettings,
};

pub(crate) use unknown::UnknownVariable;
use variables::Variables;
pub(super) use variables::variable_of;

impl Settings {
    /// Replaces each setting whose variable is set.
    pub(super) fn override_from_environment(
        &mut self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        let variables = &Variables { lookup };
        self.override_general(variables)?;
        self.tls.override_from(variables);
        self.database.override_from(variables)?;
        self.limits.override_from(variables)?;
        self.shutdown.override_from(variables)?;
        self.library.override_from(variables)?;
        self.usage.override_from(variables)?;
        self.retention.override_from(variables)?;
        self.privacy.override_from(variables)?;
        self.api.override_from(variables)?;
        self.edge.override_from(variables)?;
        self.worker.override_from(variables)?;
        self.media.override_from(variables)?;
        self.outbound.override_from(variables)?;
        self.webhooks.override_from(variables)?;
        self.oidc.override_from(variables);
        self.log.override_from(variables);
        self.metrics.override_from(variables);
        self.tracing.override_from(variables)?;
        Ok(())
    }

    /// The settings outside of all sections.
    fn override_general(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.text("listen", &mut self.listen);
        variables.text("public_url", &mut self.public_url);
        variables.text("delivery_url", &mut self.delivery_url);
        variables.text("delivery_cache", &mut self.delivery_cache);
        variables.toml("delivery_cache_window_seconds", &mut self.delivery_cache_window_seconds)?;
        variables.path("data_dir", &mut self.data_dir);
        variables.secret("database_url", &mut self.database_url, &mut self.database_url_file);
        variables.secret("storage_url", &mut self.storage_url, &mut self.storage_url_file);
        variables.secret("secret", &mut self.secret, &mut self.secret_file);
        variables.roles("roles", &mut self.roles)?;
        variables.list("trusted_proxies", &mut self.trusted_proxies);
        variables.text("forwarded_header", &mut self.forwarded_header);
        variables.path("tls_cert", &mut self.tls_cert);
        variables.path("tls_key", &mut self.tls_key);
        variables.toml("http2_without_tls", &mut self.http2_without_tls)?;
        Ok(())
    }
}

impl TlsSettings {
    fn override_from(&mut self, variables: &Variables<'_>) {
        variables.list("tls.acme", &mut self.acme);
        variables.text("tls.acme_contact", &mut self.acme_contact);
        variables.text("tls.acme_directory", &mut self.acme_directory);
    }
}

impl DatabaseSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("database.connections", &mut self.connections)?;
        variables.toml("database.statement_timeout_seconds", &mut self.statement_timeout_seconds)?;
        variables.toml("database.migrate", &mut self.migrate)
    }
}

impl LimitSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.parsed("limits.max_upload_bytes", &mut self.max_upload_bytes)?;
        variables.parsed("limits.max_cover_bytes", &mut self.max_cover_bytes)?;
        variables.parsed("limits.max_json_bytes", &mut self.max_json_bytes)?;
        variables.parsed("limits.min_free_space", &mut self.min_free_space)?;
        variables.toml("limits.max_queued_jobs", &mut self.max_queued_jobs)?;
        variables.toml("limits.max_duration_hours", &mut self.max_duration_hours)?;
        variables.toml("limits.max_records", &mut self.max_records)?;
        variables.parsed("limits.max_metadata", &mut self.max_metadata)?;
        variables.toml("limits.max_connections", &mut self.max_connections)?;
        variables.toml("limits.header_timeout_seconds", &mut self.header_timeout_seconds)?;
        variables.toml("limits.send_timeout_seconds", &mut self.send_timeout_seconds)?;
        variables.toml("limits.min_bytes_per_second", &mut self.min_bytes_per_second)?;
        variables.toml("limits.requests_per_minute_per_key", &mut self.requests_per_minute_per_key)?;
        variables.toml("limits.requests_per_minute_per_address", &mut self.requests_per_minute_per_address)
    }
}

impl ShutdownSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("shutdown.delay_seconds", &mut self.delay_seconds)?;
        variables.toml("shutdown.drain_seconds", &mut self.drain_seconds)
    }
}

impl LibrarySettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("library.keep_deleted_hours", &mut self.keep_deleted_hours)
    }
}

impl UsageSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("usage.keep_titles", &mut self.keep_titles)?;
        variables.path("usage.country_database", &mut self.country_database);
        Ok(())
    }
}

impl RetentionSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.parsed("retention.audit_days", &mut self.audit_days)?;
        variables.parsed("retention.webhook_days", &mut self.webhook_days)?;
        variables.parsed("retention.failed_job_days", &mut self.failed_job_days)?;
        variables.parsed("retention.session_days", &mut self.session_days)?;
        variables.parsed("retention.sign_in_days", &mut self.sign_in_days)?;
        variables.parsed("retention.invitation_days", &mut self.invitation_days)?;
        variables.parsed("retention.usage_batch_days", &mut self.usage_batch_days)
    }
}

impl PrivacySettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("privacy.truncate_addresses", &mut self.truncate_addresses)
    }
}

impl ApiSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("api.public_play_sessions", &mut self.public_play_sessions)
    }
}

impl EdgeSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("edge.threads", &mut self.threads)?;
        variables.toml("edge.clock_tolerance_seconds", &mut self.clock_tolerance_seconds)?;
        variables.parsed("edge.memory_cache", &mut self.memory_cache)?;
        variables.parsed("edge.disk_cache", &mut self.disk_cache)
    }
}

impl WorkerSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("worker.slots", &mut self.slots)?;
        variables.toml("worker.wait_slots", &mut self.wait_slots)?;
        variables.toml("worker.maintenance_slots", &mut self.maintenance_slots)?;
        variables.toml("worker.lease_seconds", &mut self.lease_seconds)
    }
}

impl MediaSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.path("media.ffmpeg", &mut self.ffmpeg);
        variables.path("media.ffprobe", &mut self.ffprobe);
        variables.toml("media.concurrency", &mut self.concurrency)?;
        variables.parsed("media.memory", &mut self.memory)?;
        variables.text("media.confinement", &mut self.confinement);
        Ok(())
    }
}

impl OutboundSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("outbound.allow_private", &mut self.allow_private)?;
        variables.toml("outbound.allow_imports", &mut self.allow_imports)
    }
}

impl WebhookSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.toml("webhooks.connections", &mut self.connections)?;
        variables.toml("webhooks.connections_per_endpoint", &mut self.connections_per_endpoint)
    }
}

impl OidcSettings {
    fn override_from(&mut self, variables: &Variables<'_>) {
        variables.text("oidc.issuer", &mut self.issuer);
        variables.text("oidc.client_id", &mut self.client_id);
        variables.secret("oidc.client_secret", &mut self.client_secret, &mut self.client_secret_file);
        variables.text("oidc.name", &mut self.name);
        variables.list("oidc.scopes", &mut self.scopes);
        variables.list("oidc.allowed_domains", &mut self.allowed_domains);
        variables.text("oidc.join", &mut self.join);
    }
}

impl LogSettings {
    fn override_from(&mut self, variables: &Variables<'_>) {
        variables.text("log.format", &mut self.format);
        variables.text("log.filter", &mut self.filter);
    }
}

impl MetricsSettings {
    fn override_from(&mut self, variables: &Variables<'_>) {
        variables.text("metrics.listen", &mut self.listen);
    }
}

impl TracingSettings {
    fn override_from(&mut self, variables: &Variables<'_>) -> Result<(), ConfigError> {
        variables.text("tracing.otlp_endpoint", &mut self.otlp_endpoint);
        variables.secret("tracing.otlp_headers", &mut self.otlp_headers, &mut self.otlp_headers_file);
        variables.toml("tracing.sample_ratio", &mut self.sample_ratio)?;
        variables.text("tracing.service_name", &mut self.service_name);
        Ok(())
    }
}
