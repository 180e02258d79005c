//! Large libraries, written to the database by the database itself.

use std::path::Path;

use anyhow::{Context, Result};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection};
use tonearm_catalog::Catalog;
use tonearm_domain::{Day, OrganizationId};
use tonearm_fixtures::{Collections, Dialect, LargeLibrary};

use crate::stage::Stage;

/// The size of a library.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) tracks: u64,
    /// Tracks of the two largest collections.
    pub(crate) largest: [u64; 2],
    /// Number of smaller collections.
    smaller: u64,
}

impl Size {
    /// Number of collections with twenty tracks.
    pub(crate) const OF_TWENTY: u64 = 10;

    pub(crate) fn new(tracks: u64) -> Self {
        // A library of a thousand tracks has collections of 200 and 100; a library of a million has collections of
        // 50,000 and 10,000.
        let largest = if tracks <= 1000 { [tracks / 5, tracks / 10] } else { [tracks / 20, tracks / 100] };
        Self { tracks, largest, smaller: (tracks / 500).clamp(25, 2000) }
    }

    /// The number of the first collection of twenty tracks.
    pub(crate) fn first_of_twenty(self) -> u64 {
        2
    }

    fn collections(self) -> Vec<Collections> {
        let [first, second] = self.largest;
        let left = self.tracks - first - second - 20 * Self::OF_TWENTY;
        vec![
            Collections { count: 1, tracks: first },
            Collections { count: 1, tracks: second },
            Collections { count: Self::OF_TWENTY, tracks: 20 },
            Collections { count: self.smaller, tracks: left / self.smaller },
        ]
    }
}

/// Opens a service over a library of this size. Returns the service, the URL of its database, and the contents of the
/// library. Without a URL, the database is a file in the service's folder.
pub(crate) async fn open(size: Size, database: Option<&str>) -> Result<(Stage, String, LargeLibrary)> {
    let mut filled = None;
    let fill = async |folder: &Path, organization_id: &str| {
        let url = database.map_or_else(
            || format!("sqlite://{}", folder.join("data/tonearm.db").display()),
            ToOwned::to_owned,
        );
        let library = fill(organization_id.parse()?, size, &url).await?;
        filled = Some((url, library));
        Ok(())
    };
    let stage = Stage::open_over(database, fill).await?;
    let (url, library) = filled.context("nothing was filled")?;
    Ok((stage, url, library))
}

async fn fill(organization_id: OrganizationId, size: Size, url: &str) -> Result<LargeLibrary> {
    let catalog = Catalog::connect(&url.parse()?, tonearm_catalog::ConnectOptions::default()).await?;
    let organization = catalog.organization(organization_id).await?.context("no organization")?;
    let recipes = catalog.recipes(organization_id).await?;
    let recipe = |name: &str| {
        recipes
            .iter()
            .find(|recipe| recipe.index.as_str() == name)
            .map(|recipe| recipe.id)
            .context("no recipe")
    };
    let id = tonearm_fixtures::ambient().0.record_id();
    let webhook = LargeLibrary::endpoint(id, organization_id, organization.created_at);
    let tx = catalog.begin().await?;
    tx.put_webhook(&webhook).await?;
    tx.commit().await?;
    catalog.close().await?;
    let library = LargeLibrary {
        dialect: Dialect::of_url(url),
        organization_id,
        hq: recipe("hq")?,
        levels: recipe("levels")?,
        collections: size.collections(),
        last_day: Day::of(organization.created_at),
        days: 90,
        played_each_day: (size.tracks / 100).max(10),
        audit: size.tracks,
        deliveries: Some((webhook.id, size.tracks / 10)),
    };
    let db = connect(url).await?;
    for statement in library.statements() {
        db.execute_unprepared(&statement).await?;
    }
    if library.dialect == Dialect::Postgres {
        db.execute_unprepared("VACUUM ANALYZE").await?;
    }
    db.close().await?;
    Ok(library)
}

async fn connect(url: &str) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    let db = Database::connect(options).await?;
    if Dialect::of_url(url) == Dialect::Sqlite {
        db.execute_unprepared("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000").await?;
    }
    Ok(db)
}

/// Queues `count` jobs in addition to those that are already waiting.
pub(crate) async fn queue_jobs(url: &str, organization_id: OrganizationId, count: u64) -> Result<()> {
    let db = connect(url).await?;
    db.execute_unprepared("DELETE FROM job").await?;
    let statement = LargeLibrary::jobs(Dialect::of_url(url), organization_id, count);
    db.execute_unprepared(&statement).await?;
    if Dialect::of_url(url) == Dialect::Postgres {
        db.execute_unprepared("VACUUM ANALYZE job").await?;
    }
    Ok(db.close().await?)
}
