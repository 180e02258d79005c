//! The configuration as a whole: defaults, overrides and errors.

use std::path::PathBuf;

use super::{Config, Overrides, Role};

fn load(variables: &[(&str, &str)]) -> Result<Config, String> {
    let overrides = Overrides { data_dir: Some("/nonexistent/data".into()), ..Overrides::default() };
    let lookup =
        |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
    Config::load(&overrides, lookup).map_err(|error| error.to_string())
}

#[test]
fn defaults_are_complete() {
    let config = load(&[]).unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.roles, [Role::Api, Role::Worker, Role::Edge]);
    assert!(config.needs_catalog());
    assert!(!config.public_play_sessions);
    assert_eq!((config.min_free_space, config.max_queued_jobs), (256 << 20, 100_000));
    assert_eq!(config.database_connections, 20);
    assert!(config.migrate, "a file has one user");
    assert_eq!(load(&[("TONEARM_ROLES", "worker")]).unwrap().database_connections, 6);
}

#[test]
fn variables_override() {
    let config = load(&[
        ("TONEARM_LISTEN", "[::]:9000"),
        ("TONEARM_ROLES", "edge"),
        ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "2GiB"),
        ("TONEARM_LIMITS_MIN_FREE_SPACE", "0"),
        ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "true"),
        ("TONEARM_DELIVERY_URL", "https://{org}.audio.example.com"),
        ("TONEARM_DATABASE_URL", "postgres://me:secret@db/tonearm"),
    ])
    .unwrap();
    assert_eq!(config.listen.port(), 9000);
    assert!(!config.needs_catalog());
    assert_eq!(config.limits.max_source_bytes, 2 << 30);
    assert_eq!(config.min_free_space, 0);
    assert!(!config.migrate, "other nodes may be of another version");
    assert!(config.public_play_sessions);
    assert!(!format!("{config:?}").contains("secret@"));
}

#[test]
fn secrets_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let database = file("database", "postgres://me:hidden@db/tonearm\n");
    let secret = file("secret", "a master secret of at least 32 characters\n");
    let config = load(&[("TONEARM_DATABASE_URL_FILE", &database), ("TONEARM_SECRET_FILE", &secret)]).unwrap();
    assert_eq!(config.database_url.sqlite_path(), None);
    assert!(config.secrets.is_some());
    let named: Vec<_> = config.secret_files.iter().map(|file| file.setting).collect();
    assert_eq!(named, ["database_url", "secret"]);
    assert!(config.media.confinement.private.contains(&PathBuf::from(&secret)));
    let error = load(&[("TONEARM_SECRET", "x"), ("TONEARM_SECRET_FILE", &secret)]).unwrap_err();
    assert_eq!(error, "secret: is set together with secret_file; set one of them (TONEARM_SECRET)");
}

