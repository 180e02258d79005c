//! `tonearm person`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, Origin, Person};
use tonearm_service::{OwnerlessOrganizations, People};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

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
    /// Keep a person from signing in, and sign the person out everywhere
    Disable {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
        /// Email address of the person who becomes owner of organizations that would have none
        #[arg(long, value_name = "EMAIL")]
        new_owner: Option<String>,
    },
    /// Let a disabled person sign in again
    Enable {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
    },
    /// Remove a person for good; tracks, keys and the audit log are kept
    Remove {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
        /// Email address of the person who becomes owner of organizations that would have none
        #[arg(long, value_name = "EMAIL")]
        new_owner: Option<String>,
    },
    /// Sign a person out everywhere
    EndSessions {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
    },
    /// Remove a person's two-factor authentication, and sign the person out everywhere
    ResetSecondFactor {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
    },
    /// Make a person an administrator
    Promote {
        /// Email address with which the person signs in
        #[arg(long)]
        email: String,
    },
    /// Remove a person's administrator rights
    Demote {
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

const PEOPLE: Table<4> =
    Table { columns: ["EMAIL", "KIND", "ADDED", "NAME"], empty: "Nobody can sign in to the dashboard yet." };

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let people = Services::open(config, ambient).await?.people;
    match command {
        Command::Add { email, name, administrator } => {
            let (_, link) = people.add_person(&name, &email, administrator).await?;
            print::outln!("{}\n\nThe link works once, until {}.", link.url, link.expires_at);
        }
        Command::ResetPassword { email } => {
            let link = people.new_password_link(&email).await?;
            print::outln!("{}\n\nThe link works once, until {}.", link.url, link.expires_at);
        }
        Command::Disable { email, new_owner } => {
            let ownerless = heir(&people, new_owner).await?;
            let person = people.person_by_email(&email).await?;
            people.disable_person(Origin::command_line(), person.id, ownerless).await?;
            print::outln!("{} is disabled and signed out everywhere.", person.email);
        }
        Command::Enable { email } => {
            let person = people.person_by_email(&email).await?;
            people.enable_person(Origin::command_line(), person.id).await?;
            print::outln!("{} can sign in again.", person.email);
        }
        Command::Remove { email, new_owner } => {
            let ownerless = heir(&people, new_owner).await?;
            let id = people.person_id_by_email(&email).await?;
            people.remove_person(Origin::command_line(), id, ownerless).await?;
            print::outln!("{email} is removed.");
        }
        Command::EndSessions { email } => {
            let person = people.person_by_email(&email).await?;
            people.end_sessions(Origin::command_line(), person.id).await?;
            print::outln!("{} is signed out everywhere.", person.email);
        }
        Command::ResetSecondFactor { email } => {
            let person = people.person_by_email(&email).await?;
            people.reset_second_factor(Origin::command_line(), person.id).await?;
            print::outln!("{} can sign in with the password alone.", person.email);
        }
        Command::Promote { email } => {
            let person = people.person_by_email(&email).await?;
            people.set_administrator(Origin::command_line(), person.id, true).await?;
            print::outln!("{} is an administrator.", person.email);
        }
        Command::Demote { email } => {
            let person = people.person_by_email(&email).await?;
            people.set_administrator(Origin::command_line(), person.id, false).await?;
            print::outln!("{} is no longer an administrator.", person.email);
        }
        Command::List { json: as_json } => list(&people, as_json).await?,
    }
    Ok(())
}

/// What happens to organizations that would have no owner.
async fn heir(people: &People, new_owner: Option<String>) -> Result<OwnerlessOrganizations, Failure> {
    Ok(match new_owner {
        Some(email) => OwnerlessOrganizations::GiveTo(people.person_by_email(&email).await?.id),
        None => OwnerlessOrganizations::Refuse,
    })
}

async fn list(people: &People, as_json: bool) -> Result<(), Failure> {
    let json = |person: &Person| {
        json!({
            "person_id": person.id,
            "email": person.email.as_str(),
            "name": person.name,
            "is_administrator": person.is_administrator,
            "created_at": person.created_at,
            "disabled_at": person.disabled_at,
        })
    };
    let row = |person: &Person| {
        let kind = match (person.is_administrator, person.is_active()) {
            (true, true) => "administrator",
            (true, false) => "administrator, disabled",
            (false, true) => "",
            (false, false) => "disabled",
        };
        [person.email.to_string(), kind.to_owned(), person.created_at.to_string(), person.name.clone()]
    };
    PEOPLE.list(&people.everybody().await?, as_json, json, row);
    Ok(())
}
