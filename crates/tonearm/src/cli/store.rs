//! `tonearm store`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, Evidence, StoreId};
use tonearm_service::{IdentityError, StoreIdentity, StoreTie};

use super::confirm::confirm;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the identities of the database and the object store, and whether they match
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Link the database to the object store again, after one of them was deliberately restored or moved
    Adopt {
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

impl From<IdentityError> for Failure {
    fn from(error: IdentityError) -> Self {
        Self::failed(error)
    }
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let identity = Services::open(config, ambient).await?.open_identity(config, ambient).await?;
    let (tie, evidence) = (identity.inspect().await?, identity.evidence().await?);
    match command {
        Command::Show { json: true } => {
            let agreed = tie.agreed();
            print::json(&json!({
                "database": tie.record.map(|record| record.id.to_string()),
                "store": tie.found.iter().map(StoreId::to_string).collect::<Vec<_>>(),
                "agrees": agreed.is_ok(),
                "problem": agreed.err().map(|mismatch| mismatch.to_string()),
                "sample": {
                    "named": evidence.named,
                    "found": evidence.found,
                    "listed": evidence.listed,
                    "known": evidence.known,
                },
            }));
            Ok(())
        }
        Command::Show { json: false } => {
            show(config, &tie, evidence);
            match tie.agreed() {
                Ok(Some(_)) => print::outln!("\nThey belong together."),
                Ok(None) => print::outln!("\nThey will get an identity on the next start of a node."),
                Err(mismatch) => print::outln!("\n{mismatch}."),
            }
            Ok(())
        }
        Command::Adopt { yes } => {
            show(config, &tie, evidence);
            adopt(&identity, yes).await
        }
    }
}

fn show(config: &Config, tie: &StoreTie, evidence: Evidence) {
    let of_database = tie.record.map_or_else(|| "none".to_owned(), |record| record.id.to_string());
    let of_store = match tie.found.as_slice() {
        [] => "none".to_owned(),
        found => found.iter().map(StoreId::to_string).collect::<Vec<_>>().join(", "),
    };
    print::outln!("database      {}", config.database_url);
    print::outln!("  identity    {of_database}");
    print::outln!("  objects     {} checked, {} found in the store", evidence.named, evidence.found);
    print::outln!("object store  {}", config.storage_url);
    print::outln!("  identity    {of_store}");
    print::outln!("  objects     {} checked, {} known to the database", evidence.listed, evidence.known);
}

async fn adopt(identity: &StoreIdentity, yes: bool) -> Result<(), Failure> {
    print::outln!(
        "\nThis gives both a new identity. No other database can use the store after that. The next sweep marks objects \
         that\nthis database does not reference, and removes them a day later; `tonearm sweep` shows them."
    );
    if !yes {
        confirm("Continue?", "continue", "changed")?;
    }
    let id = identity.adopt().await?;
    print::outln!("\nThe database and the object store now share the identity {id}.");
    Ok(())
}
