//! The commands in the documentation: each is one that this program accepts.

use std::path::{Path, PathBuf};

use clap::Parser as _;

use super::Cli;

/// What pages write in place of an id, and an id of each form.
const PLACEHOLDERS: [&str; 13] = [
    "ORG",
    "ORGANIZATION",
    "$org",
    "$ORG",
    "ID",
    "$id",
    "TRACK",
    "$track",
    "JOB",
    "KEY",
    "$key",
    "$(jq -r .api_key_id key.json)",
    "…",
];
const IDS: [&str; 2] = ["018f0000-0000-7000-8000-000000000001", "k3y0fabcd123"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages for people, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let files =
        walkdir::WalkDir::new(root().join("docs")).into_iter().map(|entry| entry.unwrap().into_path());
    let top = ["README.md", "sdk/python/README.md", "sdk/typescript/README.md"].map(|name| root().join(name));
    files
        .chain(top)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// The lines of blocks for a shell and for cron. Of a `console` block, only what is typed.
fn typed(page: &str) -> Vec<String> {
    let (mut lines, mut block) = (Vec::new(), "");
    for line in page.lines() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("```") {
            // A reason may follow why a `console` block is not run.
            block = name.split(' ').next().unwrap_or_default();
        } else if block == "sh" || block == "cron" {
            lines.push(line.to_owned());
        } else if block == "console"
            && let Some(command) = line.strip_prefix("$ ").or_else(|| line.strip_prefix("# "))
        {
            lines.push(command.to_owned());
        }
    }
    lines
}

/// The words of the first command of this program in a line, as a shell splits them.
fn words(line: &str) -> Option<Vec<String>> {
    let at = line.match_indices("tonearm ").map(|(at, _)| at).find(|at| {
        let before = &line[..*at];
        let is_assigned =
            before.rsplit(' ').find(|word| !word.is_empty()).is_some_and(|word| word.contains('='));
        // In a line for cron, the command comes after its user.
        before.is_empty()
            || before.ends_with("-u tonearm ")
            || before.ends_with("tonearm  ")
            || before.ends_with("$(")
            || is_assigned
    })?;
    let (mut words, mut word, mut quote, mut has_word) = (Vec::new(), String::new(), None, false);
    let mut depth = 0;
    for c in line[at..].chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => (quote, has_word) = (Some(c), true),
            (None, '|' | '#' | '>' | '<' | ';' | '&') => {
                // The number of a redirected stream is no argument.
                has_word &= !(c == '>' && word.bytes().all(|byte| byte.is_ascii_digit()));
                break;
            }
            (None, ')') if depth == 0 => break,
            (None, ' ') => {
                if has_word {
                    words.push(std::mem::take(&mut word));
                }
                has_word = false;
            }
            (_, c) => {
                depth += i32::from(c == '(') - i32::from(c == ')');
                word.push(c);
                has_word = true;
            }
        }
    }
    words.extend(has_word.then_some(word));
    Some(words)
}

#[test]
fn every_command_of_the_documentation_is_accepted() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for (path, page) in pages() {
        for line in typed(&page) {
            let Some(words) = words(&line) else { continue };
            let with = |id: &str| {
                let filled = words.iter().map(|word| match PLACEHOLDERS.contains(&word.as_str()) {
                    true => id.to_owned(),
                    false => word.clone(),
                });
                Cli::try_parse_from(filled).map_or_else(|error| !error.use_stderr(), |_| true)
            };
            checked += 1;
            if !IDS.into_iter().any(with) {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 80, "{checked}: this test is blind");
}
