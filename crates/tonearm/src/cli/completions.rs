//! `tonearm completions`

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, print};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Shell to generate the script for
    shell: Shell,
}

pub(super) fn run(args: &Args) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tonearm", &mut script);
    print::out!("{}", String::from_utf8_lossy(&script));
}
