//! `tonearm privacy`

mod export;

use std::net::IpAddr;

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, AuditRecord, ListenerId, Origin};
use tonearm_service::{KeptListener, ListenerReference, OwnerlessOrganizations, PersonReference, Privacy};

use super::confirm::confirm;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print everything that is stored about a person or a listener, as JSON
    Export {
        #[command(flatten)]
        subject: Subject,
    },
    /// Erase what is stored about a person or a listener
    ///
    /// What a person uploaded stays with the organization. The lines of the audit log stay, without the person's address.
    Erase {
        #[command(flatten)]
        subject: Subject,
        /// Email address of the person who becomes owner of organizations that would have none
        #[arg(long, value_name = "EMAIL")]
        new_owner: Option<String>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, clap::Args)]
#[group(id = "subject", required = true, multiple = false)]
struct SubjectReference {
    /// Email address or id of a current or former account
    #[arg(value_name = "PERSON")]
    person: Option<PersonReference>,
    /// Network address of a listener
    #[arg(long, value_name = "ADDRESS")]
    address: Option<IpAddr>,
    /// Hash of a listener on one day, 16 hex digits, as an export shows it
    #[arg(long, value_name = "HASH", value_parser = hash)]
    listener: Option<ListenerId>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Subject {
    #[command(flatten)]
    reference: SubjectReference,
    /// User-Agent of the listener, exactly as the browser sends it [default: none sent]
    #[arg(long, value_name = "TEXT", requires = "address")]
    agent: Option<String>,
}

fn hash(text: &str) -> Result<ListenerId, String> {
    let hash = (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok()).flatten();
    hash.map(ListenerId::from_hash).ok_or_else(|| "must be 16 hex digits".to_owned())
}

/// Whose data is exported or erased.
enum PrivacyTarget {
    Person(PersonReference),
    Listener(ListenerReference),
}

impl Subject {
    fn target(self) -> Result<PrivacyTarget, Failure> {
        match (self.reference.person, self.reference.address, self.reference.listener) {
            (Some(person), None, None) => Ok(PrivacyTarget::Person(person)),
            (None, Some(address), None) => {
                Ok(PrivacyTarget::Listener(ListenerReference::Visitor { address, agent: self.agent }))
            }
            (None, None, Some(hash)) => Ok(PrivacyTarget::Listener(ListenerReference::Hash(hash))),
            _ => Err(Failure::Usage("name a person, --address or --listener".to_owned())),
        }
    }
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let privacy = services.privacy(ambient);
    match command {
        Command::Export { subject } => match subject.target()? {
            PrivacyTarget::Person(person) => export_person(&privacy, &person).await?,
            PrivacyTarget::Listener(listener) => {
                print::json(&export::of_listener(&find_listener(&privacy, &listener).await?));
            }
        },
        Command::Erase { subject, new_owner, yes } => {
            let ownerless = match new_owner {
                Some(email) => {
                    OwnerlessOrganizations::GiveTo(services.people.person_by_email(&email).await?.id)
                }
                None => OwnerlessOrganizations::Refuse,
            };
            erase(&privacy, subject.target()?, ownerless, yes).await?;
        }
    }
    Ok(())
}

/// Prints one line of JSON, whose last field contains all audit log entries. Prints nothing if no data is stored.
async fn export_person(privacy: &Privacy, person: &PersonReference) -> Result<(), Failure> {
    let kept = privacy.person(person).await?;
    let text = export::of_person(&kept).to_string();
    let head = text.strip_suffix('}').unwrap_or(&text);
    let mut is_first = true;
    let mut print_entry = |line: AuditRecord| {
        match std::mem::take(&mut is_first) {
            true => print::out!("{head},\"audit_log\":["),
            false => print::out!(","),
        }
        print::out!("{}", json!(line));
    };
    match privacy.audit_lines(person, &mut print_entry).await? {
        0 if kept.is_empty() => return Err(unknown(person)),
        0 => print::outln!("{head},\"audit_log\":[]}}"),
        _ => print::outln!("]}}"),
    }
    Ok(())
}

fn unknown(person: &PersonReference) -> Failure {
    Failure::Failed(format!(
        "nothing is stored about {person}: there is no account, no invitation and no entry in the audit log; check the email \
         address or the id"
    ))
}

/// Returns the data stored about a listener. Fails if there is none.
async fn find_listener(privacy: &Privacy, listener: &ListenerReference) -> Result<KeptListener, Failure> {
    let kept = privacy.listener(listener).await?;
    if kept.is_empty() {
        return Err(Failure::Failed(
            "nothing is stored about this listener: no listens in the last days with exactly this address and \
             User-Agent"
                .to_owned(),
        ));
    }
    Ok(kept)
}

async fn erase(
    privacy: &Privacy,
    target: PrivacyTarget,
    ownerless: OwnerlessOrganizations,
    yes: bool,
) -> Result<(), Failure> {
    match target {
        PrivacyTarget::Person(person) => {
            let kept = privacy.person(&person).await?;
            let audit = privacy.audit_lines(&person, &mut |_| {}).await?;
            if kept.is_empty() && audit == 0 {
                return Err(unknown(&person));
            }
            let account = if kept.account.is_some() { "one account" } else { "no account" };
            let sign_ins = kept.account.as_ref().map_or(0, |account| account.sign_ins.len());
            print::outln!(
                "Found {account}, {sign_ins} sign-ins and {audit} audit log entries. The account will be removed, and the \
                 entries will lose the person's address. What the person uploaded is kept. This cannot be undone."
            );
            if !yes {
                confirm("Erase?", "erase", "erased")?;
            }
            privacy.erase_person(Origin::command_line(), &person, ownerless).await?;
        }
        PrivacyTarget::Listener(listener) => {
            let kept = find_listener(privacy, &listener).await?;
            print::outln!(
                "Found listens to {} tracks in the last days. They will be erased. This cannot be undone.",
                kept.listening.len()
            );
            if !yes {
                confirm("Erase?", "erase", "erased")?;
            }
            privacy.erase_listener(Origin::command_line(), &listener).await?;
        }
    }
    print::outln!("Erased. Backups and the server's log are not changed: see docs/privacy.md.");
    Ok(())
}
