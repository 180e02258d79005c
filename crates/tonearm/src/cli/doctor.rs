//! `tonearm doctor`

use std::path::Path;

use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, CatalogError, ConnectOptions};
use tonearm_domain::Ambient;
use tonearm_service::StoreIdentity;

use super::Failure;
use crate::opening::{media, migrate_in_command};
use crate::{Config, Role};

/// Below this a busy service soon stops.
const LOW_DISK_BYTES: u64 = 2 << 30;

pub(super) async fn run(config: &Config, ambient: &Ambient) -> Result<(), Failure> {
    std::fs::create_dir_all(&config.data_dir)
        .map_err(|error| Failure::failed(format!("data folder {}: {error}", config.data_dir.display())))?;
    let (walls, open) = walls(config).await;
    let checks = [
        ("ffmpeg", ffmpeg(config).await),
        ("database", database(config).await),
        ("store", store(config).await),
        ("identity", identity(config, ambient).await),
        ("disk", disk(&config.data_dir)),
        ("clock", clock(ambient)),
    ];
    let warnings = [("database", connections(config).await), ("proxies", proxies(config))];
    let warnings = open.into_iter().map(|(name, reason)| (name, Some(reason))).chain(warnings);
    let mut failed = 0;
    for (name, result) in walls.into_iter().chain(checks) {
        match result {
            Ok(found) => println!("ok    {name:9} {found}"),
            Err(problem) => {
                failed += 1;
                println!("FAIL  {name:9} {problem}");
            }
        }
    }
    for (name, warning) in warnings {
        if let Some(warning) = warning {
            println!("warn  {name:9} {warning}");
        }
    }
    match failed {
        0 => Ok(()),
        1 => Err(Failure::failed("one check failed; see above for how to fix it")),
        n => Err(Failure::failed(format!("{n} checks failed; see above for how to fix them"))),
    }
}

async fn ffmpeg(config: &Config) -> Result<String, String> {
    let tools = media(config).check().await.map_err(|error| error.to_string())?;
    Ok(match tools.encodes_webp {
        true => tools.version,
        false => format!(
            "{}, without libwebp, so covers are JPEG only; for WebP, install a full build such as Debian's",
            tools.version
        ),
    })
}

/// What keeps child processes from everything that is not theirs: what stands, with what is missing of what is
/// required, and what is missing otherwise.
async fn walls(
    config: &Config,
) -> (Vec<(&'static str, Result<String, String>)>, Vec<(&'static str, String)>) {
    let reports = match media(config).confinement().await {
        Ok(confinement) => confinement.walls(),
        Err(error) => return (vec![("files", Err(error.to_string()))], Vec::new()),
    };
    let (mut checks, mut open) = (Vec::new(), Vec::new());
    for report in reports {
        let name = report.wall.name();
        match report.stands {
            true => checks.push((name, Ok(report.to_string()))),
            false if config.confinement.is_required => checks.push((name, Err(report.to_string()))),
            false => open.push((name, report.to_string())),
        }
    }
    (checks, open)
}

async fn open(config: &Config) -> Result<Catalog, CatalogError> {
    let options = ConnectOptions { migrate: migrate_in_command(config), ..ConnectOptions::default() };
    Catalog::connect(&config.database_url, options).await
}

async fn database(config: &Config) -> Result<String, String> {
    let advice = |error: &dyn std::fmt::Display| {
        format!("{}: {error}; check database_url and whether the server is running", config.database_url)
    };
    let catalog = match open(config).await {
        Ok(catalog) => catalog,
        // What to do is part of it.
        Err(error @ CatalogError::Schema(_)) => return Err(format!("{}: {error}", config.database_url)),
        Err(error) => return Err(advice(&error)),
    };
    catalog.ping().await.map_err(|error| advice(&error))?;
    catalog.close().await.map_err(|error| advice(&error))?;
    Ok(config.database_url.to_string())
}

async fn store(config: &Config) -> Result<String, String> {
    let advice = |error: &dyn std::fmt::Display| {
        format!("{}: {error}; check storage_url, its credentials and write access", config.storage_url)
    };
    let blobs = Blobs::open(&config.storage_url).await.map_err(|error| advice(&error))?;
    blobs.check().await.map_err(|error| advice(&error))?;
    Ok(config.storage_url.to_string())
}

/// Whether database and store belong together. Before the first start neither says anything.
async fn identity(config: &Config, ambient: &Ambient) -> Result<String, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let catalog = open(config).await.map_err(|error| told(&error))?;
    let blobs = Blobs::open(&config.storage_url).await.map_err(|error| told(&error))?;
    let tie = StoreIdentity::new(catalog.clone(), blobs, ambient.clone()).inspect().await;
    catalog.close().await.map_err(|error| told(&error))?;
    match tie.map_err(|error| told(&error))?.agreed().map_err(|error| told(&error))? {
        Some(id) => Ok(format!("the database and the store share the identity {id}")),
        None => Ok("the database and the store will get an identity on the first start".to_owned()),
    }
}

fn disk(data_dir: &Path) -> Result<String, String> {
    let stat = rustix::fs::statvfs(data_dir).map_err(|error| format!("{}: {error}", data_dir.display()))?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let found = format!("{} GiB free at {}", free >> 30, data_dir.display());
    if free < LOW_DISK_BYTES {
        Err(format!("{found}; free some space: at least 2 GiB are required"))
    } else {
        Ok(found)
    }
}

/// Signed URLs depend on clocks that agree; all that can be told here is whether this one is plainly wrong.
fn clock(ambient: &Ambient) -> Result<String, String> {
    let now = ambient.now();
    let earliest = "2026-01-01T00:00:00Z".parse().map_err(|_| "cannot be checked".to_owned())?;
    if now < earliest {
        Err(format!("{now} is in the past; set the clock, preferably with NTP"))
    } else {
        Ok(now.to_string())
    }
}

/// Where the database is not reached, its own check says so.
async fn connections(config: &Config) -> Option<String> {
    let catalog = open(config).await.ok()?;
    let most = catalog.most_connections().await.ok().flatten();
    catalog.close().await.ok()?;
    config.too_many_connections(most?)
}

/// A proxy that is not trusted is one address for all its clients.
fn proxies(config: &Config) -> Option<String> {
    let reason = config.untrusted_proxy().filter(|_| config.has_role(Role::Api))?;
    Some(format!(
        "{reason}, so there must be a proxy: add its address to trusted_proxies, or rate limits and sign-in throttling \
         will treat all its clients as one"
    ))
}
