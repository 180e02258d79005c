//! The times of backups, which also serve as their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tonearm_domain::Timestamp;

/// The time of a backup, which is its name: `20300131T235959.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackupTime(Timestamp);

/// Text that is not the name of a backup.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be the time of a backup, such as 20300131T235959.000Z")]
pub struct BackupTimeError;

impl BackupTime {
    pub(super) fn new(at: Timestamp) -> Self {
        Self(at)
    }

    /// The time.
    pub fn at(self) -> Timestamp {
        self.0
    }
}

impl fmt::Display for BackupTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replace(['-', ':'], ""))
    }
}

impl FromStr for BackupTime {
    type Err = BackupTimeError;

    fn from_str(text: &str) -> Result<Self, BackupTimeError> {
        if !text.is_ascii() || text.len() < 15 {
            return Err(BackupTimeError);
        }
        let (date, time) = text.split_at(8);
        let parts =
            (date.get(..4), date.get(4..6), date.get(6..), time.get(..3), time.get(3..5), time.get(5..));
        let (Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(rest)) = parts else {
            return Err(BackupTimeError);
        };
        let at = format!("{year}-{month}-{day}{hour}:{minute}:{rest}");
        let time = Self(at.parse().map_err(|_| BackupTimeError)?);
        // Each time has only one spelling.
        if time.to_string() == text { Ok(time) } else { Err(BackupTimeError) }
    }
}

impl TryFrom<String> for BackupTime {
    type Error = BackupTimeError;
    fn try_from(text: String) -> Result<Self, BackupTimeError> {
        text.parse()
    }
}

impl From<BackupTime> for String {
    fn from(time: BackupTime) -> String {
        time.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_names() {
        let time: BackupTime = "20300131T235959.123Z".parse().unwrap();
        assert_eq!(time.to_string(), "20300131T235959.123Z");
        for bad in ["", "2030", "2030-01-31T23:59:59.123Z", "20301331T235959.123Z", "20300131T235959Zä"] {
            assert_eq!(bad.parse::<BackupTime>(), Err(BackupTimeError), "{bad}");
        }
    }
}
