//! The results, as a table or as JSON.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Millions of bytes per second.
    MegabytesPerSecond,
    /// Responses per second.
    RequestsPerSecond,
    /// Milliseconds.
    Milliseconds,
    /// Millions of bytes of memory.
    Megabytes,
    /// Number per minute.
    PerMinute,
    /// Thousands of bytes.
    Kilobytes,
    /// Seconds per hour of sound.
    SecondsPerHour,
    /// SQL statements.
    Statements,
    /// Requests to the store.
    StoreRequests,
}

impl Unit {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "MB/s",
            Self::RequestsPerSecond => "requests/s",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
            Self::PerMinute => "/min",
            Self::Kilobytes => "kB",
            Self::SecondsPerHour => "s per hour of sound",
            Self::Statements => "statements",
            Self::StoreRequests => "requests",
        }
    }
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// Tonearm's figure is at least this many times the reference's.
    AtLeast(f64),
    /// Tonearm's figure is at most this many times the reference's.
    AtMost(f64),
    /// Tonearm's figure itself is at most this, in its unit.
    Within(f64),
}

/// One figure, compared with its reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The benchmark and the property, such as `range: p99`.
    pub(crate) name: String,
    pub(crate) unit: Unit,
    /// Tonearm's figure and the reference's.
    pub(crate) figures: (f64, f64),
    /// The name of the reference.
    pub(crate) reference: &'static str,
    pub(crate) goal: Option<Goal>,
}

impl Row {
    /// Tonearm's figure divided by the reference's.
    fn ratio(&self) -> f64 {
        self.figures.0 / self.figures.1
    }

    fn is_met(&self, goal: Goal) -> bool {
        match goal {
            Goal::AtLeast(times) => self.ratio() >= times,
            Goal::AtMost(times) => self.ratio() <= times,
            Goal::Within(limit) => self.figures.0 <= limit,
        }
    }

    fn cells(&self) -> [String; 5] {
        let unit = self.unit.as_str();
        let goal = self.goal.map(|goal| {
            let aim = match goal {
                Goal::AtLeast(times) => format!("at least {times} ×"),
                Goal::AtMost(times) => format!("at most {times} ×"),
                Goal::Within(limit) => format!("at most {limit} {unit}"),
            };
            format!("{aim}, {}", if self.is_met(goal) { "met" } else { "missed" })
        });
        [
            self.name.clone(),
            format!("{} {unit}", figure(self.figures.0)),
            format!("{} {unit}, {}", figure(self.figures.1), self.reference),
            format!("{:.2} ×", self.ratio()),
            goal.unwrap_or_default(),
        ]
    }

    fn json(&self) -> Value {
        let goal = self.goal.map(|goal| {
            let (kind, value) = match goal {
                Goal::AtLeast(times) => ("ratio_at_least", times),
                Goal::AtMost(times) => ("ratio_at_most", times),
                Goal::Within(limit) => ("at_most", limit),
            };
            json!({ kind: value, "met": self.is_met(goal) })
        });
        json!({
            "name": self.name,
            "unit": self.unit.as_str(),
            "tonearm": self.figures.0,
            "reference": {"name": self.reference, "value": self.figures.1},
            "ratio": self.ratio(),
            "goal": goal,
        })
    }
}

/// Formats a figure with three significant digits, or with all of its integer digits.
fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// All results.
#[derive(Debug)]
pub(crate) struct Report(pub(crate) Vec<Row>);

const HEADINGS: [&str; 5] = ["benchmark", "Tonearm", "reference", "ratio", "goal"];

impl Report {
    /// The names of the rows whose goals are missed.
    pub(crate) fn missed(&self) -> Vec<&str> {
        let is_missed = |row: &&Row| row.goal.is_some_and(|goal| !row.is_met(goal));
        self.0.iter().filter(is_missed).map(|row| row.name.as_str()).collect()
    }

    pub(crate) fn json(&self) -> Value {
        self.0.iter().map(Row::json).collect()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut lines = vec![HEADINGS.join(" | "), "--- | ---: | ---: | ---: | ---".to_owned()];
        lines.extend(self.0.iter().map(|row| row.cells().join(" | ")));
        lines.iter().map(|line| format!("| {line} |\n")).collect()
    }
}

impl Display for Report {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let lines: Vec<[String; 5]> =
            std::iter::once(HEADINGS.map(str::to_owned)).chain(self.0.iter().map(Row::cells)).collect();
        let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 5] = std::array::from_fn(width);
        for [name, tonearm, reference, ratio, goal] in &lines {
            let [a, b, c, d, _] = widths;
            writeln!(to, "{name:a$}  {tonearm:>b$}  {reference:>c$}  {ratio:>d$}  {goal}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(goal: Goal) -> Row {
        Row {
            name: "range: speed".to_owned(),
            unit: Unit::RequestsPerSecond,
            figures: (30_000.4, 40_000.0),
            reference: "nginx",
            goal: Some(goal),
        }
    }

    #[test]
    fn goals_are_about_the_ratio_or_the_figure() {
        for (goal, met) in [
            (Goal::AtLeast(0.7), true),
            (Goal::AtLeast(0.8), false),
            (Goal::AtMost(0.8), true),
            (Goal::AtMost(0.7), false),
            (Goal::Within(30_001.0), true),
            (Goal::Within(30_000.0), false),
        ] {
            assert_eq!(row(goal).is_met(goal), met, "{goal:?}");
        }
    }

    #[test]
    fn figures_are_as_exact_as_they_are_small() {
        assert_eq!([30_000.4, 23.45, 1.234].map(figure), ["30000", "23.4", "1.23"]);
    }

    #[test]
    fn tables_have_all_columns() {
        let report = Report(vec![row(Goal::AtLeast(0.8))]);
        assert_eq!(
            report.markdown().lines().last(),
            Some(
                "| range: speed | 30000 requests/s | 40000 requests/s, nginx | 0.75 × | at least 0.8 ×, missed |"
            )
        );
        assert_eq!(report.json()[0]["goal"], json!({"ratio_at_least": 0.8, "met": false}));
        assert_eq!(report.to_string().lines().count(), 2);
        assert_eq!(report.missed(), ["range: speed"]);
        assert!(
            Report(vec![row(Goal::AtLeast(0.7)), Row { goal: None, ..row(Goal::AtLeast(0.8)) }])
                .missed()
                .is_empty()
        );
    }
}
