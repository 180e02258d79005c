//! The progress output of a command, on standard error: bars on a terminal, otherwise plain lines.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::text::shown_text;
use crate::cli::print;

/// Standard error, which is a terminal or is redirected to a file.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Screen {
    bars: MultiProgress,
    is_terminal: bool,
    is_quiet: bool,
}

impl Screen {
    /// A quiet screen shows only warnings. It is used with JSON output.
    pub(in crate::cli) fn new(is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal() && !is_quiet;
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bars: MultiProgress::with_draw_target(target), is_terminal, is_quiet }
    }

    /// Prints a line that stays on the screen.
    pub(in crate::cli) fn line(&self, line: &str) {
        if self.is_terminal {
            // A terminal that was closed must not stop the command.
            drop(self.bars.println(line));
        } else if !self.is_quiet {
            print::complain(format_args!("{line}"));
        }
    }

    /// Prints a warning about a problem that is not a failure.
    pub(in crate::cli) fn warn(&self, warning: &str) {
        let line = format!("Warning: {warning}");
        if self.is_quiet { print::complain(format_args!("{line}")) } else { self.line(&line) }
    }

    /// Prints a line about an item that succeeded, unless bars show it.
    pub(in crate::cli) fn detail(&self, line: &str) {
        if !self.is_terminal {
            self.line(line);
        }
    }

    /// Adds a bar for the bytes of one file, above the bar for the total.
    pub(in crate::cli) fn file(&self, verb: &'static str, name: &str, bytes: u64) -> ProgressBar {
        let template = "{prefix:9} {wide_msg} {bar:20} {decimal_bytes:>10}/{decimal_total_bytes:10} {decimal_bytes_per_sec:>12} {eta:>4}";
        let bar = ProgressBar::new(bytes).with_style(style(template)).with_prefix(verb);
        let bar = self.bars.insert_from_back(1, bar);
        bar.set_message(shown_text(name));
        bar
    }

    /// Adds the bar for the total, below all others.
    pub(in crate::cli) fn total(&self, template: &str, length: u64) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new(length).with_style(style(template)));
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }

    /// Removes all bars.
    pub(in crate::cli) fn clear(&self) {
        drop(self.bars.clear());
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
