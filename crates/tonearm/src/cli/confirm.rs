//! Asks for confirmation at the terminal before an action that cannot be undone.

use std::io::IsTerminal;

use super::{Failure, print};

/// Asks a question, and returns an error unless the answer is yes. Without a terminal, the error says to add `--yes`
/// `to` do it. If the answer is no, it says that nothing was `done`.
pub(super) fn confirm(question: &str, to: &str, done: &str) -> Result<(), Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::Usage(format!("cannot ask without a terminal; add --yes to {to}")));
    }
    print::out!("{question} [y/N] ");
    print::flush();
    let mut answer = String::new();
    stdin.read_line(&mut answer).map_err(Failure::failed)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::failed(format!("nothing was {done}"))),
    }
}
