//! Where log lines go: standard error, as text for people or as JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts logging; a filter that does not parse is an error in one line.
pub(crate) fn start(filter: &str, json: bool) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("log.filter: {error}"))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = if json { builder.json().try_init() } else { builder.with_target(false).try_init() };
    // Already started, as in tests that run several nodes: the first one's settings stay.
    drop(started);
    Ok(())
}