#[test]
fn wrong_settings_are_one_clear_line() {
    for (name, value, expected) in [
        ("TONEARM_LISTEN", "8080", "listen: "),
        ("TONEARM_ROLES", "api,foo", "roles: unknown role foo"),
        ("TONEARM_PUBLIC_URL", "audio.example.com", "public_url: "),
        ("TONEARM_PUBLIC_URL", "https://example.com/audio", "public_url: cannot have a path"),
        ("TONEARM_DELIVERY_URL", "https://a/b", "delivery_url: "),
        ("TONEARM_DELIVERY_CACHE", "shared", "delivery_cache: must be private or public"),
        ("TONEARM_DELIVERY_CACHE_WINDOW_SECONDS", "59", "delivery_cache_window_seconds: "),
        ("TONEARM_DATABASE_URL", "mysql://x", "database_url: "),
        ("TONEARM_STORAGE_URL", "ftp://x", "storage_url: "),
        ("TONEARM_TRUSTED_PROXIES", "10.0.0.0/8,proxy", "trusted_proxies: "),
        ("TONEARM_FORWARDED_HEADER", "Via", "forwarded_header: "),
        ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "lots", "limits.max_upload_bytes: "),
        ("TONEARM_LIMITS_MIN_FREE_SPACE", "-1", "limits.min_free_space: "),
        (
            "TONEARM_LIMITS_MAX_QUEUED_JOBS",
            "-1",
            "limits.max_queued_jobs: must be a whole number, 0 or greater",
        ),
        ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "yes", "api.public_play_sessions: must be true or false"),
        ("TONEARM_WORKER_SLOTS", "0", "worker.slots: "),
        ("TONEARM_WORKER_WAIT_SLOTS", "0", "worker.wait_slots: "),
        ("TONEARM_DATABASE_CONNECTIONS", "0", "database.connections: "),
        ("TONEARM_DATABASE_MIGRATE", "yes", "database.migrate: "),
        ("TONEARM_DATABASE_STATEMENT_TIMEOUT_SECONDS", "0", "database.statement_timeout_seconds: "),
        (
            "TONEARM_LIBRARY_KEEP_DELETED_HOURS",
            "8761",
            "library.keep_deleted_hours: must be a number of hours",
        ),
        (
            "TONEARM_RETENTION_AUDIT_DAYS",
            "0",
            "retention.audit_days: must be a number of days from 1 to 36500",
        ),
        ("TONEARM_RETENTION_USAGE_BATCH_DAYS", "1", "retention.usage_batch_days: must be at least 7"),
        ("TONEARM_WEBHOOKS_CONNECTIONS", "0", "webhooks.connections: "),
        ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "maybe", "outbound.allow_private: "),
        ("TONEARM_LOG_FORMAT", "xml", "log.format: "),
        ("TONEARM_METRICS_LISTEN", "9464", "metrics.listen: "),
        ("TONEARM_TRACING_OTLP_ENDPOINT", "collector:4318", "tracing.otlp_endpoint: "),
        ("TONEARM_TRACING_SAMPLE_RATIO", "2", "tracing.sample_ratio: "),
        ("TONEARM_TRACING_OTLP_HEADERS_FILE", "/nonexistent", "tracing.otlp_headers_file: cannot read "),
        ("TONEARM_OIDC_CLIENT_SECRET_FILE", "/", "oidc.client_secret_file: / is a folder"),
        ("TONEARM_TLS_ACME", "*.example.com", "tls.acme: \"*.example.com\" is a wildcard"),
        ("TONEARM_TLS_ACME", "192.0.2.1", "tls.acme: \"192.0.2.1\" is not a host name"),
        ("TONEARM_TLS_ACME_CONTACT", "somebody", "tls.acme_contact: "),
        ("TONEARM_TLS_ACME_DIRECTORY", "http://ca.example.com/", "tls.acme_directory: "),
        ("TONEARM_MEDIA_CONFINEMENT", "none", "media.confinement: must be \"required\" or \"best effort\""),
        ("TONEARM_SECRET", "short", "secret: "),
        ("TONEARM_SECRET_FILE", "/nonexistent/secret", "secret_file: cannot read /nonexistent/secret"),
        ("TONEARM_DATABASE_URL_FILE", "/", "database_url_file: / is a folder"),
        ("AWS_SECRET_ACCESS_KEY_FILE", "/nonexistent/key", "AWS_SECRET_ACCESS_KEY_FILE: cannot read "),
        ("TONEARM_CONFIG", "/nonexistent.toml", "configuration: cannot read /nonexistent.toml"),
    ] {
        let error = load(&[(name, value)]).unwrap_err();
        assert!(error.starts_with(expected), "{name}: {error}");
        assert!(error.ends_with(&format!(" ({name})")) || error.contains(value), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn an_error_names_the_place_of_its_setting() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tonearm.toml");
    std::fs::write(&file, "# A service.\nlisten = '8080'\n\n[worker]\nslots = 0\n").unwrap();
    let overrides = Overrides { data_dir: Some(folder.path().into()), ..Overrides::default() };
    let error_with = |listen: Option<&str>, variables: &[(&str, &str)]| {
        let overrides = Overrides { listen: listen.map(str::to_owned), ..overrides.clone() };
        let lookup =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
        Config::load(&overrides, lookup).unwrap_err().to_string()
    };
    let of_file = |line: u32| format!(" (line {line} of {})", file.display());
    let error = error_with(None, &[]);
    assert!(error.starts_with("listen: ") && error.ends_with(&of_file(2)), "{error}");
    let error = error_with(None, &[("TONEARM_LISTEN", "9090")]);
    assert!(error.ends_with(" (TONEARM_LISTEN)"), "{error}");
    let error = error_with(Some("7070"), &[]);
    assert!(error.starts_with("listen: \"7070\"") && !error.contains(" ("), "{error}");
    let error = error_with(Some("[::]:8080"), &[]);
    assert_eq!(error, format!("worker.slots: must be from 1 to 1000{}", of_file(5)));
}
