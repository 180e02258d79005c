//! `tonearm secret`

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use serde_json::json;
use tonearm_domain::Ambient;
use tonearm_service::{MasterSecretStatus, MasterSecretView, Resealing, RotationStep};
use tonearm_signing::{Secrets, Vault};

use super::confirm::confirm;
use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services, opening, secret};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show which master secrets are in use, and what depends on them
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Perform the next step of rotating the master secret: add a new one, put it first, remove the old one
    ///
    /// Restart all nodes after each step, and then run the command again. A file with the secrets is changed; if they are set
    /// otherwise, the command prints what to change.
    Rotate {
        /// Step to perform [default: the next one]
        #[arg(long, value_enum)]
        step: Option<Step>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

/// A step of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Step {
    /// List a new secret after the others
    Add,
    /// Put the last secret first, and encrypt stored secrets with it
    Promote,
    /// Remove all secrets but the first
    Remove,
}

impl From<RotationStep> for Step {
    fn from(step: RotationStep) -> Self {
        match step {
            RotationStep::Add => Self::Add,
            RotationStep::Promote => Self::Promote,
            RotationStep::Remove => Self::Remove,
        }
    }
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let status = services.master_secrets.status().await?;
    let (step, yes) = match command {
        Command::Status { json } => {
            show(config, &status, json);
            return Ok(());
        }
        Command::Rotate { step, yes } => (step, yes),
    };
    let secrets = opening::secrets(config, ambient).await?;
    let rotation = Rotation { config, ambient, services: &services, status: &status, secrets, yes };
    match step.unwrap_or_else(|| status.next_step().into()) {
        Step::Add => rotation.add(),
        Step::Promote => rotation.promote().await,
        Step::Remove => rotation.remove(),
    }
}

fn source(config: &Config) -> String {
    match secret::file(config) {
        Some(path) => format!("file {}", path.display()),
        None => "setting secret or TONEARM_SECRET".to_owned(),
    }
}

fn show(config: &Config, status: &MasterSecretStatus, as_json: bool) {
    let last_at = |secret: &MasterSecretView| secret.used.as_ref().map(|used| used.last_at);
    if as_json {
        let secrets = status.secrets.iter().enumerate().map(|(at, secret)| {
            json!({
                "fingerprint": secret.fingerprint,
                "is_first": at == 0,
                "stored_secrets": secret.sealed,
                "first_signed_at": secret.used.as_ref().map(|used| used.first_at),
                "last_signed_at": last_at(secret),
            })
        });
        print::json(&json!({
            "source": source(config),
            "secrets": secrets.collect::<Vec<_>>(),
            "lost": status.lost,
            "old_signing_keys": status.old_signing_keys,
            "old_signatures_expire_at": status.expired_at,
            "reasons_not_to_promote": status.reasons_not_to_promote(),
            "reasons_to_wait": status.reasons_to_wait(),
        }));
        return;
    }
    let rows: Vec<_> = status
        .secrets
        .iter()
        .enumerate()
        .map(|(at, secret)| {
            let purpose = if at == 0 { "signs and encrypts" } else { "verifies and decrypts" };
            let last = last_at(secret).map_or("never".to_owned(), |at| at.to_string());
            [secret.fingerprint.clone(), purpose.to_owned(), secret.sealed.to_string(), last]
        })
        .collect();
    print::outln!("Master secrets from the {}:\n", source(config));
    SECRETS.print(&rows);
    if status.lost > 0 {
        print::outln!(
            "\n{} stored secrets cannot be decrypted; the log names them at the next start.",
            status.lost
        );
    }
    match status.next_step() {
        RotationStep::Add => {}
        RotationStep::Promote => {
            say_reasons(&status.reasons_not_to_promote(), "The last secret can", "be put first");
        }
        RotationStep::Remove => {
            say_reasons(&status.reasons_to_wait(), "The older secrets can", "be removed");
        }
    }
}

const SECRETS: Table<4> = Table {
    columns: ["FINGERPRINT", "PURPOSE", "STORED SECRETS", "LAST SIGNED"],
    empty: "There are no master secrets.",
};

fn say_reasons(reasons: &[String], subject: &str, step: &str) {
    if reasons.is_empty() {
        print::outln!("\n{subject} {step}: tonearm secret rotate");
        return;
    }
    print::outln!("\n{subject}not {step} yet:");
    for reason in reasons {
        print::outln!("- {reason}.");
    }
}

