//! What `tonearm privacy export` prints.

use serde_json::{Value, json};
use tonearm_domain::{Invitation, InvitationPurpose};
use tonearm_service::{KeptAccount, KeptListener, KeptPerson, MOST_KEPT_ROWS, NamedRows};

/// All data stored about a person, except the audit log entries.
pub(super) fn of_person(kept: &KeptPerson) -> Value {
    let of_account =
        |tell: fn(&KeptAccount) -> Vec<Value>| kept.account.as_ref().map(tell).unwrap_or_default();
    complete(json!({
        "account": kept.account.as_ref().map(account),
        "memberships": of_account(memberships),
        "identities": of_account(identities),
        "sign_ins": of_account(sign_ins),
        "known_devices": of_account(known_devices),
        "invitations": kept.named.invitations.iter().map(invitation).collect::<Vec<_>>(),
        "undo_entries": undo_entries(&kept.named),
        "upload_sessions": upload_sessions(&kept.named),
        "source_replacements": replacements(&kept.named),
        "not_found_here": [
            "the server's log",
            "backups",
            "failed sign-ins of the last 15 minutes, of which only hashes are kept",
            "names and addresses that people wrote into titles, metadata and files of tracks",
            "what the person heard, which is kept under hashes of days: export it by address and user agent",
        ],
    }))
}

/// Adds the names of the lists that were cut off at the maximum number of rows.
fn complete(mut export: Value) -> Value {
    let is_cut = |value: &Value| value.as_array().is_some_and(|list| list.len() as u64 >= MOST_KEPT_ROWS);
    if let Value::Object(lists) = &mut export {
        let cut: Vec<String> =
            lists.iter().filter(|(_, list)| is_cut(list)).map(|(name, _)| name.clone()).collect();
        lists.insert("cut_lists".to_owned(), json!(cut));
    }
    export
}

fn account(account: &KeptAccount) -> Value {
    let person = &account.person;
    json!({
        "person_id": person.id,
        "email": person.email.as_str(),
        "name": person.name,
        "language": person.language.map(|language| language.as_str()),
        "is_administrator": person.is_administrator,
        "created_at": person.created_at,
        "disabled_at": person.disabled_at,
        "has_second_factor": account.has_second_factor,
        "recovery_codes": account.recovery_codes,
    })
}

fn memberships(account: &KeptAccount) -> Vec<Value> {
    let rows = account.memberships.iter().map(|membership| {
        json!({
            "organization_id": membership.organization_id,
            "role": membership.role.as_str(),
            "created_at": membership.created_at,
        })
    });
    rows.collect()
}

fn identities(account: &KeptAccount) -> Vec<Value> {
    let rows = account.identities.iter().map(|identity| {
        json!({
            "issuer": identity.issuer,
            "subject": identity.subject,
            "email": identity.email,
            "linked_at": identity.linked_at,
            "used_at": identity.used_at,
        })
    });
    rows.collect()
}

fn sign_ins(account: &KeptAccount) -> Vec<Value> {
    let rows = account.sign_ins.iter().map(|sign_in| {
        json!({
            "address": sign_in.address,
            "user_agent": sign_in.user_agent,
            "created_at": sign_in.created_at,
            "seen_at": sign_in.seen_at,
        })
    });
    rows.collect()
}

fn known_devices(account: &KeptAccount) -> Vec<Value> {
    account.devices.iter().map(|device| json!({"seen_at": device.seen_at})).collect()
}

fn invitation(invitation: &Invitation) -> Value {
    let (purpose, organization, role, email) = match &invitation.purpose {
        InvitationPurpose::FirstAdministrator => ("first_administrator", None, None, None),
        InvitationPurpose::Member { organization_id, role, email } => {
            let email = email.as_ref().map(|email| email.as_str());
            ("member", Some(organization_id), Some(role.as_str()), email)
        }
        InvitationPurpose::NewPassword(_) => ("new_password", None, None, None),
    };
    json!({
        "purpose": purpose,
        "organization_id": organization,
        "role": role,
        "email": email,
        "created_by": invitation.created_by,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
        "used_at": invitation.used_at,
    })
}

fn undo_entries(named: &NamedRows) -> Value {
    let rows = named.undo_entries.iter().map(|entry| {
        json!({
            "organization_id": entry.organization_id,
            "change": entry.change,
            "expires_at": entry.expires_at,
        })
    });
    rows.collect()
}

/// The upload sessions, without their ids, which are credentials.
fn upload_sessions(named: &NamedRows) -> Value {
    let rows = named.upload_sessions.iter().map(|session| {
        json!({
            "organization_id": session.organization_id,
            "collection_id": session.collection_id,
            "creator_id": session.creator_id,
            "organization_index": session.organization_index,
            "metadata": session.metadata,
            "expires_at": session.expires_at,
        })
    });
    rows.collect()
}

fn replacements(named: &NamedRows) -> Value {
    let rows = named.replacements.iter().map(|replacement| {
        json!({
            "organization_id": replacement.organization_id,
            "track_id": replacement.track_id,
            "state": replacement.state,
            "file_name": replacement.file_name,
            "created_at": replacement.created_at,
            "expires_at": replacement.expires_at,
        })
    });
    rows.collect()
}

pub(super) fn of_listener(kept: &KeptListener) -> Value {
    let hashes = kept.hashes.iter().map(
        |(day, listener)| json!({"day": day.to_string(), "listener": format!("{:016x}", listener.hash())}),
    );
    let listening = kept.listening.iter().map(|found| {
        json!({
            "organization_id": found.organization_id,
            "day": found.day.to_string(),
            "folder": found.folder,
            "seconds": found.taken_micros / 1_000_000,
            "seconds_played": found.played.millis() / 1000,
            "is_listen": found.is_listen,
            "playing_until": found.playing_until,
            "share_key_id": found.share_key_id,
            "site": found.referrer,
            "is_member": found.is_member,
            "country": found.country,
        })
    });
    let sightings = kept.sightings.iter().map(|found| {
        json!({
            "organization_id": found.organization_id,
            "day": found.day.to_string(),
            "kind": found.kind,
            "subject": found.subject,
        })
    });
    complete(json!({
        "hashes": hashes.collect::<Vec<_>>(),
        "listening": listening.collect::<Vec<_>>(),
        "sightings": sightings.collect::<Vec<_>>(),
        "not_found_here": [
            "the server's log",
            "backups",
            "what was heard more than nine days ago: hashes are removed, and sums are about nobody",
            "what was heard with another address or user agent",
            "what was heard under a master secret that is no longer listed",
        ],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_were_cut_are_listed() {
        let long = vec![0; usize::try_from(MOST_KEPT_ROWS).unwrap()];
        let export = complete(json!({"long": long, "short": [1], "account": null}));
        assert_eq!(export["cut_lists"], json!(["long"]));
        assert_eq!(complete(json!({"short": []}))["cut_lists"], json!([]));
    }
}
