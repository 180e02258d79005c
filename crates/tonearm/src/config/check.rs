//! Turns settings into a complete, checked configuration.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tonearm_catalog::PurgedTitles;
use tonearm_domain::{KeepDeleted, StoredAddresses};
use tonearm_service::DeliveryUrl;
use tonearm_signing::Secrets;

use super::acme::acme_terms;
use super::address::{parse_listen, parse_public_url, tls_files, trusted_proxies};
use super::error::{ConfigError, positive};
use super::file::{LogSettings, PrivacySettings, Settings, UsageSettings};
use super::limits::{
    cache_terms, max_json_bytes, rate_limits, record_limits, server_limits, shared_caches, upload_limits,
};
use super::locations::Locations;
use super::media::media_config;
use super::resolved_secrets::ResolvedSecrets;
use super::work::{database_connections, sender_config, statement_timeout, worker_config};
use super::{Config, Role, oidc, retention, traces};

/// How often a node without a catalog reads the list of signing keys. Together with the time that a node uses a list it
/// has, this makes a revocation take effect within thirty seconds.
const KEY_REFRESH_INTERVAL: Duration = Duration::from_secs(10);

/// How often a node checks for a new certificate, and so how long it takes to see one that another node ordered.
const CERTIFICATE_CHECK_INTERVAL: Duration = Duration::from_secs(30);

const LISTEN: &str = "127.0.0.1:8080";

impl Config {
    /// Checks all settings. `default_data_dir` is the data folder if the settings choose none.
    pub(super) fn from_settings(
        mut settings: Settings,
        default_data_dir: &Path,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let secrets = ResolvedSecrets::read(&mut settings, &lookup)?;
        let at = Locations::new(settings.data_dir.as_deref().unwrap_or(default_data_dir), &secrets, &lookup)?;
        let roles = roles(settings.roles)?;
        let tls = tls_files(settings.tls_cert, settings.tls_key)?;
        let media = media_config(settings.media, at.private_paths(tls.as_ref(), &secrets.files))?;
        Ok(Self {
            migrate: settings.database.migrate.unwrap_or(at.database_url.sqlite_path().is_some()),
            listen: parse_listen("listen", settings.listen.as_deref().unwrap_or(LISTEN))?,
            public_url: settings.public_url.map(parse_public_url).transpose()?,
            delivery_url: settings.delivery_url.map(delivery_url).transpose()?,
            shared_caches: shared_caches(settings.delivery_cache, settings.delivery_cache_window_seconds)?,
            cache: cache_terms(&settings.edge, &at.storage_url, &at.data_dir),
            database_url: at.database_url,
            storage_url: at.storage_url,
            data_dir: at.data_dir,
            secret_files: secrets.files,
            secrets: secrets.master_secrets.map(master_secrets).transpose()?,
            database_connections: database_connections(&settings.database, &roles)?,
            acme: acme_terms(settings.tls, tls.is_some(), &roles)?,
            roles,
            trusted_proxies: trusted_proxies(settings.trusted_proxies, settings.forwarded_header)?,
            purged_titles: purged_titles(&settings.usage),
            country_database: settings.usage.country_database,
            stored_addresses: stored_addresses(&settings.privacy),
            retention: retention::retention(&settings.retention)?,
            statement_timeout: statement_timeout(&settings.database)?,
            limits: upload_limits(&settings.limits)?,
            min_free_space: settings.limits.min_free_space.map_or(256 << 20, |size| size.0),
            max_queued_jobs: settings.limits.max_queued_jobs.unwrap_or(100_000),
            max_duration_hours: settings.limits.max_duration_hours.unwrap_or(24),
            record_limits: record_limits(&settings.limits),
            max_json_bytes: max_json_bytes(&settings.limits)?,
            server_limits: server_limits(&settings.limits, &settings.edge, &settings.shutdown)?,
            shutdown_delay: Duration::from_secs(settings.shutdown.delay_seconds.unwrap_or(5).into()),
            tls,
            certificate_check_interval: CERTIFICATE_CHECK_INTERVAL,
            http2_without_tls: settings.http2_without_tls.unwrap_or(false),
            key_refresh_interval: KEY_REFRESH_INTERVAL,
            clock_tolerance_seconds: settings.edge.clock_tolerance_seconds.unwrap_or(30),
            rate_limits: rate_limits(&settings.limits),
            keep_deleted: keep_deleted(settings.library.keep_deleted_hours)?,
            public_play_sessions: settings.api.public_play_sessions.unwrap_or(false),
            worker: worker_config(&settings.worker, media.concurrency)?,
            sender: sender_config(&settings.webhooks)?,
            allow_private: settings.outbound.allow_private.unwrap_or(false),
            allow_imports: settings.outbound.allow_imports.unwrap_or(true),
            oidc: oidc::oidc(settings.oidc, secrets.client_secret)?,
            media,
            log_json: log_json(&settings.log)?,
            log_filter: settings.log.filter,
            metrics_listen: optional_listen("metrics.listen", settings.metrics.listen.as_deref())?,
            traces: traces::traces(settings.tracing, secrets.trace_headers, &lookup)?,
        })
    }
}

fn roles(setting: Option<Vec<Role>>) -> Result<Vec<Role>, ConfigError> {
    let roles = setting.unwrap_or_else(|| vec![Role::Api, Role::Worker, Role::Edge]);
    positive("roles", roles.len() as u64).map(|()| roles)
}

fn delivery_url(text: String) -> Result<DeliveryUrl, ConfigError> {
    text.parse().map_err(|error| ConfigError::new("delivery_url", error))
}

fn master_secrets(text: String) -> Result<Secrets, ConfigError> {
    Secrets::parse(&text).map_err(|error| ConfigError::new("secret", error))
}

fn optional_listen(setting: &'static str, text: Option<&str>) -> Result<Option<SocketAddr>, ConfigError> {
    text.map(|text| parse_listen(setting, text)).transpose()
}

fn purged_titles(settings: &UsageSettings) -> PurgedTitles {
    match settings.keep_titles.unwrap_or(false) {
        true => PurgedTitles::Kept,
        false => PurgedTitles::Removed,
    }
}

fn stored_addresses(settings: &PrivacySettings) -> StoredAddresses {
    match settings.truncate_addresses.unwrap_or(false) {
        true => StoredAddresses::Networks,
        false => StoredAddresses::Whole,
    }
}

fn keep_deleted(hours: Option<u32>) -> Result<KeepDeleted, ConfigError> {
    let chosen = hours.map(KeepDeleted::new).transpose();
    Ok(chosen.map_err(|error| ConfigError::new("library.keep_deleted_hours", error))?.unwrap_or_default())
}

fn log_json(settings: &LogSettings) -> Result<bool, ConfigError> {
    match settings.format.as_deref() {
        None | Some("text") => Ok(false),
        Some("json") => Ok(true),
        Some(other) => Err(ConfigError::new("log.format", format!("must be text or json, not {other}"))),
    }
}
