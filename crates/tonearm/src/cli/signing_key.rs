//! `tonearm signing-key`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, OrganizationId, ShortId};
use tonearm_service::Caller;

use super::{Failure, print};
use crate::{Config, Parts};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key with which an organization's backend signs delivery URLs; the secret is shown only once
    Create {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Title of the key
        #[arg(long, default_value = "")]
        title: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List an organization's signing keys
    List {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Print JSON, one key per line
        #[arg(long)]
        json: bool,
    },
    /// Revoke a signing key
    Revoke {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The key's id
        #[arg(long, value_name = "ID")]
        key: ShortId,
    },
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let parts = Parts::open(config, ambient).await?;
    let keys = parts.signing_keys(ambient);
    match command {
        Command::Create { org, title, json: as_json } => {
            let created = keys.create(&Caller::owner(org), &title).await?;
            let (id, secret) = (created.key.id, created.secret);
            if as_json {
                print::json(&json!({"signing_key_id": id, "secret": secret}));
            } else {
                print::outln!(
                    "key id (kid)   {id}\nsecret         {secret}\n\nThe secret is shown only once."
                );
            }
        }
        Command::List { org, json: as_json } => {
            let keys = keys.list(&Caller::owner(org)).await?;
            if as_json {
                for key in keys {
                    print::json(&json!({
                        "signing_key_id": key.id,
                        "title": key.title,
                        "created_at": key.created_at,
                        "revoked_at": key.revoked_at,
                    }));
                }
                return Ok(());
            }
            let state = |revoked: bool| if revoked { "revoked" } else { "valid" }.to_owned();
            let rows: Vec<_> = keys
                .into_iter()
                .map(|k| [k.id.to_string(), state(k.revoked_at.is_some()), k.created_at.to_string(), k.title])
                .collect();
            print::table(["KEY", "STATE", "CREATED", "TITLE"], &rows);
            return Ok(());
        }
        Command::Revoke { org, key } => {
            keys.revoke(&Caller::owner(org), key).await?;
        }
    }
    // A running node with the catalog tells the others too; but perhaps none runs.
    parts.publish_signing_keys(config, ambient).await.map_err(|error| {
        Failure::failed(format!("done, but nodes without a database could not be notified: {error}"))
    })
}
