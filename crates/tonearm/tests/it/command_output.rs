//! What commands print, and the organization that most tests of the program begin with.

use std::process::Output;

use serde_json::Value;
use tonearm_testkit::Program;

/// Everything that a command printed.
pub(crate) fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), errors_of(output))
}

/// What a command printed to standard error.
pub(crate) fn errors_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fails with the output of a command, unless it succeeded.
#[track_caller]
pub(crate) fn succeed(output: &Output) {
    assert!(output.status.success(), "{}", printed(output));
}

/// The JSON that a successful command printed.
#[track_caller]
pub(crate) fn json_of(output: &Output) -> Value {
    succeed(output);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The JSON in the last line that a successful command printed.
#[track_caller]
pub(crate) fn last_json_of(output: &Output) -> Value {
    succeed(output);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap()
}

/// Creates an organization: its `organization_id` and `api_key`.
#[track_caller]
pub(crate) fn create_organization(program: &Program, name: &str) -> Value {
    json_of(&program.run(&["org", "create", "--name", name, "--json"]))
}
