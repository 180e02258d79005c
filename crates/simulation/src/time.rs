//! The simulated time: the paused clock of the runtime, which the simulation advances.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tonearm_domain::{Clock, Timestamp};

/// 2030-01-01T00:00:00Z in milliseconds since 1970.
const START: i64 = 1_893_456_000_000;

/// The start of the simulation, from which simulated time is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since(Instant);

impl Since {
    /// Starts measuring now.
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Waits until this much time has passed since the start.
    pub(crate) async fn reaches(self, elapsed: Duration) {
        tokio::time::sleep_until(self.0 + elapsed).await;
    }

    fn unix_millis(self) -> i64 {
        START + i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// The wall clock of a node, which is wrong by a number of milliseconds.
#[derive(Debug, Clone)]
pub(crate) struct NodeClock {
    pub(crate) since: Since,
    pub(crate) ahead_millis: i64,
}

impl Clock for NodeClock {
    fn now(&self) -> Timestamp {
        let millis = self.since.unix_millis() + self.ahead_millis;
        Timestamp::from_unix_millis(millis).expect("simulations stay within ten thousand years")
    }
}

/// PostgreSQL's functions for the current time, replaced with ones that return the simulated time. They take
/// precedence, because `pg_catalog` is last in the search path. A sequence stores the time, because it changes outside
/// of transactions and leaves no dead rows.
const FUNCTIONS: &str = "
    CREATE SCHEMA simulated;
    CREATE SEQUENCE simulated.millis MINVALUE 0;
    CREATE FUNCTION simulated.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
        'SELECT to_timestamp(last_value / 1000.0) FROM simulated.millis';
    CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
        'SELECT to_timestamp(last_value / 1000.0) FROM simulated.millis';";

/// The clock of the database, which decides when jobs are due and when leases expire.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseClock(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    since: Since,
    connection: DatabaseConnection,
    set_to: Mutex<i64>,
}

impl DatabaseClock {
    /// Makes an empty database use the simulated time.
    pub(crate) async fn install(url: &str, since: Since) -> Result<Self> {
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false).test_before_acquire(false);
        let connection = Database::connect(options).await?;
        connection.execute_unprepared(FUNCTIONS).await?;
        let path = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path TO public, simulated, pg_catalog', \
                    current_database()); END $$";
        connection.execute_unprepared(path).await?;
        let clock = Self(Arc::new(Shared { since, connection, set_to: Mutex::new(0) }));
        clock.set().await?;
        Ok(clock)
    }

    /// Sets the clock to the present. Must be called before each statement. It takes one statement if the time has
    /// changed.
    pub(crate) async fn set(&self) -> Result<()> {
        let mut set_to = self.0.set_to.lock().await;
        let now = self.0.since.unix_millis();
        if *set_to != now {
            let statement = format!("SELECT setval('simulated.millis', {now})");
            self.0.connection.execute_unprepared(&statement).await?;
            *set_to = now;
        }
        Ok(())
    }

    pub(crate) async fn close(&self) -> Result<()> {
        Ok(self.0.connection.close_by_ref().await?)
    }
}
