//! Whose clock decides when something is due and when a lease ends.

use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use tonearm_domain::{Ambient, Timestamp};

/// What is due within so many milliseconds is told to workers that sleep. Longer than any of them sleeps, so that each
/// finds the rest by itself in time.
const SOON_MILLIS: i64 = 30_000;

/// Whose clock decides when jobs and webhooks are due and when leases end.
#[derive(Debug, Clone, Default)]
pub enum DueClock {
    /// The caller's: moments are taken as they are passed. For SQLite, whose processes share one machine and so one
    /// clock, and for tests that set the time by hand.
    #[default]
    Caller,
    /// The PostgreSQL server's, so that nodes whose clocks differ agree. The caller's clock is the one given here: a
    /// moment of it that is so far from its present is as far from the server's present.
    Server(Ambient),
}

impl DueClock {
    /// The server's clock, unless time is set by hand.
    pub fn for_node(ambient: &Ambient) -> Self {
        if ambient.is_time_set_by_hand() { Self::Caller } else { Self::Server(ambient.clone()) }
    }

    /// Whether a moment is so near that it has to be told of. A clock that is set by hand says nothing of that.
    pub(crate) fn is_soon(&self, moment: Timestamp) -> bool {
        match self {
            Self::Caller => true,
            Self::Server(node) => moment.unix_millis() - node.now().unix_millis() <= SOON_MILLIS,
        }
    }

    /// A moment of the caller's clock, as SQL, by the clock that decides.
    pub(crate) fn at(&self, moment: Timestamp) -> SimpleExpr {
        match self {
            Self::Caller => Expr::value(moment.unix_millis()),
            Self::Server(node) => server_now().add(moment.unix_millis() - node.now().unix_millis()),
        }
    }

    /// The present, as SQL, by the clock that decides. `now` is the present by the caller's clock.
    pub(crate) fn now(&self, now: Timestamp) -> SimpleExpr {
        match self {
            Self::Caller => Expr::value(now.unix_millis()),
            Self::Server(_) => server_now(),
        }
    }

    /// The same as text.
    pub(crate) fn now_text(&self, now: Timestamp) -> String {
        match self {
            Self::Caller => now.unix_millis().to_string(),
            Self::Server(_) => SERVER_NOW.to_owned(),
        }
    }
}

const SERVER_NOW: &str = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)";

/// When the statement began. Unlike `now()` it moves within a transaction, and unlike `clock_timestamp()` it stands
/// still within a statement, so that it can be looked up in an index.
fn server_now() -> SimpleExpr {
    Expr::cust(SERVER_NOW)
}
