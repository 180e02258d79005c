//! Outages: failures of the service's own parts. A job that meets an outage waits; an outage never marks a file as
//! failed.

use serde::{Deserialize, Serialize};

/// The part of the service that failed while a job needed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outage {
    /// The object store is unavailable.
    Store,
    /// The object store answers, and lacks the source of the job's track or returns other bytes.
    Source,
    /// The database is unavailable or out of space.
    Database,
    /// A local disk is full or fails.
    Disk,
    /// Out of memory: a process was killed because of it, or could not be started.
    Memory,
    /// ffmpeg or ffprobe is missing, does not start, or lacks a required feature.
    Tools,
    /// A process was killed externally, or got too little CPU time to finish within its limit.
    Overload,
    /// A bug in Tonearm itself.
    Internal,
}

impl Outage {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Store,
        Self::Source,
        Self::Database,
        Self::Disk,
        Self::Memory,
        Self::Tools,
        Self::Overload,
        Self::Internal,
    ];

    /// The kind as text, as in SQL, JSON and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Source => "source",
            Self::Database => "database",
            Self::Disk => "disk",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Overload => "overload",
            Self::Internal => "internal",
        }
    }

    /// What an affected job waits for, as a sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Store => "Waiting for the object store, which is unavailable.",
            Self::Source => {
                "The uploaded file is missing or damaged in the object store. Restore it from a backup, or replace it."
            }
            Self::Database => "Waiting for the database, which is unavailable.",
            Self::Disk => "Waiting for free space on the server's disk.",
            Self::Memory => "Waiting for free memory on the server.",
            Self::Tools => "Waiting for ffmpeg, which does not work on the server.",
            Self::Overload => "Waiting for the server, which is overloaded.",
            Self::Internal => "Waiting to be retried after an internal error.",
        }
    }
}

impl std::fmt::Display for Outage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Outage {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|outage| outage.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for outage in Outage::ALL {
            assert_eq!(outage.as_str().parse(), Ok(outage));
        }
        assert_eq!("weather".parse::<Outage>(), Err(()));
    }
}
