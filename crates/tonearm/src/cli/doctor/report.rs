//! The findings of the checks, for people and for programs.

use std::fmt::Display;

use serde_json::json;

use crate::cli::print;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    /// The service works, but something should be fixed.
    Warning,
    Failed,
}

/// What a check found, in a sentence that says what to do.
#[derive(Debug)]
pub(super) struct Finding {
    name: &'static str,
    pub(super) verdict: Verdict,
    pub(super) sentence: String,
}

impl Finding {
    pub(super) fn ok(name: &'static str, sentence: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Ok, sentence: sentence.into() }
    }

    pub(super) fn warning(name: &'static str, sentence: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Warning, sentence: sentence.into() }
    }

    pub(super) fn failed(name: &'static str, sentence: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Failed, sentence: sentence.into() }
    }

    /// Something that does not exist before the first start.
    pub(super) fn not_yet(name: &'static str, what: impl Display) -> Self {
        Self::ok(name, format!("{what} will be created on the first start"))
    }

    pub(super) fn of(name: &'static str, found: Result<String, String>) -> Self {
        match found {
            Ok(sentence) => Self::ok(name, sentence),
            Err(sentence) => Self::failed(name, sentence),
        }
    }

    pub(super) fn print(&self, as_json: bool) {
        let Self { name, verdict, sentence } = self;
        if as_json {
            let verdict = match verdict {
                Verdict::Ok => "ok",
                Verdict::Warning => "warning",
                Verdict::Failed => "failed",
            };
            return print::json(&json!({"name": name, "verdict": verdict, "message": sentence}));
        }
        let verdict = match verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warn",
            Verdict::Failed => "FAIL",
        };
        print::outln!("{verdict:4}  {name:11} {sentence}");
    }
}
