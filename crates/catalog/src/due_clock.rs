//! The clock that decides when something is due and when a lease ends.

use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use tonearm_domain::{Ambient, Timestamp};

/// Sleeping workers are woken for work that is due within this many milliseconds. It is longer than any worker sleeps,
/// so their own polls find all other work in time.
const SOON_MILLIS: i64 = 30_000;

/// The clock that decides when jobs and webhooks are due and when leases end.
#[derive(Debug, Clone, Default)]
pub enum DueClock {
    /// The caller's clock: times are used as they are passed. For SQLite, whose processes share one machine and
    /// therefore one clock, and for tests that set the time by hand.
    #[default]
    Caller,
    /// The PostgreSQL server's clock, so that nodes whose clocks differ agree. The field is the caller's clock: a time
    /// is converted by adding its distance from the caller's current time to the server's current time.
    Server(Ambient),
}

impl DueClock {
    /// The server's clock, or the caller's if time is set by hand.
    pub fn for_node(ambient: &Ambient) -> Self {
        if ambient.is_time_set_by_hand() { Self::Caller } else { Self::Server(ambient.clone()) }
    }

    /// Whether a time is so near that workers must be woken for it. Always `true` for the caller's clock, which may be
    /// set by hand.
    pub(crate) fn is_soon(&self, moment: Timestamp) -> bool {
        match self {
            Self::Caller => true,
            Self::Server(node) => moment.unix_millis() - node.now().unix_millis() <= SOON_MILLIS,
        }
    }

    /// Converts a time of the caller's clock to the deciding clock, as SQL.
    pub(crate) fn at(&self, moment: Timestamp) -> SimpleExpr {
        match self {
            Self::Caller => Expr::value(moment.unix_millis()),
            Self::Server(node) => server_now().add(moment.unix_millis() - node.now().unix_millis()),
        }
    }

    /// The current time of the deciding clock, as SQL. `now` is the current time of the caller's clock.
    pub(crate) fn now(&self, now: Timestamp) -> SimpleExpr {
        match self {
            Self::Caller => Expr::value(now.unix_millis()),
            Self::Server(_) => server_now(),
        }
    }

    /// Like [`DueClock::now`], as SQL text.
    pub(crate) fn now_text(&self, now: Timestamp) -> String {
        match self {
            Self::Caller => now.unix_millis().to_string(),
            Self::Server(_) => SERVER_NOW.to_owned(),
        }
    }
}

const SERVER_NOW: &str = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)";

/// The time at which the statement began. Unlike `now()` it advances within a transaction, and unlike
/// `clock_timestamp()` it is constant within a statement, so that it can be used for an index lookup.
fn server_now() -> SimpleExpr {
    Expr::cust(SERVER_NOW)
}
