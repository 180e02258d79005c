//! Commands that need the configuration. Most work on the catalog directly, beside a running service or without one.

use clap::Subcommand;
use tonearm_domain::Ambient;

use super::{
    Failure, audit, backup, demo, doctor, health, import_bucket, job, key, migrate, org, person, print,
    privacy, recipe, restore, secret, signing_key, status, store, sweep, track, transcription, usage, verify,
    webhook,
};
use crate::{Config, opening};

#[derive(Debug, Subcommand)]
pub(super) enum ConfiguredCommand {
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
    /// Export or erase the data stored about a person or a listener
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
    /// Only objects that are missing in the target are copied. Run the same command again after an interruption.
    Backup(backup::Args),
    /// Restore a backup into an empty database and the object store
    ///
    /// A backup of SQLite can be restored to PostgreSQL, and the reverse. Run the same command again after an
    /// interruption.
    Restore(restore::Args),
    /// Show how often, and for how long, an organization's tracks were listened to
    Usage(usage::Args),
    /// Check ffmpeg, its confinement, the database, object store, secret, disks and clocks, and explain how to fix problems
    Doctor(doctor::Args),
    /// Show the nodes, jobs and failures of the service, and what this node depends on
    Status(status::Args),
    /// Check whether a running service is ready
    Health(health::Args),
    /// Upload and process an audio file, and print URLs that play it
    Demo(demo::Args),
}

impl ConfiguredCommand {
    /// Whether an installation may begin with this command. All others need the data of a service.
    fn may_begin(&self) -> bool {
        match self {
            Self::Migrate(_) | Self::Restore(_) | Self::Demo(_) | Self::Doctor(_) | Self::Health(_) => true,
            // Backups are listed before they are restored.
            Self::Backup(args) => args.is_list(),
            Self::Org { command } => matches!(command, org::Command::Create { .. }),
            Self::Person { command } => matches!(command, person::Command::Add { .. }),
            _ => false,
        }
    }

    pub(super) async fn run(self, config: &Config, ambient: &Ambient) -> Result<(), Failure> {
        if !self.may_begin() {
            opening::require_database(config)?;
        } else if matches!(self, Self::Org { .. } | Self::Person { .. })
            && let Some(database) = opening::future_database(config)
        {
            // It may be the wrong folder.
            print::complain(format_args!(
                "There is no database at {} yet: this begins a new installation there. Name the data of an existing one \
                 with --data-dir or --config.",
                database.display()
            ));
        }
        if !matches!(self, Self::Health(_)) {
            opening::require_owner(config)?;
        }
        match self {
            Self::Migrate(args) => migrate::run(config, args).await,
            Self::Org { command } => org::run(config, ambient, command).await,
            Self::Key { command } => key::run(config, ambient, command).await,
            Self::Webhook { command } => webhook::run(config, ambient, command).await,
            Self::Transcription { command } => transcription::run(config, ambient, command).await,
            Self::ImportBucket { command } => import_bucket::run(config, ambient, command).await,
            Self::Audit { command } => audit::run(config, ambient, command).await,
            Self::SigningKey { command } => signing_key::run(config, ambient, command).await,
            Self::Secret { command } => secret::run(config, ambient, command).await,
            Self::Recipe { command } => recipe::run(config, ambient, command).await,
            Self::Track { command } => track::run(config, ambient, command).await,
            Self::Job { command } => job::run(config, ambient, command).await,
            Self::Person { command } => person::run(config, ambient, command).await,
            Self::Privacy { command } => privacy::run(config, ambient, command).await,
            Self::Store { command } => store::run(config, ambient, command).await,
            Self::Sweep(args) => sweep::run(config, ambient, args).await,
            Self::Verify(args) => verify::run(config, ambient, args).await,
            Self::Backup(args) => backup::run(config, ambient, args).await,
            Self::Restore(args) => restore::run(config, ambient, args).await,
            Self::Usage(args) => usage::run(config, ambient, args).await,
            Self::Demo(args) => Box::pin(demo::run(config, ambient.clone(), args)).await,
            Self::Doctor(args) => doctor::run(config, ambient, args).await,
            Self::Status(args) => status::run(config, ambient, args).await,
            Self::Health(args) => health::run(config, args).await,
        }
    }
}
