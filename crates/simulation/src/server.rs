//! The PostgreSQL server of all simulations.

use anyhow::Result;
use sea_orm::{ConnectOptions, ConnectionTrait, Database};
use tonearm_fixtures::Postgres;

use crate::result::Outcome;
use crate::run;
use crate::settings::Settings;

/// Connections of one node: its pool, and one that listens for notices.
const CONNECTIONS_PER_NODE: usize = 6;

/// A PostgreSQL server of this process, with one database per simulation. It does not write durably to the disk, as
/// real time is not measured.
#[derive(Debug)]
pub struct Server {
    postgres: Postgres,
    databases: u32,
}

impl Server {
    /// Starts a server with connections for this many nodes.
    pub fn start(nodes: usize) -> Self {
        let connections = u32::try_from(nodes * CONNECTIONS_PER_NODE + 50).unwrap_or(u32::MAX);
        Self { postgres: Postgres::start(connections), databases: 0 }
    }

    /// Runs a simulation in its own runtime, whose time is paused.
    pub fn run(&mut self, settings: Settings) -> Result<Outcome> {
        self.databases += 1;
        let name = format!("simulation_{}", self.databases);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?;
        let url = self.postgres.url().to_owned();
        let server = url.rsplit_once('/').map_or(url.as_str(), |(server, _)| server).to_owned();
        // In real time: with a paused clock, the timeout for a connection would be reached at once.
        let plain = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        plain.block_on(ask(&url, &format!("CREATE DATABASE {name}")))?;
        let outcome = runtime.block_on(run::run(settings, &format!("{server}/{name}")));
        runtime.shutdown_background();
        plain.block_on(ask(&url, &format!("DROP DATABASE {name} WITH (FORCE)")))?;
        outcome
    }
}

async fn ask(url: &str, statement: &str) -> Result<()> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    let connection = Database::connect(options).await?;
    connection.execute_unprepared(statement).await?;
    Ok(connection.close().await?)
}
