//! Checks whether the database can be reached and is configured correctly.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use tonearm_catalog::{Catalog, CatalogError, ConnectOptions, ServerSettings};
use tonearm_domain::Ambient;

use super::report::Finding;
use crate::Config;
use crate::opening::{future_database, migrate_in_command};

/// How long the check of a file for damage may take. Reading a large file takes minutes.
const CHECK_FILE_FOR: Duration = Duration::from_secs(20);

/// The oldest major version of PostgreSQL that is still maintained.
const OLDEST_MAINTAINED: u32 = 14;

/// If clocks differ by more than this, nodes refuse signed URLs and sessions that were just created.
const MOST_MILLIS_APART: u64 = 30_000;
const FEW_MILLIS_APART: u64 = 1_000;

/// Opens the catalog; `None` if the first start will create it. The error says what to do to reach it.
pub(super) async fn open(config: &Config) -> Result<Option<Catalog>, Finding> {
    if future_database(config).is_some() {
        return Ok(None);
    }
    let options = ConnectOptions { migrate: migrate_in_command(config), ..ConnectOptions::default() };
    let connecting = Catalog::connect(&config.database_url, options).await;
    let catalog = connecting.map_err(|error| unreachable(config, &error))?;
    catalog.ping().await.map_err(|error| unreachable(config, &error))?;
    Ok(Some(catalog))
}

fn unreachable(config: &Config, error: &CatalogError) -> Finding {
    Finding::failed("database", format!("{}: {}", config.database_url, error.of_opening()))
}

pub(super) async fn database(config: &Config, ambient: &Ambient, catalog: &Catalog) -> Vec<Finding> {
    let mut findings = vec![Finding::ok("database", config.database_url.to_string())];
    let looked = match config.database_url.sqlite_path() {
        Some(_) => file(catalog).await,
        None => server(config, ambient, catalog).await,
    };
    findings.extend(looked.unwrap_or_else(|error| vec![unreachable(config, &error)]));
    findings
}

async fn server(config: &Config, ambient: &Ambient, catalog: &Catalog) -> Result<Vec<Finding>, CatalogError> {
    let mut findings = Vec::new();
    if let Some(settings) = catalog.server_settings().await? {
        findings.extend(judge(&settings));
    }
    if let Some(most) = catalog.most_connections().await? {
        let own = config.connections();
        findings.push(match config.too_many_connections(most) {
            Some(warning) => Finding::warning("connections", warning),
            None => Finding::ok(
                "connections",
                format!(
                    "the server accepts {most}, enough for {} nodes like this one ({own} each)",
                    most / own
                ),
            ),
        });
    }
    let (asked, before) = (Instant::now(), ambient.now());
    if let Some(server) = catalog.server_time().await? {
        // The response is assumed to have taken half of the round trip.
        let way = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or(i64::MAX);
        findings.push(apart(before.plus_millis(way).unix_millis() - server.unix_millis()));
    }
    Ok(findings)
}

/// Checks the settings of a server: its version, its encoding, and whether a crash can lose acknowledged data.
fn judge(settings: &ServerSettings) -> Vec<Finding> {
    let ServerSettings { version, major, encoding, synchronous_commit, overridden, is_flushed, time_zone } =
        settings;
    let mut findings = vec![if *major < OLDEST_MAINTAINED {
        let advice = "upgrade the server: this version no longer receives security fixes";
        Finding::warning("server", format!("PostgreSQL {version}; {advice}"))
    } else {
        Finding::ok("server", format!("PostgreSQL {version}, {encoding}, time zone {time_zone}"))
    }];
    if encoding != "UTF8" {
        let advice = "create the database with ENCODING 'UTF8', or titles in other scripts cannot be stored";
        findings.push(Finding::failed("server", format!("the encoding is {encoding}; {advice}")));
    }
    if synchronous_commit == "off" {
        let advice =
            "Tonearm sets it to on in its own sessions, because a crash would lose acknowledged uploads";
        findings.push(Finding::warning("server", format!("synchronous_commit is off; {advice}")));
    }
    if let Some(overridden) = overridden {
        let advice = "Tonearm uses other values in its own sessions, because it relies on them";
        findings.push(Finding::ok("server", format!("{overridden}; {advice}")));
    }
    if !is_flushed {
        let advice = "set it to on, or a crash of its machine damages the database";
        findings.push(Finding::warning("server", format!("fsync is off; {advice}")));
    }
    findings
}

