//! What a person sees while a command works: bars at a terminal, else plain lines. All on standard error.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::text::shown_text;
use crate::cli::print;

/// A terminal, or a file that standard error goes to.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Screen {
    bars: MultiProgress,
    is_terminal: bool,
    is_quiet: bool,
}

impl Screen {
    /// A quiet one shows only warnings: somebody reads JSON.
    pub(in crate::cli) fn new(is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal() && !is_quiet;
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bars: MultiProgress::with_draw_target(target), is_terminal, is_quiet }
    }

    /// A line that stays.
    pub(in crate::cli) fn line(&self, line: &str) {
        if self.is_terminal {
            // A terminal that is gone is no reason to stop.
            drop(self.bars.println(line));
        } else if !self.is_quiet {
            print::complain(format_args!("{line}"));
        }
    }

    /// Something that did not go well, and is no failure.
    pub(in crate::cli) fn warn(&self, warning: &str) {
        let line = format!("Warning: {warning}");
        if self.is_quiet { print::complain(format_args!("{line}")) } else { self.line(&line) }
    }

    /// A line about one thing that went well: where there are bars, they tell it.
    pub(in crate::cli) fn detail(&self, line: &str) {
        if !self.is_terminal {
            self.line(line);
        }
    }

    /// A bar for the bytes of one file, above the one for the total.
    pub(in crate::cli) fn file(&self, verb: &'static str, name: &str, bytes: u64) -> ProgressBar {
        let template = "{prefix:9} {wide_msg} {bar:20} {decimal_bytes:>10}/{decimal_total_bytes:10} {decimal_bytes_per_sec:>12} {eta:>4}";
        let bar = ProgressBar::new(bytes).with_style(style(template)).with_prefix(verb);
        let bar = self.bars.insert_from_back(1, bar);
        bar.set_message(shown_text(name));
        bar
    }

    /// The bar for the total, below all others.
    pub(in crate::cli) fn total(&self, template: &str, length: u64) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new(length).with_style(style(template)));
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }

    /// Takes all bars away.
    pub(in crate::cli) fn clear(&self) {
        drop(self.bars.clear());
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
