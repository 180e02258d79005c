//! Creating an organization that is ready to use.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Ambient, AuditAction, KeyType, Membership, Organization, OrganizationId, Role, default_recipes,
};
use tonearm_signing::ApiKeyText;

use super::{CreateKey, Library};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::Refusal;

/// A new organization and the first key to it.
#[derive(Debug)]
pub struct CreatedOrganization {
    /// The organization.
    pub organization: Organization,
    /// A key of type `api`. It is shown only once.
    pub api_key: ApiKeyText,
}

impl Library {
    /// Creates an organization with the default recipes and a key of type `api`, in one transaction.
    pub async fn create_organization(&self, name: &str) -> Result<CreatedOrganization, Refusal> {
        let tx = self.catalog.begin().await?;
        let organization = insert_organization(&tx, &self.ambient, name).await?;
        let id = organization.id;
        let key = CreateKey { is_downloadable: true, ..CreateKey::new(KeyType::Api, "First key") };
        let done =
            AuditedAction { action: AuditAction::OrganizationCreate, subject_id: id.uuid(), title: name };
        audit::record(&tx, &self.ambient, &Caller::owner(id), done).await?;
        let created = self.insert_key(&tx, &Caller::owner(id), key).await?;
        tx.commit().await?;
        Ok(CreatedOrganization { organization, api_key: created.text })
    }

    /// Creates an organization with the default recipes and no key, in one transaction.
    pub async fn create_keyless_organization(&self, name: &str) -> Result<Organization, Refusal> {
        let tx = self.catalog.begin().await?;
        let organization = insert_organization(&tx, &self.ambient, name).await?;
        tx.commit().await?;
        Ok(organization)
    }

    /// All organizations, in order of creation.
    pub async fn organizations(&self) -> Result<Vec<Organization>, Refusal> {
        Ok(self.catalog.organizations().await?)
    }
}

/// Adds an organization with the default recipes. Administrators own it.
pub(crate) async fn insert_organization(
    tx: &Transaction,
    ambient: &Ambient,
    name: &str,
) -> Result<Organization, Refusal> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 200 || name.contains('\0') {
        return Err(Refusal::invalid("name", "must have 1 to 200 characters"));
    }
    let (id, now): (OrganizationId, _) = (ambient.record_id(), ambient.now());
    let organization = Organization::new(id, ambient.short_id(), name.to_owned(), now);
    tx.insert_organization(&organization).await?;
    for recipe in default_recipes(id, ambient) {
        tx.insert_recipe(&recipe).await?;
    }
    for person_id in tx.administrators().await? {
        let membership = Membership { organization_id: id, person_id, role: Role::Owner, created_at: now };
        tx.insert_membership(&membership).await?;
    }
    Ok(organization)
}
