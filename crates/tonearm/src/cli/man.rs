//! `tonearm man`

use std::path::PathBuf;

use clap::CommandFactory;

use super::{Cli, Failure};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder for the pages, one per command; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let failed = |error| Failure::failed(format!("cannot write to {}: {error}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(failed)
}
