//! Runs a cluster whose parts fail, and reports whether anything was lost, leaked or stuck.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use tonearm_cluster::{
    Bucket, ClusterSettings, DiskSettings, Report, on_small_disk, run_cluster, run_on_disk,
};

/// Size of the disk that fills up, in MiB.
const DISK_MEBIBYTES: u32 = 512;

/// Upload to a cluster while its parts fail, and check whether anything was lost
#[derive(Debug, Parser)]
#[command(name = "tonearm-cluster")]
struct Args {
    /// The program under test
    #[arg(long, value_name = "FILE", default_value = "target/release/tonearm")]
    binary: PathBuf,
    /// Folder in which moto is installed and logs are written
    #[arg(long, value_name = "DIR", default_value = "target")]
    target: PathBuf,
    /// Total number of uploads
    #[arg(long, default_value_t = 10_000)]
    uploads: usize,
    /// Duration in seconds of one outage of the database and one of the bucket
    #[arg(long, default_value_t = 600)]
    outage: u64,
    /// Number of nodes
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// Number of other faults [default: one for every 50 uploads]
    #[arg(long)]
    faults: Option<usize>,
    /// Seed for all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Test one node with SQLite and a local folder, on a disk that fills up
    #[arg(long)]
    disk: bool,
    /// Mount point of the disk, in the process that runs on it
    #[arg(long, hide = true)]
    mounted: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if args.disk && args.mounted.is_none() {
        return run_self_on_disk();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(run(&args))?;
    print!("{report}");
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run(args: &Args) -> Result<Report> {
    let binary = std::path::absolute(&args.binary)?;
    if let Some(disk) = &args.mounted {
        let settings = DiskSettings {
            binary,
            disk: disk.clone(),
            uploads: args.uploads,
            rounds: (args.uploads / 100).clamp(2, 20),
            full_for: Duration::from_secs(args.outage),
            seed: args.seed,
            settle: Duration::from_secs(600),
        };
        return run_on_disk(&settings).await;
    }
    let settings = ClusterSettings {
        binary,
        target: args.target.clone(),
        uploads: args.uploads,
        outage: Duration::from_secs(args.outage),
        nodes: args.nodes,
        lease: Duration::from_secs(10),
        faults: Some(args.faults.unwrap_or((args.uploads / 50).max(6))),
        seed: args.seed,
        bucket: Bucket::Moto,
        // A job that failed during an outage may wait up to a quarter of an hour for its retry.
        settle: Duration::from_secs(1200),
    };
    run_cluster(&settings).await
}

/// Runs this program again with the same arguments, on a small disk.
fn run_self_on_disk() -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    arguments.extend(["--mounted".into(), folder.path().as_os_str().to_owned()]);
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let program = std::env::current_exe()?;
    let mut command = on_small_disk(DISK_MEBIBYTES, folder.path(), &program, &arguments)
        .context("on this system, only root can mount a file system")?;
    let status = command.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
