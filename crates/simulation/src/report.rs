//! Tables of the results of simulations.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::purpose::Purpose;
use crate::result::Outcome;

/// The results of simulations as tables, side by side.
pub fn tables(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    row(&mut text, "statements a second", outcomes, Outcome::name);
    for purpose in Purpose::ALL {
        if outcomes.iter().any(|outcome| outcome.statements(purpose) > 0) {
            row(&mut text, purpose.name(), outcomes, |outcome| rate(outcome.rate(purpose)));
        }
    }
    row(&mut text, "all", outcomes, |outcome| rate(outcome.total_rate()));
    row(&mut text, "most in one second", outcomes, |outcome| outcome.peak().to_string());
    text.push('\n');
    row(&mut text, "requests to the store a second", outcomes, Outcome::name);
    let kinds: BTreeSet<&str> = outcomes.iter().flat_map(|it| it.requests().map(|(kind, _)| kind)).collect();
    for kind in kinds {
        row(&mut text, kind, outcomes, |outcome| rate(outcome.request_rate(kind)));
    }
    text.push('\n');
    row(&mut text, "work", outcomes, Outcome::name);
    row(&mut text, "nodes without a database", outcomes, |outcome| outcome.settings.edges.to_string());
    row(&mut text, "plays", outcomes, |outcome| outcome.plays.to_string());
    row(&mut text, "failed plays", outcomes, |outcome| outcome.failed_plays.to_string());
    row(&mut text, "jobs queued", outcomes, |outcome| outcome.jobs.queued.to_string());
    row(&mut text, "runs of jobs", outcomes, |outcome| outcome.jobs.runs.to_string());
    row(&mut text, "median wait of jobs, s", outcomes, |outcome| rate(outcome.wait(0.5)));
    row(&mut text, "longest wait of jobs, s", outcomes, |outcome| rate(outcome.wait(1.0)));
    row(&mut text, "all jobs ended after, s", outcomes, |outcome| rate(outcome.settled_after.as_secs_f64()));
    row(&mut text, "steps past a waiting statement", outcomes, |outcome| outcome.impatient_steps.to_string());
    row(&mut text, "real time, s", outcomes, |outcome| rate(outcome.took.as_secs_f64()));
    text
}

/// The statements that were run, each with the number of runs.
pub fn statements(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        writeln!(text, "\n{}", outcome.name()).expect("text grows");
        for (purpose, sql, count) in outcome.texts() {
            writeln!(text, "{:<24}{count:>8}  {sql}", purpose.name()).expect("text grows");
        }
    }
    text
}

fn row(text: &mut String, name: &str, outcomes: &[Outcome], cell: impl Fn(&Outcome) -> String) {
    write!(text, "{name:<32}").expect("text grows");
    for outcome in outcomes {
        write!(text, "{:>12}", cell(outcome)).expect("text grows");
    }
    text.push('\n');
}

fn rate(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
