//! The first sign-in with the provider, for people who were invited or may join.

use tonearm_catalog::Transaction;
use tonearm_domain::{EmailAddress, InvitationPurpose, Person, Role};
use tonearm_outbound::Account;

use super::links::{insert_person, person_name};
use super::provider::SignInProvider;
use super::{People, ProviderSignInError, passwords};
use crate::refusal::{Refusal, Resource};

/// The maximum number of invitations to one email address that are accepted at once.
const MOST_INVITATIONS: u64 = 20;

impl People {
    /// Creates a person with a verified email address, and accepts all invitations to this address. The first
    /// administrator cannot be created this way.
    pub(super) async fn admit(
        &self,
        tx: &Transaction,
        provider: &SignInProvider,
        email: &EmailAddress,
        account: &Account,
    ) -> Result<Person, ProviderSignInError> {
        let no_account = || ProviderSignInError::NoAccount(email.clone());
        if !tx.has_people().await? {
            return Err(no_account());
        }
        let now = self.ambient.now();
        let mut with_reason = Vec::new();
        for invitation in tx.open_invitations_for(email, now, MOST_INVITATIONS).await? {
            if self.lock_reason(tx, &invitation).await? {
                with_reason.push(invitation.id);
            }
        }
        let mut places = Vec::new();
        for id in with_reason {
            let invitation = tx.invitation(id).await?.filter(|invitation| invitation.is_valid_at(now));
            if let Some(InvitationPurpose::Member { organization_id, role, .. }) =
                invitation.map(|invitation| invitation.purpose)
            {
                tx.note_invitation_used(id, now).await?;
                places.push((organization_id, role));
            }
        }
        if places.is_empty() {
            let id = provider.join().ok_or_else(no_account)?;
            if tx.organization(id).await?.is_none() {
                tracing::error!(organization_id = %id, "the organization that oidc.join names does not exist");
                return Err(no_account());
            }
            places.push((id, Role::Viewer));
        }
        let person = self.person_of(email, account);
        insert_person(tx, &person, passwords::NONE).await.map_err(over_if_taken)?;
        for (organization, role) in places {
            self.insert_membership(tx, organization, person.id, role).await?;
        }
        Ok(person)
    }

    fn person_of(&self, email: &EmailAddress, account: &Account) -> Person {
        let display_name: String =
            account.name.iter().flat_map(|name| name.chars()).filter(|c| !c.is_control()).collect();
        let display_name: String = display_name.trim().chars().take(100).collect();
        let local = email.as_str().split('@').next().unwrap_or_default();
        Person {
            id: self.ambient.record_id(),
            email: email.clone(),
            name: person_name(&display_name).unwrap_or_else(|_| local.chars().take(100).collect()),
            is_administrator: false,
            created_at: self.ambient.now(),
            disabled_at: None,
            language: None,
        }
    }
}

/// Another request created the same person in between.
fn over_if_taken(refusal: Refusal) -> ProviderSignInError {
    match refusal {
        Refusal::Invalid { field: "email", .. } | Refusal::NotFound(Resource::Invitation) => {
            ProviderSignInError::Over
        }
        other => other.into(),
    }
}
