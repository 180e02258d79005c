//! Listening for notifications of work that other nodes queue.

use std::time::Duration;

use sea_orm::sqlx;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions as _, Row};
use tokio::time::{sleep, timeout};

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::notices::{CHANNEL, Notices, read};
use crate::wakeups::Wakers;

/// The application name of the connection, as the server lists it.
const APPLICATION: &str = "tonearm listener";

/// The timeout for connecting, and for a notice to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// After this long without a notice, one is sent to check that it arrives: a connection may break without either end
/// noticing.
const SILENCE: Duration = Duration::from_secs(20);

/// The pause before a lost connection is replaced.
const RECONNECT_AFTER: Duration = Duration::from_secs(1);

impl Catalog {
    /// Listens for work that other nodes queue and wakes the workers that wait for it. It uses one connection outside
    /// the pool and replaces it when it is lost. Returns at once on SQLite; on PostgreSQL it never returns, so drop the
    /// future to stop it.
    pub async fn listen(&self) {
        let (Some(server), Some(notices)) = (self.server(), self.wakers().notices()) else {
            return;
        };
        // Also marks listening as stopped when the future is dropped.
        let listening = Listening { wakers: self.wakers(), notices };
        let mut has_failed = false;
        loop {
            let ended = Box::pin(receive_notices(server, &listening)).await;
            if listening.stop() || !has_failed {
                let error = ended.err().map(|error| error.to_string()).unwrap_or_default();
                tracing::warn!(error, "cannot listen for notifications; polling once a second");
            }
            has_failed = true;
            sleep(RECONNECT_AFTER).await;
        }
    }
}

/// Marks whether this process receives notices from other nodes.
struct Listening<'a> {
    wakers: &'a Wakers,
    notices: &'a Notices,
}

impl Listening<'_> {
    fn start(&self, listener: i32) {
        self.notices.set_listener(Some(listener));
        self.wakers.set_listening(true);
    }

    /// Marks listening as stopped. Returns whether it was listening.
    fn stop(&self) -> bool {
        let was_listening = self.wakers.is_listening();
        if was_listening {
            self.notices.set_listener(None);
            self.wakers.set_listening(false);
        }
        was_listening
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Connects and listens until the connection is lost.
async fn receive_notices(server: &PgConnectOptions, listening: &Listening<'_>) -> Result<(), CatalogError> {
    let server = server.clone().application_name(APPLICATION).disable_statement_logging();
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .acquire_timeout(PATIENCE)
        .connect_with(server)
        .await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.ignore_pool_close_event(true);
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    let own = sqlx::query("SELECT pg_backend_pid() FROM pg_notify($1, '0')");
    let own: i32 = own.bind(CHANNEL).fetch_one(&mut listener).await?.try_get(0)?;
    // Check that a notice arrives: none does through a proxy that pools connections by transaction.
    timeout(PATIENCE, first_from(&mut listener, own)).await.map_err(|_| silent())??;
    listening.start(own);
    tracing::info!("listening for notifications from other nodes");
    let mut is_checking = false;
    loop {
        // The future is polled to its end, since dropping it could lose a notice that is half read.
        let next = listener.try_recv();
        tokio::pin!(next);
        let notice = loop {
            let wait = if is_checking { PATIENCE } else { SILENCE };
            tokio::select! {
                notice = &mut next => break notice?,
                () = sleep(wait) => {}
            }
            if is_checking {
                return Err(silent());
            }
            is_checking = true;
            timeout(PATIENCE, listening.notices.ping()).await.map_err(|_| silent())??;
        };
        is_checking = false;
        let Some(notice) = notice else {
            return Err(silent());
        };
        read(notice.payload(), own).into_iter().for_each(|kind| listening.wakers.wake_for_others(kind));
    }
}

async fn first_from(listener: &mut PgListener, own: i32) -> Result<(), CatalogError> {
    while let Some(notice) = listener.try_recv().await? {
        if i64::from(notice.process_id()) == i64::from(own) {
            return Ok(());
        }
    }
    Err(silent())
}

fn silent() -> CatalogError {
    CatalogError::Unavailable("notifications from the server do not arrive".into())
}
