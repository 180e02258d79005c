//! `tonearm audit`

use clap::Subcommand;
use futures::{Stream, TryStreamExt};
use serde_json::json;
use tonearm_catalog::AuditFilter;
use tonearm_domain::{Ambient, AuditRecord, OrganizationId, Timestamp};
use tonearm_service::Refusal;

use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print audit log entries as JSON, one per line, newest first
    Export(Export),
}

#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// The organization's id; without it, only entries that belong to no organization, such as sign-ins
    #[arg(long)]
    org: Option<OrganizationId>,
    /// Only this action, such as track.delete, or all actions on a type of resource, such as track
    #[arg(long)]
    action: Option<String>,
    /// Only actions by the key or person with this id
    #[arg(long, value_name = "ID")]
    actor: Option<uuid::Uuid>,
    /// Only actions on the resource with this id
    #[arg(long, value_name = "ID")]
    subject: Option<uuid::Uuid>,
    /// Only entries at or after this time
    #[arg(long, value_name = "RFC3339")]
    since: Option<Timestamp>,
    /// Only entries before this time
    #[arg(long, value_name = "RFC3339")]
    until: Option<Timestamp>,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let audit = &services.audit;
    let Command::Export(export) = command;
    let filter = AuditFilter {
        actor_id: export.actor,
        subject_id: export.subject,
        action: export.action,
        since: export.since,
        until: export.until,
    };
    match export.org {
        Some(org) => print_all(audit.export(&services.owner(org).await?, &filter)).await,
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