/// Judges the difference between the clocks. `millis` is how far this node's clock is ahead of the server's.
fn apart(millis: i64) -> Finding {
    let side = if millis < 0 { "behind" } else { "ahead of" };
    let seconds = millis.unsigned_abs() as f64 / 1000.0;
    let found = format!("this node is {seconds:.3} seconds {side} the database server");
    let advice = "synchronize both clocks, preferably with NTP";
    match millis.unsigned_abs() {
        apart if apart <= FEW_MILLIS_APART => Finding::ok("clocks", found),
        apart if apart <= MOST_MILLIS_APART => Finding::warning("clocks", format!("{found}; {advice}")),
        _ => Finding::failed("clocks", format!("{found}, so signed URLs are refused; {advice}")),
    }
}

async fn file(catalog: &Catalog) -> Result<Vec<Finding>, CatalogError> {
    let mut findings = Vec::new();
    if let Some(mode) = catalog.journal_mode().await?
        && mode != "wal"
    {
        let advice = "put the file on a local file system; network file systems cannot share its log";
        findings
            .push(Finding::failed("file", format!("the journal mode is {mode} instead of wal; {advice}")));
    }
    findings.push(match timeout(CHECK_FILE_FOR, catalog.quick_check()).await {
        Ok(found) => match found?.as_deref() {
            None | Some("ok") => Finding::ok("file", "SQLite finds no damage"),
            Some(damage) => Finding::failed(
                "file",
                format!("the file is damaged: {}; stop the service and restore a backup", one_line(damage)),
            ),
        },
        Err(_) => Finding::warning(
            "file",
            "the file is too large to be checked now; run `sqlite3 FILE 'PRAGMA quick_check'` on a copy",
        ),
    });
    Ok(findings)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::report::Verdict;
    use super::*;

    #[test]
    fn clocks_may_differ_by_so_much() {
        for (millis, expected) in [
            (0, Verdict::Ok),
            (-1_000, Verdict::Ok),
            (1_001, Verdict::Warning),
            (-30_000, Verdict::Warning),
            (30_001, Verdict::Failed),
            (i64::MIN, Verdict::Failed),
        ] {
            assert_eq!(apart(millis).verdict, expected, "{millis}");
        }
        assert!(apart(-2_500).sentence.contains("2.500 seconds behind"));
    }

    #[test]
    fn servers_are_set_so_that_nothing_is_lost() {
        let good = ServerSettings {
            version: "15.3".to_owned(),
            major: 15,
            encoding: "UTF8".to_owned(),
            synchronous_commit: "on".to_owned(),
            overridden: None,
            is_flushed: true,
            time_zone: "UTC".to_owned(),
        };
        let worst = |settings: ServerSettings| judge(&settings).pop().map(|found| found.verdict);
        assert_eq!(worst(good.clone()), Some(Verdict::Ok));
        assert_eq!(worst(ServerSettings { major: 13, ..good.clone() }), Some(Verdict::Warning));
        let latin = ServerSettings { encoding: "LATIN1".to_owned(), ..good.clone() };
        assert_eq!(worst(latin), Some(Verdict::Failed));
        let lossy = ServerSettings { synchronous_commit: "off".to_owned(), ..good.clone() };
        assert_eq!(worst(lossy), Some(Verdict::Warning));
        let overridden = Some("default_transaction_isolation = serializable".to_owned());
        let told = judge(&ServerSettings { overridden, ..good.clone() }).pop().unwrap();
        assert!(told.sentence.starts_with("default_transaction_isolation = serializable; "), "{told:?}");
        assert_eq!(worst(ServerSettings { is_flushed: false, ..good }), Some(Verdict::Warning));
    }
}
