//! `tonearm signing-key`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, OrganizationId, ShortId, SigningKey};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

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
    let services = Services::open(config, ambient).await?;
    let keys = services.signing_keys(ambient);
    match command {
        Command::Create { org, title, json: as_json } => {
            let created = keys.create(&services.owner(org).await?, &title).await?;
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
            list(&keys.list(&services.owner(org).await?).await?, as_json);
            return Ok(());
        }
        Command::Revoke { org, key } => {
            keys.revoke(&services.owner(org).await?, key).await?;
        }
    }
    // A running node with the catalog publishes the list as well, but perhaps none is running.
    services.publish_signing_keys(config, ambient).await.map_err(|error| {
        Failure::failed(format!("done, but nodes without a database could not be notified: {error}"))
    })
}

const SIGNING_KEYS: Table<4> =
    Table { columns: ["KEY", "STATE", "CREATED", "TITLE"], empty: "There are no signing keys." };

fn list(keys: &[SigningKey], as_json: bool) {
    let json = |key: &SigningKey| {
        json!({
            "signing_key_id": key.id,
            "title": key.title,
            "created_at": key.created_at,
            "revoked_at": key.revoked_at,
        })
    };
    let row = |key: &SigningKey| {
        let state = if key.revoked_at.is_some() { "revoked" } else { "valid" };
        [key.id.to_string(), state.to_owned(), key.created_at.to_string(), key.title.clone()]
    };
    SIGNING_KEYS.list(keys, as_json, json, row);
}
