//! Reading and changing an organization.

use tonearm_domain::{
    AuditAction, Colour, Organization, OrganizationId, Palette, Patch, PlayerColour, PlayerColours,
    SentRecord,
};

use super::texts::{LONGEST, check_changed, set_required};
use super::{Library, derived};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

/// An organization with its companion colours.
#[derive(Debug, Clone)]
pub struct OrganizationView {
    /// The organization.
    pub organization: Organization,
    /// Its colour with its companion colours.
    pub colours: PlayerColours,
}

/// Changes to an organization.
#[derive(Debug, Clone, Default)]
pub struct UpdateOrganization {
    /// Its name; cannot be cleared.
    pub name: Patch<String>,
    /// Its own colours. If cleared, those found in its cover apply.
    pub theme: Patch<Palette>,
    /// Whether the caller sends back a whole record.
    pub record: SentRecord,
    /// Whether levels below may bring their own colours.
    pub is_theme_overridable: Patch<bool>,
    /// Whether levels below may bring their own cover.
    pub is_cover_overridable: Patch<bool>,
    /// Its player colour. If cleared, the default applies.
    pub player_colour: Patch<Colour>,
    /// The line under the title. Clearing it leaves it empty.
    pub player_subtitle: Patch<String>,
    /// Whether tracks can be played while they are still being processed. Cannot be changed through the API.
    pub is_early_sound: Patch<bool>,
}

impl UpdateOrganization {
    fn apply(self, organization: &mut Organization) -> Result<(), Refusal> {
        check_changed::<LONGEST_NAME>("name", &self.name, Some(&organization.name))?;
        let subtitle = Some(organization.player_subtitle.as_str());
        check_changed::<LONGEST>("player_subtitle", &self.player_subtitle, subtitle)?;
        set_required("name", self.name, &mut organization.name)?;
        // Its player colour is set, and not derived.
        let player = Some(organization.player_colour);
        organization.theme.apply(self.theme, self.record, PlayerColour { set: player, shown: player })?;
        self.is_theme_overridable.apply_or(&mut organization.is_theme_overridable, true)?;
        self.is_cover_overridable.apply_or(&mut organization.is_cover_overridable, true)?;
        self.player_colour.apply_or(&mut organization.player_colour, Colour::DEFAULT)?;
        self.player_subtitle.apply_or(&mut organization.player_subtitle, String::new())?;
        self.is_early_sound.apply_or(&mut organization.is_early_sound, false)?;
        Ok(())
    }
}

impl OrganizationView {
    /// The URLs of webhooks, which may contain a secret, are for those who may read webhooks.
    fn for_caller(caller: &Caller, mut organization: Organization) -> Self {
        if caller.require_no_limits().is_err() {
            organization.webhook_url = None;
            organization.webhook_url_file = None;
            organization.webhook_url_collection = None;
        }
        let colours = organization.player_colour.companions();
        Self { organization, colours }
    }
}

impl Library {
    /// The caller's own organization. A scoped key may read it too: players show its name and colours.
    pub async fn organization(
        &self,
        caller: &Caller,
        id: OrganizationId,
    ) -> Result<OrganizationView, Refusal> {
        caller.reach_organization(id)?;
        let organization = self.catalog.organization(id).await?;
        organization
            .map(|organization| OrganizationView::for_caller(caller, organization))
            .ok_or(Refusal::NotFound(Resource::Organization))
    }

    /// Changes the caller's own organization.
    pub async fn update_organization(
        &self,
        caller: &Caller,
        id: OrganizationId,
        update: UpdateOrganization,
    ) -> Result<OrganizationView, Refusal> {
        caller.reach_organization(id)?;
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let mut organization = tx.organization(id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        let before = organization.clone();
        update.apply(&mut organization)?;
        tx.update_organization(&organization).await?;
        derived::organization_changed(&tx, &self.ambient, (&before, &organization)).await?;
        let done = AuditedAction {
            action: AuditAction::OrganizationUpdate,
            subject_id: organization.id.uuid(),
            title: &organization.name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(OrganizationView::for_caller(caller, organization))
    }
}
