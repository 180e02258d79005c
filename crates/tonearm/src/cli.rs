//! The command line. Commands work on the catalog directly, beside a running server or without one. Those in `upload`,
//! `import_feed` and `mcp` are clients of a running service.

mod audit;
mod backup;
mod backup_target;
mod bulk;
mod completions;
mod confirm;
mod demo;
mod doctor;
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
mod rate;
mod recipe;
mod restore;
mod secret;
mod serve;
mod signing_key;
mod status;
mod store;
mod sweep;
mod track;
mod transcription;
mod upload;
mod usage;
mod verify;
mod webhook;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tonearm_server::log;
use tonearm_server::traces::{self, TraceExport};

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
    /// Migrate the database to the schema of this version
    Migrate(migrate::Args),
    /// Manage organizations
    Org {
        #[command(subcommand)]
        command: org::Command,
    },
    /// Manage API keys
    Key {
        #[command(subcommand)]
        command: key::Command,
    },
    /// Manage webhooks
    Webhook {
        #[command(subcommand)]
        command: webhook::Command,
    },
    /// Manage transcription
    Transcription {
        #[command(subcommand)]
        command: transcription::Command,
    },
    /// Manage credentials for the buckets that files are imported from
    ImportBucket {
        #[command(subcommand)]
        command: import_bucket::Command,
    },
    /// Read the audit log
    Audit {
        #[command(subcommand)]
        command: audit::Command,
    },
    /// Manage the people who can sign in to the dashboard
    Person {
        #[command(subcommand)]
        command: person::Command,
    },
    /// Export or erase what is kept about a person or a listener
    Privacy {
        #[command(subcommand)]
        command: privacy::Command,
    },
    /// Manage the keys with which organizations sign delivery URLs themselves
    SigningKey {
        #[command(subcommand)]
        command: signing_key::Command,
    },
    /// Show and replace the master secret
    Secret {
        #[command(subcommand)]
        command: secret::Command,
    },
    /// Manage recipes, which define the variants of tracks
    Recipe {
        #[command(subcommand)]
        command: recipe::Command,
    },
    /// Show the progress of tracks and retry failed ones
    Track {
        #[command(subcommand)]
        command: track::Command,
    },
    /// List, retry and drop background jobs
    Job {
        #[command(subcommand)]
        command: job::Command,
    },
    /// Check or renew the link between the database and the object store
    Store {
        #[command(subcommand)]
        command: store::Command,
    },
    /// Show what the last sweep of the object store found, or confirm its removals
    Sweep(sweep::Args),
    /// Compare the database with the object store: list lost, damaged and unknown objects, and recreate lost files
    ///
    /// Exits with 0 if nothing was found, with 1 if something was, and with 2 if it could not finish.
    Verify(verify::Args),
    /// Back up the database and the objects that it references, while the service runs
    ///
    /// Only objects that the target does not have are copied. Run the same command again after an interruption.
    Backup(backup::Args),
    /// Restore a backup into an empty database and the object store
    ///
    /// The database may be of the other kind than the one that was backed up. Run the same command again after an
    /// interruption.
    Restore(restore::Args),
    /// Show how often and how long an organization's tracks were listened to
    Usage(usage::Args),
    /// Upload files and folders to a collection of a running service
    ///
    /// Files that the collection has already are skipped, by their content. An upload that was interrupted, even by a
    /// restart of this computer, continues where it stopped when the same command is run again.
    Upload(upload::Args),
    /// Import a podcast's feed to a collection of a running service
    ///
    /// Each episode becomes a track, whose file the service fetches. Run the same command again to import new episodes:
    /// those that the collection has already are recognized by their guid.
    ImportFeed(import_feed::Args),
    /// Give AI assistants access to a running service through the Model Context Protocol (MCP)
    ///
    /// Without --http, it speaks over standard input and output, with the API key in TONEARM_API_KEY. With --http, each
    /// caller sends its own API key. The tools can do only what the key permits.
    Mcp(mcp::Args),
    /// Upload and process an audio file, and print URLs that play it
    Demo(demo::Args),
    /// Print a commented configuration file with all defaults
    Config,
    /// Print the OpenAPI 3.1 description of the API, which the service also serves at /openapi.json
    Openapi,
    /// Check ffmpeg, its confinement, the database, object store, secret, disks and clocks, and explain how to fix problems
    Doctor(doctor::Args),
    /// Show the nodes, jobs and failures of the service, and what this node depends on
    Status(status::Args),
    /// Check whether a running service is ready
    Health(health::Args),
    /// Print a shell completion script
    Completions(completions::Args),
    /// Write manual pages to a folder
    Man(man::Args),
}

/// Why a command failed; printed as one line.
enum Failure {
    /// The command or its configuration is wrong: exit 2.
    Usage(String),
    /// It could not be done: exit 1.
    Failed(String),
    /// It was begun and did not come to its end, where 1 means that something was found: exit 2.
    Unfinished(String),
}

