//! `tonearm audit`

use clap::Subcommand;
use futures::{Stream, TryStreamExt};
use serde_json::json;
use tonearm_catalog::AuditFilter;
use tonearm_domain::{Ambient, AuditRecord, OrganizationId, Timestamp};
use tonearm_service::{Caller, Refusal};

use super::{Failure, print};
use crate::{Config, Parts};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print who did what, one line of JSON each, the newest first
    Export(Export),
}

#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// The organization's id; without it, what concerns no single one, such as sign-ins
    #[arg(long)]
    org: Option<OrganizationId>,
    /// Only one action, such as track.delete, or those on one noun, such as track
    #[arg(long)]
    action: Option<String>,
    /// Only what was done by this key or person
    #[arg(long, value_name = "ID")]
    actor: Option<uuid::Uuid>,
    /// Only what was done to this thing
    #[arg(long, value_name = "ID")]
    subject: Option<uuid::Uuid>,
    /// Not before this moment
    #[arg(long, value_name = "RFC3339")]
    since: Option<Timestamp>,
    /// Before this moment
    #[arg(long, value_name = "RFC3339")]
    until: Option<Timestamp>,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let audit = Parts::open(config, ambient).await?.audit;
    let Command::Export(export) = command;
    let filter = AuditFilter {
        actor_id: export.actor,
        subject_id: export.subject,
        action: export.action,
        since: export.since,
        until: export.until,
    };
    match export.org.map(Caller::owner) {
        Some(caller) => print_all(audit.export(&caller, &filter)).await,
        None => print_all(audit.export_of_none(&filter)).await,
    }
}

async fn print_all(lines: impl Stream<Item = Result<AuditRecord, Refusal>>) -> Result<(), Failure> {
    let mut lines = std::pin::pin!(lines);
    while let Some(line) = lines.try_next().await? {
        print::json(&json!(line));
    }
    Ok(())
}
