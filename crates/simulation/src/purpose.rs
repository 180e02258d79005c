//! The purposes of statements.

use serde::Serialize;

/// The purpose of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Claims of jobs.
    Claims,
    /// Queries for the time when the next job is due.
    Polling,
    /// Queries for expired leases, for jobs of earlier versions, and for outages that have ended.
    Upkeep,
    /// Queries for webhook deliveries to send.
    Webhooks,
    /// Notices to other nodes, and the connections that listen for them.
    Notices,
    /// Renewals of leases.
    Leases,
    /// Queueing jobs, and recording their beginning and end.
    Jobs,
    /// Heartbeats, including the query for the server's clock.
    Heartbeats,
    /// Which node does the tasks that are done once for all nodes.
    ScheduledTasks,
    /// Which signing keys are live.
    KeyLists,
    /// Counts of what was played.
    Usage,
    /// New play sessions.
    Sessions,
    /// Queries that fill the caches of the play path.
    CacheRefills,
    /// New connections, and the start of nodes.
    Connections,
    /// Anything else.
    Other,
}

impl Purpose {
    /// Every purpose, in the order of the tables.
    pub const ALL: [Self; 15] = [
        Self::Claims,
        Self::Polling,
        Self::Upkeep,
        Self::Webhooks,
        Self::Notices,
        Self::Leases,
        Self::Jobs,
        Self::Heartbeats,
        Self::ScheduledTasks,
        Self::KeyLists,
        Self::Usage,
        Self::Sessions,
        Self::CacheRefills,
        Self::Connections,
        Self::Other,
    ];

    /// The name of the purpose in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Polling => "queries for due jobs",
            Self::Upkeep => "ended leases, outages",
            Self::Webhooks => "webhook polling",
            Self::Notices => "notices",
            Self::Leases => "renewed leases",
            Self::Jobs => "jobs",
            Self::Heartbeats => "heartbeats",
            Self::ScheduledTasks => "scheduled tasks",
            Self::KeyLists => "key lists",
            Self::Usage => "usage",
            Self::Sessions => "play sessions",
            Self::CacheRefills => "cache refills",
            Self::Connections => "connections",
            Self::Other => "other",
        }
    }

    /// The purpose of a statement. `None` for statements that begin or end a transaction: they count for the purpose of
    /// the statements in between.
    pub(crate) fn of(sql: &str) -> Option<Self> {
        if ["BEGIN", "COMMIT", "ROLLBACK"].iter().any(|word| sql.starts_with(word)) {
            return None;
        }
        let is_there = |words: &&(&[&str], Self)| words.0.iter().all(|word| sql.contains(word));
        Some(STATEMENTS.iter().find(is_there).map_or(Self::Other, |(_, purpose)| *purpose))
    }
}

/// Strings that a statement must contain for a purpose. The first match counts.
const STATEMENTS: &[(&[&str], Purpose)] = &[
    (&["pg_notify"], Purpose::Notices),
    (&["LISTEN"], Purpose::Notices),
    (&["SET statement_timeout"], Purpose::Connections),
    (&["SET \"application_name\""], Purpose::Connections),
    (&["schema_step"], Purpose::Connections),
    (&["seaql_migrations"], Purpose::Connections),
    (&["information_schema"], Purpose::Connections),
    (&["audit_entry"], Purpose::Other),
    (&["\"scheduled_task\""], Purpose::ScheduledTasks),
    (&["clock_timestamp"], Purpose::Heartbeats),
    (&["\"node\""], Purpose::Heartbeats),
    (&["\"signing_key\""], Purpose::KeyLists),
    (&["master_secret"], Purpose::Other),
    (&["FROM \"organization\""], Purpose::CacheRefills),
    (&["\"webhook"], Purpose::Webhooks),
    (&["INSERT INTO \"job\""], Purpose::Jobs),
    (&["DELETE FROM \"job\""], Purpose::Jobs),
    (&["\"job\"", "RECURSIVE"], Purpose::Claims),
    (&["\"job\"", "ORDER BY \"run_at\""], Purpose::Polling),
    (&["UPDATE \"job\" SET \"leased_until\""], Purpose::Leases),
    (&["UPDATE \"job\" SET \"trial_until\""], Purpose::Jobs),
    (&["\"job\""], Purpose::Upkeep),
    (&["usage"], Purpose::Usage),
    (&["listen"], Purpose::Usage),
    (&["INSERT INTO \"play_session\""], Purpose::Sessions),
    (&["\"play_session\""], Purpose::CacheRefills),
    (&["\"api_key\""], Purpose::CacheRefills),
    (&["\"track\""], Purpose::CacheRefills),
    (&["\"track_file\""], Purpose::CacheRefills),
    (&["\"collection\""], Purpose::CacheRefills),
    (&["\"variant\""], Purpose::CacheRefills),
];