impl Failure {
    fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<crate::ConfigError> for Failure {
    fn from(error: crate::ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<crate::StartError> for Failure {
    fn from(error: crate::StartError) -> Self {
        Self::failed(error)
    }
}

impl From<tonearm_service::Refusal> for Failure {
    fn from(refusal: tonearm_service::Refusal) -> Self {
        match refusal {
            tonearm_service::Refusal::Invalid { .. } => Self::Usage(refusal.to_string()),
            tonearm_service::Refusal::Unavailable(source)
            | tonearm_service::Refusal::UnknownOutcome(source)
            | tonearm_service::Refusal::Full(source)
            | tonearm_service::Refusal::Internal(source) => Self::failed(source),
            other => Self::failed(other),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    tonearm_media::serve_if_confined();
    do_without_huge_pages();
    let cli = Cli::try_parse().unwrap_or_else(|error| print::explain(&error));
    let (code, message) = match run(cli) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage(message) | Failure::Unfinished(message)) => (2, message),
        Err(Failure::Failed(message)) => (1, message),
    };
    print::complain(format_args!("tonearm: {message}"));
    ExitCode::from(code)
}

/// Keeps the kernel from giving whole huge pages to an allocator that needs a part of each: an idle service would occupy a
/// third more (docs/benchmarks.md). Kernels without huge pages refuse, which is as good.
fn do_without_huge_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn run(cli: Cli) -> Result<(), Failure> {
    let command = match cli.command {
        Command::Config => {
            print::out!("{EXAMPLE}");
            return Ok(());
        }
        Command::Openapi => {
            print::document(&tonearm_api::document());
            return Ok(());
        }
        Command::Completions(args) => return completions::run(&args),
        Command::Man(args) => return man::run(&args),
        Command::Mcp(args) => return bulk::block_on(mcp::run(args)),
        Command::Upload(args) => return bulk::block_on(upload::run(args)),
        Command::ImportFeed(args) => return bulk::block_on(import_feed::run(args)),
        command => command,
    };
    let mut overrides = Overrides { config: cli.config, data_dir: cli.data_dir, ..Overrides::default() };
    if let Command::Serve(args) = &command {
        args.apply(&mut overrides);
    }
    let socket = match command {
        Command::Serve(_) => service_manager::inherited_socket().map_err(Failure::failed)?,
        _ => None,
    };
    let config = Config::load(&overrides, |name| std::env::var(name).ok())?;
    // A command says what it has to say itself; the log is for the service.
    let default_filter = match command {
        Command::Serve(_) => "info,sea_orm_migration=warn,sqlx=warn",
        _ => "warn",
    };
    let filter = config.log_filter.as_deref().unwrap_or(default_filter);
    let traces = match command {
        Command::Serve(_) => {
            let instance = format!("{}:{}", opening::machine_name(), config.listen.port());
            traces::set_up(&config.traces, instance).map_err(Failure::Usage)?
        }
        _ => None,
    };
    let (tracer, export) = traces.unzip();
    log::start(filter, config.log_json, tracer).map_err(Failure::Usage)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::failed)?;
    let done = runtime.block_on(async {
        let ambient = ambient::system();
        match command {
            Command::Serve(args) => {
                let export = export.map(TraceExport::start);
                let done = serve::run(&config, ambient, args, socket).await;
                if let Some(export) = export {
                    export.finish().await;
                }
                done
            }
            Command::Migrate(args) => migrate::run(&config, args).await,
            Command::Org { command } => org::run(&config, &ambient, command).await,
            Command::Key { command } => key::run(&config, &ambient, command).await,
            Command::Webhook { command } => webhook::run(&config, &ambient, command).await,
            Command::Transcription { command } => transcription::run(&config, &ambient, command).await,
            Command::ImportBucket { command } => import_bucket::run(&config, &ambient, command).await,
            Command::Audit { command } => audit::run(&config, &ambient, command).await,
            Command::SigningKey { command } => signing_key::run(&config, &ambient, command).await,
            Command::Secret { command } => secret::run(&config, &ambient, command).await,
            Command::Recipe { command } => recipe::run(&config, &ambient, command).await,
            Command::Track { command } => track::run(&config, &ambient, command).await,
            Command::Job { command } => job::run(&config, &ambient, command).await,
            Command::Person { command } => person::run(&config, &ambient, command).await,
            Command::Privacy { command } => privacy::run(&config, &ambient, command).await,
            Command::Store { command } => store::run(&config, &ambient, command).await,
            Command::Sweep(args) => sweep::run(&config, &ambient, args).await,
            Command::Verify(args) => verify::run(&config, &ambient, args).await,
            Command::Backup(args) => backup::run(&config, &ambient, args).await,
            Command::Restore(args) => restore::run(&config, &ambient, args).await,
            Command::Usage(args) => usage::run(&config, &ambient, args).await,
            Command::Demo(args) => Box::pin(demo::run(&config, ambient, args)).await,
            Command::Doctor(args) => doctor::run(&config, &ambient, args).await,
            Command::Status(args) => status::run(&config, &ambient, args).await,
            Command::Health(args) => health::run(&config, args).await,
            Command::Config
            | Command::Openapi
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Mcp(_)
            | Command::Upload(_)
            | Command::ImportFeed(_) => Ok(()),
        }
    });
    // A look-up of a host that was given up may go on for a while.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    done
}
