//! The result of a run.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// How many violations of each kind are printed.
const SHOWN: usize = 10;

/// What happened in a run, and all violations.
#[derive(Debug, Default)]
pub struct Report {
    rows: Vec<(&'static str, String)>,
    violations: Vec<(&'static str, String)>,
}

impl Report {
    pub(crate) fn row(&mut self, name: &'static str, value: impl fmt::Display) {
        self.rows.push((name, value.to_string()));
    }

    pub(crate) fn violation(&mut self, kind: &'static str, what: impl fmt::Display) {
        self.violations.push((kind, what.to_string()));
    }

    /// Whether nothing was lost, leaked or stuck.
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for (name, value) in &self.rows {
            writeln!(f, "{name:28} {value}")?;
        }
        let mut kinds: Vec<&str> = self.violations.iter().map(|(kind, _)| *kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let all: Vec<_> = self.violations.iter().filter(|(of, _)| *of == kind).collect();
            writeln!(f, "\nVIOLATION  {kind}: {}", all.len())?;
            for (_, what) in all.iter().take(SHOWN) {
                writeln!(f, "  {what}")?;
            }
        }
        if self.is_clean() { writeln!(f, "\nNothing was lost, leaked or stuck.") } else { Ok(()) }
    }
}

/// Violations that tasks add to the report while they run, and progress messages.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    violations: Arc<Mutex<Vec<(&'static str, String)>>>,
    begun: Instant,
}

impl Notes {
    pub(crate) fn new() -> Self {
        Self { violations: Arc::default(), begun: Instant::now() }
    }

    pub(crate) fn violation(&self, kind: &'static str, what: impl fmt::Display) {
        self.violations.lock().unwrap().push((kind, what.to_string()));
    }

    pub(crate) fn say(&self, what: impl fmt::Display) {
        println!("{:7.1} s  {what}", self.begun.elapsed().as_secs_f64());
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    pub(crate) fn add_to(&self, report: &mut Report) {
        report.violations.append(&mut self.violations.lock().unwrap());
    }
}
