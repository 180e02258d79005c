//! What 0 means for each setting that is a number.

use std::fs;

use super::file::EXAMPLE;
use super::{ByteSize, Config, Overrides};

/// A setting, and a check that its 0 was understood. `None` if 0 is refused.
type Zero = (&'static str, Option<fn(&Config) -> bool>);

const ZEROS: [Zero; 39] = [
    // 0 means no limit.
    ("limits.min_free_space", Some(|config| config.min_free_space == 0)),
    ("limits.max_queued_jobs", Some(|config| config.max_queued_jobs == 0)),
    ("limits.max_duration_hours", Some(|config| config.max_duration_hours == 0)),
    ("limits.max_records", Some(|config| config.record_limits.records.is_none())),
    ("limits.max_metadata", Some(|config| config.record_limits.metadata.is_none())),
    ("limits.min_bytes_per_second", Some(|config| config.server_limits.min_bytes_per_second == 0)),
    ("limits.requests_per_minute_per_key", Some(|config| config.rate_limits.per_key.is_none())),
    ("limits.requests_per_minute_per_address", Some(|config| config.rate_limits.per_address.is_none())),
    // 0 means that nothing is kept or waited for.
    ("shutdown.delay_seconds", Some(|config| config.shutdown_delay.is_zero())),
    ("shutdown.drain_seconds", Some(|config| config.server_limits.drain.is_zero())),
    ("library.keep_deleted_hours", Some(|config| config.keep_deleted.hours() == 0)),
    ("edge.clock_tolerance_seconds", Some(|config| config.clock_tolerance_seconds == 0)),
    ("edge.memory_cache", Some(|config| config.cache.is_none())),
    ("edge.disk_cache", Some(|config| config.cache.as_ref().is_some_and(|cache| cache.disk.is_none()))),
    // 0 is refused, because the service could not work, or clients could not share URLs.
    ("delivery_cache_window_seconds", None),
    ("database.connections", None),
    ("database.statement_timeout_seconds", None),
    ("limits.max_upload_bytes", None),
    ("limits.max_cover_bytes", None),
    ("limits.max_json_bytes", None),
    ("limits.max_connections", None),
    ("limits.header_timeout_seconds", None),
    ("limits.send_timeout_seconds", None),
    ("retention.audit_days", None),
    ("retention.webhook_days", None),
    ("retention.failed_job_days", None),
    ("retention.session_days", None),
    ("retention.sign_in_days", None),
    ("retention.invitation_days", None),
    ("retention.usage_batch_days", None),
    ("edge.threads", None),
    ("worker.slots", None),
    ("worker.wait_slots", None),
    ("worker.maintenance_slots", None),
    ("worker.lease_seconds", None),
    ("media.concurrency", None),
    ("media.memory", None),
    ("webhooks.connections", None),
    ("webhooks.connections_per_endpoint", None),
];

/// The settings of the commented file whose default is a number or a size.
fn numbers() -> Vec<String> {
    let (mut section, mut found) = (String::new(), Vec::new());
    for line in EXAMPLE.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        }
        let setting = line.strip_prefix('#').and_then(|line| line.split_once(" = "));
        if let Some((name, value)) = setting
            && value.trim_matches('"').parse::<ByteSize>().is_ok()
        {
            found.push(format!("{section}{name}"));
        }
    }
    found
}

fn load(text: &str, variable: Option<(&str, &str)>) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tonearm.toml");
    fs::write(&path, format!("storage_url = \"s3://audio\"\n{text}")).unwrap();
    let overrides = Overrides { config: Some(path), ..Overrides::default() };
    let lookup = |name: &str| variable.filter(|(own, _)| *own == name).map(|(_, value)| value.to_owned());
    Config::load(&overrides, lookup).map_err(|error| error.to_string())
}

#[test]
fn every_number_says_what_its_zero_means() {
    let (mut numbers, mut named) = (numbers(), ZEROS.map(|(name, _)| name.to_owned()));
    numbers.sort();
    named.sort();
    assert_eq!(numbers, named);
}

#[test]
fn zero_means_one_thing_in_all_limits() {
    for (name, is_understood) in ZEROS {
        let variable = format!("TONEARM_{}", name.replace('.', "_")).to_uppercase();
        let text = match name.split_once('.') {
            Some((section, key)) => format!("[{section}]\n{key} = 0"),
            None => format!("{name} = 0"),
        };
        for loaded in [load(&text, None), load("", Some((&variable, "0")))] {
            match (loaded, is_understood) {
                (Ok(config), Some(is_understood)) => assert!(is_understood(&config), "{name}"),
                (Err(error), None) => {
                    let sentence =
                        error.strip_prefix(&format!("{name}: ")).unwrap_or_else(|| panic!("{error}"));
                    let says = [
                        "must be at least 1",
                        "must be from ",
                        "must be a number of days from 1",
                        "must be a number of seconds from 60",
                        "must be at least 7",
                    ];
                    assert!(says.iter().any(|start| sentence.starts_with(start)), "{error}");
                }
                (loaded, _) => panic!("{name}: {:?}", loaded.map(|_| ())),
            }
        }
    }
}
