//! A bar chart as SVG, drawn from numbers alone.

use askama::Template;

use crate::waveform;

const WIDTH: u32 = 440;
const HEIGHT: u32 = 180;
const LEFT: u32 = 46;
const BOTTOM: u32 = 22;
const MOST_LABELS: usize = 4;

/// A bar to draw.
pub(super) struct Bar {
    /// What it stands for, such as a day.
    pub(super) label: String,
    /// Its height.
    pub(super) value: u64,
    /// The value, formatted for people.
    pub(super) text: String,
}

#[derive(Template)]
#[template(path = "usage/chart.svg", escape = "html")]
pub(super) struct Chart {
    title: String,
    /// The waveform behind the bars, as the outline of a path; empty for none.
    wave: String,
    bars: Vec<Placed>,
    rules: Vec<Rule>,
    labels: Vec<Label>,
}

struct Placed {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    tooltip: String,
}

struct Rule {
    y: f64,
    label: String,
}

struct Label {
    x: f64,
    text: String,
}

impl Chart {
    /// `format_value` formats a value of the axis for people.
    pub(super) fn new(title: String, bars: Vec<Bar>, format_value: impl Fn(u64) -> String) -> Self {
        let top = nice_top(bars.iter().map(|bar| bar.value).max().unwrap_or(0));
        let (across, high) = (f64::from(WIDTH - LEFT), f64::from(HEIGHT - BOTTOM - 8));
        let slot = across / bars.len().max(1) as f64;
        let height = |value: u64| high * value as f64 / top as f64;
        let base = f64::from(HEIGHT - BOTTOM);
        let rule = |value| Rule { y: rounded(base - height(value)), label: format_value(value) };
        let mut rules = Vec::from([0, top / 2, top].map(rule));
        // Values that are too small for their unit, such as milliseconds in seconds, would be labelled alike.
        rules.dedup_by(|one, other| one.label == other.label);
        let every = bars.len().div_ceil(MOST_LABELS).max(1);
        let labels = bars.iter().enumerate().step_by(every).map(|(at, bar)| Label {
            x: rounded(f64::from(LEFT) + slot * (at as f64 + 0.5)),
            text: bar.label.clone(),
        });
        let labels = labels.collect();
        let gap = (slot * 0.25).min(6.0);
        let bars = bars.into_iter().enumerate().map(|(at, bar)| Placed {
            x: rounded(f64::from(LEFT) + slot * at as f64 + gap / 2.0),
            y: rounded(base - height(bar.value)),
            width: rounded((slot - gap).max(0.5)),
            height: rounded(height(bar.value)),
            tooltip: format!("{}: {}", bar.label, bar.text),
        });
        Self { title, wave: String::new(), bars: bars.collect(), rules, labels }
    }

    /// Draws the waveform of the sound below the bars, each of which covers an equal part of it.
    pub(super) fn along(self, levels: &[f64]) -> Self {
        Self { wave: waveform::outline(levels), ..self }
    }
}

impl Chart {
    /// The chart as SVG; empty if it cannot be rendered, as the table beside it has the same data.
    pub(super) fn drawn(&self) -> String {
        self.render()
            .inspect_err(|error| tracing::error!(%error, "a chart could not be drawn"))
            .unwrap_or_default()
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The end of the axis: twice 1, 2 or 5 times a power of ten, not below the highest bar.
fn nice_top(highest: u64) -> u64 {
    let mut step = 1_u64;
    loop {
        for factor in [2, 4, 10] {
            let top = step.saturating_mul(factor);
            if top >= highest || top == u64::MAX {
                return top;
            }
        }
        step = step.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_label_of_the_axis_stands_twice() {
        let labels = |heard: u64| {
            let bars = vec![Bar { label: String::new(), value: heard, text: String::new() }];
            let chart = Chart::new(String::new(), bars, crate::amount::duration);
            chart.rules.into_iter().map(|rule| rule.label).collect::<Vec<_>>()
        };
        assert_eq!(labels(0), ["0 s"]);
        assert_eq!(labels(1_500), ["0 s", "1 s", "2 s"]);
    }

    proptest! {
        #[test]
        fn bars_stay_inside(values in proptest::collection::vec(any::<u64>(), 0..400)) {
            let bars = values.iter().map(|value| Bar { label: String::new(), value: *value, text: String::new() });
            let chart = Chart::new(String::new(), bars.collect(), |value| value.to_string());
            for bar in &chart.bars {
                prop_assert!(bar.x >= f64::from(LEFT) && bar.x + bar.width <= f64::from(WIDTH) + 0.2);
                prop_assert!(bar.y >= 0.0 && bar.y + bar.height <= f64::from(HEIGHT - BOTTOM) + 0.2);
            }
            prop_assert!(chart.labels.len() <= MOST_LABELS);
        }

        #[test]
        fn the_axis_reaches_the_highest(highest: u64) {
            let top = nice_top(highest);
            prop_assert!(top >= highest && top >= 2);
            prop_assert!(highest < 10 || top / 5 <= highest);
        }
    }
}
