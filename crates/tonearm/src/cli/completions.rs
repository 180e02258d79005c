//! `tonearm completions`

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Shell to generate the script for
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tonearm", &mut script);
    std::io::stdout().write_all(&script).map_err(Failure::failed)
}
