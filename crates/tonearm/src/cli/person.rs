//! `tonearm person`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::Ambient;

use super::{Failure, print};
use crate::{Config, Parts};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a person to the dashboard and print a link for choosing a password
    Add {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
        /// Name of the person
        #[arg(long)]
        name: String,
        /// Make the person an administrator, who owns all organizations and can create more
        #[arg(long)]
        administrator: bool,
    },
    /// Print a link for choosing a new password
    ResetPassword {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
    },
    /// List the people who can sign in to the dashboard
    List {
        /// Print JSON, one person per line
        #[arg(long)]
        json: bool,
    },
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let people = Parts::open(config, ambient).await?.people;
    match command {
        Command::Add { email, name, administrator } => {
            let (_, link) = people.add_person(&name, &email, administrator).await?;
            println!("{}\n\nThe link works once, until {}.", link.url, link.expires_at);
        }
        Command::ResetPassword { email } => {
            let link = people.new_password_link(&email).await?;
            println!("{}\n\nThe link works once, until {}.", link.url, link.expires_at);
        }
        Command::List { json: as_json } => {
            let everybody = people.everybody().await?;
            if as_json {
                for person in everybody {
                    print::json(&json!({
                        "person_id": person.id,
                        "email": person.email.as_str(),
                        "name": person.name,
                        "is_administrator": person.is_administrator,
                        "created_at": person.created_at,
                    }));
                }
            } else {
                let rows: Vec<_> = everybody
                    .into_iter()
                    .map(|person| {
                        let kind = if person.is_administrator { "administrator" } else { "" };
                        [
                            person.email.to_string(),
                            kind.to_owned(),
                            person.created_at.to_string(),
                            person.name,
                        ]
                    })
                    .collect();
                print::table(["EMAIL", "KIND", "ADDED", "NAME"], &rows);
            }
        }
    }
    Ok(())
}
