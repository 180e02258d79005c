//! The command line. `serve` runs the service. The commands in `configured` work on its catalog directly; `upload`,
//! `import_feed` and `mcp` are clients of a running service.

mod audit;
mod backup;
mod backup_target;
mod bulk;
mod bytes;
mod completions;
mod configured;
mod confirm;
mod demo;
mod doctor;
#[cfg(test)]
mod documented;
mod failure;
mod health;
mod import_bucket;
mod import_feed;
mod job;
mod key;
mod man;
mod mcp;
mod migrate;
mod org;
mod person;
mod print;
mod privacy;
mod recipe;
mod restore;
mod secret;
mod serve;
mod signing_key;
mod status;
mod store;
mod sweep;
mod table;
mod track;
mod transcription;
mod upload;
mod usage;
mod verify;
mod webhook;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use tonearm_server::log;
use tonearm_server::traces::{self, TraceExport};

use self::configured::ConfiguredCommand;
use self::failure::Failure;
use crate::config::EXAMPLE;
use crate::{Config, Overrides, ambient, opening, service_manager};

/// Audio delivery service: stores audio files and delivers streams, previews, waveforms and covers.
#[derive(Debug, Parser)]
#[command(name = "tonearm", version, arg_required_else_help = true)]
struct Cli {
    /// Configuration file [default: tonearm.toml in the data folder, if it exists; without a data folder,
    /// /etc/tonearm/tonearm.toml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder for all data [default: data]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service
    Serve(serve::Args),
    #[command(flatten)]
    Configured(ConfiguredCommand),
    /// Upload files and folders to a collection of a running service
    ///
    /// Files whose content the collection already has are skipped. To resume an interrupted upload, run the same command
    /// again, even after a restart of this computer.
    Upload(upload::Args),
    /// Import a podcast's feed into a collection of a running service
    ///
    /// Each episode becomes a track, whose file the service fetches. Run the same command again to import new episodes;
    /// existing ones are recognized by their guid.
    ImportFeed(import_feed::Args),
    /// Give AI assistants access to a running service through the Model Context Protocol (MCP)
    ///
    /// Without --http, it uses standard input and output, and the API key in TONEARM_API_KEY. With --http, each caller
    /// sends its own API key. The tools can do only what the key permits.
    Mcp(mcp::Args),
    /// Print a commented configuration file with all defaults
    Config,
    /// Print the OpenAPI 3.1 description of the API, which the service also serves at /openapi.json
    Openapi,
    /// Print a shell completion script
    Completions(completions::Args),
    /// Write manual pages to a folder
    Man(man::Args),
}

/// The log filter of the service, unless the configuration sets one.
const SERVICE_LOG: &str = "info,sqlx=warn";

/// The log filter of a command, which prints its results itself.
const COMMAND_LOG: &str = "warn";

/// How long a command waits at its end for threads that still block, for example in the lookup of a host name.
const BLOCKED_THREADS: Duration = Duration::from_secs(2);

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    tonearm_media::serve_if_confined();
    do_without_core_dumps();
    do_without_huge_pages();
    let cli = Cli::try_parse().unwrap_or_else(|error| print::explain(&error));
    run(cli).map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

/// Prevents core dumps, which would contain keys, and attaching a debugger without being root.
fn do_without_core_dumps() {
    use rustix::process::DumpableBehavior::NotDumpable;
    if let Err(error) = rustix::process::set_dumpable_behavior(NotDumpable) {
        print::complain(format_args!("could not prevent core dumps: {error}"));
    }
}

/// Disables transparent huge pages. With them, the allocator gets whole huge pages but needs only a part of each, and
/// an idle service occupies a third more memory (docs/benchmarks.md). Kernels without huge pages return an error, which
/// is ignored.
fn do_without_huge_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn run(cli: Cli) -> Result<(), Failure> {
    let overrides = Overrides { config: cli.config, data_dir: cli.data_dir, ..Overrides::default() };
    match cli.command {
        Command::Serve(args) => serve(args, overrides),
        Command::Configured(command) => run_configured(command, &overrides),
        Command::Upload(args) => run_client(upload::run(args)),
        Command::ImportFeed(args) => run_client(import_feed::run(args)),
        Command::Mcp(args) => run_client(mcp::run(args)),
        Command::Completions(args) => {
            completions::run(&args);
            Ok(())
        }
        Command::Man(args) => man::run(&args),
        Command::Config => {
            print::out!("{EXAMPLE}");
            Ok(())
        }
        Command::Openapi => {
            print::document(&tonearm_api::document());
            Ok(())
        }
    }
}

fn serve(args: serve::Args, mut overrides: Overrides) -> Result<(), Failure> {
    args.apply(&mut overrides);
    // This must happen before anything else opens a file.
    let socket = service_manager::inherited_socket().map_err(Failure::failed)?;
    let config = load(&overrides)?;
    let instance = format!("{}:{}", opening::machine_name(), config.listen.port());
    let traces = traces::set_up(&config.traces, instance).map_err(Failure::Usage)?;
    let (tracer, export) = traces.unzip();
    let filter = config.log_filter.as_deref().unwrap_or(SERVICE_LOG);
    log::start(filter, config.log_json, tracer).map_err(Failure::Usage)?;
    block_on(async {
        let export = export.map(TraceExport::start);
        let served = Box::pin(serve::run(&config, ambient::system(), args, socket)).await;
        if let Some(export) = export {
            export.finish().await;
        }
        served
    })
}

fn run_configured(command: ConfiguredCommand, overrides: &Overrides) -> Result<(), Failure> {
    let config = load(overrides)?;
    let filter = config.log_filter.as_deref().unwrap_or(COMMAND_LOG);
    log::start(filter, config.log_json, None).map_err(Failure::Usage)?;
    block_on(command.run(&config, &ambient::system()))
}

/// Runs a client of a running service, which has no configuration of its own.
fn run_client(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    log::start(COMMAND_LOG, false, None).map_err(Failure::Usage)?;
    block_on(work)
}

fn load(overrides: &Overrides) -> Result<Config, Failure> {
    Ok(Config::load(overrides, |name| std::env::var(name).ok())?)
}

/// Runs a command to its end on a runtime of its own.
fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::failed)?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(BLOCKED_THREADS);
    done
}

#[cfg(test)]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior, set_dumpable_behavior};

    use super::*;

    #[test]
    fn there_are_no_core_dumps() {
        set_dumpable_behavior(DumpableBehavior::Dumpable).unwrap();
        do_without_core_dumps();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