/// What the steps of a rotation work with.
struct Rotation<'a> {
    config: &'a Config,
    ambient: &'a Ambient,
    services: &'a Services,
    status: &'a MasterSecretStatus,
    secrets: Secrets,
    yes: bool,
}

impl Rotation<'_> {
    fn add(&self) -> Result<(), Failure> {
        if self.status.secrets.len() > 1 {
            let message = "there are several master secrets already; finish their rotation first";
            return Err(Failure::failed(message));
        }
        self.confirm("This adds a new master secret. It verifies and decrypts alongside the current one.")?;
        let text: String = self.ambient.random::<32>().iter().map(|byte| format!("{byte:02x}")).collect();
        let both = Secrets::parse(&format!("{}{text}\n", self.secrets.reveal())).map_err(Failure::failed)?;
        let manual =
            format!("Append this to the current secret, separated by a comma, on every node:\n\n{text}\n");
        self.write(&both, &manual)?;
        print::outln!("\nRestart all nodes. Then run tonearm secret rotate again.");
        Ok(())
    }

    async fn promote(&self) -> Result<(), Failure> {
        if self.status.secrets.len() < 2 {
            return Err(Failure::failed("there is only one master secret; add one with --step add"));
        }
        if !self.status.is_known() {
            let message = "no node has started with this version yet, so it is not known which secret is the new one; \
                           start the service first";
            return Err(Failure::failed(message));
        }
        let reasons = self.status.reasons_not_to_promote();
        if !reasons.is_empty() {
            let reasons = reasons.join("; ");
            return Err(Failure::failed(format!("the last secret cannot be put first yet: {reasons}")));
        }
        self.confirm(
            "This puts the last master secret first, so that it signs and encrypts. Nodes without a database (role edge) must \
             have been restarted since it was added; all others have been.",
        )?;
        let other = self.secrets.with_last_first();
        self.write(&other, "Move the last secret to the front, on every node.\n")?;
        let vault = Vault::new(&other);
        let resealing = Resealing::new(self.services.catalog.clone(), self.ambient.clone(), vault);
        let done = resealing
            .reseal_reporting(|done| {
                print::complain(format_args!("{} of the stored secrets are re-encrypted", done.resealed));
            })
            .await
            .map_err(Failure::failed)?;
        print::outln!(
            "\n{} stored secrets are encrypted with the new master secret.",
            done.resealed + done.kept
        );
        if !done.lost.is_empty() {
            print::outln!("{} cannot be decrypted with any; enter or rotate them again.", done.lost.len());
        }
        print::outln!(
            "Restart all nodes. `tonearm secret status` then shows when the old secret can be removed."
        );
        Ok(())
    }

    fn remove(&self) -> Result<(), Failure> {
        if self.status.secrets.len() < 2 {
            return Err(Failure::failed("there is only one master secret"));
        }
        let reasons = self.status.reasons_to_wait();
        if !reasons.is_empty() {
            let reasons = reasons.join("; ");
            return Err(Failure::failed(format!("the older secrets cannot be removed yet: {reasons}")));
        }
        self.confirm("This removes all master secrets but the first. Keep a copy if you are not sure.")?;
        let text = self.secrets.reveal();
        let first = Secrets::parse(text.lines().next().unwrap_or_default()).map_err(Failure::failed)?;
        self.write(&first, "Remove all secrets but the first, on every node.\n")?;
        print::outln!("\nRestart all nodes. Then the rotation is complete.");
        Ok(())
    }

    /// Writes the secrets to the file that they were read from, or prints what to change manually.
    fn write(&self, secrets: &Secrets, manual: &str) -> Result<(), Failure> {
        match secret::file(self.config) {
            Some(path) if is_writable(&path) => {
                secret::replace(&path, secrets, self.ambient)
                    .map_err(|error| Failure::failed(format!("cannot write {}: {error}", path.display())))?;
                print::outln!("{} is changed. Copy it to every other node.", path.display());
            }
            Some(path) => print::outln!("{} cannot be changed here. {manual}", path.display()),
            None => print::outln!("{manual}"),
        }
        Ok(())
    }

    fn confirm(&self, what: &str) -> Result<(), Failure> {
        if self.yes {
            return Ok(());
        }
        confirm(&format!("{what}\nContinue?"), "continue", "changed")
    }
}

/// Whether the file can be replaced. systemd credentials and mounted secrets are in read-only folders.
fn is_writable(path: &Path) -> bool {
    path.parent().is_some_and(|folder| rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok())
}
