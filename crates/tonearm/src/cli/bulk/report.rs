//! The outcome of each item, and the summary of all items.

use serde_json::{Map, Value, json};

use super::screen::Screen;
use crate::cli::{Failure, print};

/// Maximum number of failures that are listed again at the end.
const MOST_LISTED: usize = 1000;

/// The outcome of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Outcome {
    Uploaded,
    Imported,
    Updated,
    /// It already exists.
    Present,
    /// The same bytes are uploaded under another path.
    Duplicate,
    /// It was skipped, which is not an error.
    Skipped,
    Failed,
    /// It was not started, or not finished.
    Stopped,
    /// It would be uploaded; only in a dry run, like the next two.
    WouldUpload,
    WouldImport,
    WouldUpdate,
}

impl Outcome {
    const ALL: [Self; 11] = [
        Self::Uploaded,
        Self::Imported,
        Self::Updated,
        Self::WouldUpload,
        Self::WouldImport,
        Self::WouldUpdate,
        Self::Present,
        Self::Duplicate,
        Self::Skipped,
        Self::Failed,
        Self::Stopped,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Uploaded => "uploaded",
            Self::Imported => "imported",
            Self::Updated => "updated",
            Self::Present => "present",
            Self::Duplicate => "duplicate",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::WouldUpload => "would_upload",
            Self::WouldImport => "would_import",
            Self::WouldUpdate => "would_update",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Present => "already there",
            Self::Stopped => "not done",
            Self::WouldUpload => "to upload",
            Self::WouldImport => "to import",
            Self::WouldUpdate => "to update",
            other => other.code(),
        }
    }
}

/// One item and its outcome.
#[derive(Debug, Clone)]
pub(in crate::cli) struct ReportEntry {
    pub(in crate::cli) outcome: Outcome,
    /// The name shown to people, safe to print to a terminal.
    pub(in crate::cli) name: String,
    /// Why it failed or was skipped.
    pub(in crate::cli) reason: Option<String>,
    /// Fields of the JSON output.
    pub(in crate::cli) fields: Map<String, Value>,
}

impl ReportEntry {
    pub(in crate::cli) fn new(outcome: Outcome, name: String) -> Self {
        Self { outcome, name, reason: None, fields: Map::new() }
    }

    pub(in crate::cli) fn with_reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    pub(in crate::cli) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(field.to_owned(), value.into());
        self
    }
}

/// The outcomes of all items so far.
#[derive(Debug)]
pub(in crate::cli) struct Report {
    screen: Screen,
    is_json: bool,
    counts: [u64; Outcome::ALL.len()],
    failures: Vec<String>,
}

impl Report {
    pub(in crate::cli) fn new(screen: Screen, is_json: bool) -> Self {
        Self { screen, is_json, counts: [0; Outcome::ALL.len()], failures: Vec::new() }
    }

    /// Adds an item and prints it immediately.
    pub(in crate::cli) fn add(&mut self, entry: ReportEntry) {
        if let Some(place) = Outcome::ALL.iter().position(|outcome| *outcome == entry.outcome) {
            self.counts[place] += 1;
        }
        let reason = entry.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let line = format!("{:13} {}{reason}", entry.outcome.words(), entry.name);
        if self.is_json {
            let mut fields = entry.fields;
            fields.insert("result".to_owned(), entry.outcome.code().into());
            if let Some(reason) = entry.reason {
                fields.insert("reason".to_owned(), reason.into());
            }
            print::json(&Value::Object(fields));
        } else if entry.outcome == Outcome::Failed {
            self.screen.line(&line);
        } else if entry.outcome != Outcome::Stopped {
            // Stopped items are not printed, because there may be very many of them.
            self.screen.detail(&line);
        }
        if entry.outcome == Outcome::Failed && self.failures.len() < MOST_LISTED {
            self.failures.push(format!("{}{reason}", entry.name));
        }
    }

    pub(in crate::cli) fn count(&self, outcome: Outcome) -> u64 {
        Outcome::ALL.iter().position(|other| *other == outcome).map_or(0, |place| self.counts[place])
    }

    /// Prints the summary. Returns an error if the run was stopped or if any item failed or was not done. `details` are
    /// added to the JSON output.
    pub(in crate::cli) fn finish(
        &self,
        noun: &str,
        stopped: Option<&str>,
        details: Map<String, Value>,
    ) -> Result<(), Failure> {
        self.screen.clear();
        let counted = || Outcome::ALL.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        if self.is_json {
            let mut summary = details;
            Outcome::ALL.iter().zip(self.counts).for_each(|(outcome, count)| {
                summary.insert(outcome.code().to_owned(), count.into());
            });
            summary.insert("stopped_because".to_owned(), stopped.into());
            print::json(&json!({ "summary": summary }));
        } else {
            let parts: Vec<String> =
                counted().map(|(outcome, count)| format!("{count} {}", outcome.words())).collect();
            match parts.is_empty() {
                true => print::outln!("There are no {noun}."),
                false => print::outln!("{}", parts.join(", ")),
            }
            self.list_failures();
        }
        let undone = self.count(Outcome::Failed) + self.count(Outcome::Stopped);
        match (stopped, undone) {
            (Some(reason), _) => Err(Failure::Failed(reason.to_owned())),
            (None, 0) => Ok(()),
            (None, 1) => Err(Failure::Failed(format!("one of the {noun} failed or was not done; see above"))),
            (None, n) => {
                Err(Failure::Failed(format!("{n} of the {noun} failed or were not done; see above")))
            }
        }
    }

    fn list_failures(&self) {
        for failure in &self.failures {
            print::outln!("  failed: {failure}");
        }
        let more = self.count(Outcome::Failed) - self.failures.len() as u64;
        if more > 0 {
            print::outln!("  and {more} more");
        }
    }
}
