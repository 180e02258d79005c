//! Writing the text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write as _};

use tonearm_telemetry::{FAMILIES, Family};

/// The content type of the text.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The text of the metrics written so far.
pub(super) struct Text(String);

impl Text {
    /// Continues a text that was already written.
    pub(super) fn after(written: String) -> Self {
        Self(written)
    }

    /// Begins a metric, whose samples follow. A metric that [`FAMILIES`] does not list has neither help nor type.
    pub(super) fn family(&mut self, name: &'static str) -> Samples<'_> {
        if let Some(Family { kind, help, .. }) = FAMILIES.iter().find(|family| family.name == name) {
            // A String takes any text.
            let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {}", kind.as_str());
        }
        Samples { text: &mut self.0, name }
    }

    /// A metric with one sample, without labels.
    pub(super) fn single(&mut self, name: &'static str, value: impl Display) {
        self.family(name).sample(&[], value);
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// The samples of one metric.
pub(super) struct Samples<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Samples<'_> {
    /// A sample with these labels.
    pub(super) fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.write("", labels, value);
    }

    /// A histogram without labels: the number of values within each limit, then the number of all values and their sum.
    pub(super) fn histogram(&mut self, limits: &[f64], within: &[u64], count: u64, sum: f64) {
        for (limit, within) in limits.iter().zip(within) {
            self.write("_bucket", &[("le", &limit.to_string())], within);
        }
        self.write("_bucket", &[("le", "+Inf")], count);
        self.write("_sum", &[], sum);
        self.write("_count", &[], count);
    }

    fn write(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let _ = write!(self.text, "{}{suffix}", self.name);
        for (number, (name, label)) in labels.iter().enumerate() {
            let open = if number == 0 { '{' } else { ',' };
            let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.text, "{open}{name}=\"{label}\"");
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{end} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_prometheus_reads_it() {
        let mut text = Text::after("x 1\n".to_owned());
        text.family("tonearm_build_info").sample(&[("version", "a\"b\\c\nd"), ("two", "2")], 1);
        text.family("unlisted").histogram(&[0.001, 1.0], &[1, 2], 3, 0.5);
        let text = text.into_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "x 1");
        assert!(lines[1].starts_with("# HELP tonearm_build_info "), "{text}");
        assert_eq!(lines[2], "# TYPE tonearm_build_info gauge");
        assert_eq!(lines[3], r#"tonearm_build_info{version="a\"b\\c\nd",two="2"} 1"#);
        assert_eq!(
            lines[4..],
            [
                r#"unlisted_bucket{le="0.001"} 1"#,
                r#"unlisted_bucket{le="1"} 2"#,
                r#"unlisted_bucket{le="+Inf"} 3"#,
                "unlisted_sum 0.5",
                "unlisted_count 3",
            ]
        );
    }
}
