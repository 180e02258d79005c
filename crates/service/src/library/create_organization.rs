//! A new organization, able to work at once.

use tonearm_domain::{KeyType, Organization, OrganizationId, default_recipes};
use tonearm_signing::ApiKeyText;

use super::{CreateKey, Library};
use crate::{Caller, Refusal};

/// A new organization and the first key to it.
#[derive(Debug)]
pub struct CreatedOrganization {
    /// The organization.
    pub organization: Organization,
    /// A key of type `api`, shown this once.
    pub api_key: ApiKeyText,
}

impl Library {
    /// Creates an organization with the default recipes and a key of type `api`, all or nothing.
    pub async fn create_organization(&self, name: &str) -> Result<CreatedOrganization, Refusal> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 200 || name.contains('\0') {
            return Err(Refusal::invalid("name", "is a text of 1 to 200 characters"));
        }
        let id: OrganizationId = self.ambient.record_id();
        let organization =
            Organization::new(id, self.ambient.short_id(), name.to_owned(), self.ambient.now());
        let tx = self.catalog.begin().await?;
        tx.insert_organization(&organization).await?;
        for recipe in default_recipes(id, &self.ambient) {
            tx.insert_recipe(&recipe).await?;
        }
        let key = CreateKey { is_downloadable: true, ..CreateKey::new(KeyType::Api, "First key") };
        let created = self.insert_key(&tx, &Caller::owner(id), key).await?;
        tx.commit().await?;
        Ok(CreatedOrganization { organization, api_key: created.text })
    }

    /// Every organization, by creation.
    pub async fn organizations(&self) -> Result<Vec<Organization>, Refusal> {
        Ok(self.catalog.organizations().await?)
    }
}
