//! Rows of `invitation`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{Invitation, InvitationId, InvitationPurpose, OrganizationId, PersonId};

use crate::column::{corrupt, moment, moment_if_set, parsed, parsed_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "invitation")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub token_hash: Vec<u8>,
    pub purpose: String,
    pub organization_id: Option<Uuid>,
    pub role: Option<String>,
    pub email: Option<String>,
    pub person_id: Option<Uuid>,
    pub created_at: i64,
    pub expires_at: i64,
    pub used_at: Option<i64>,
    pub created_by: Option<Uuid>,
    pub taken_addresses: i32,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub(crate) const FIRST_ADMINISTRATOR: &str = "first_administrator";
pub(crate) const MEMBER: &str = "member";
pub(crate) const NEW_PASSWORD: &str = "new_password";

impl TryFrom<Model> for Invitation {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let purpose = match (row.purpose.as_str(), row.organization_id, row.role.as_deref(), row.person_id) {
            (FIRST_ADMINISTRATOR, None, None, None) => InvitationPurpose::FirstAdministrator,
            (MEMBER, Some(organization), Some(role), None) => InvitationPurpose::Member {
                organization_id: OrganizationId::from_uuid(organization),
                role: parsed("invitation.role", role)?,
                email: parsed_if_set("invitation.email", row.email.as_deref())?,
            },
            (NEW_PASSWORD, None, None, Some(person)) => {
                InvitationPurpose::NewPassword(PersonId::from_uuid(person))
            }
            _ => return Err(corrupt("invitation.purpose")),
        };
        Ok(Self {
            id: InvitationId::from_uuid(row.id),
            purpose,
            created_at: moment("invitation.created_at", row.created_at)?,
            expires_at: moment("invitation.expires_at", row.expires_at)?,
            used_at: moment_if_set("invitation.used_at", row.used_at)?,
            created_by: row.created_by.map(PersonId::from_uuid),
        })
    }
}

impl From<&Invitation> for ActiveModel {
    /// All columns but the hash of the link's secret and the count of taken addresses, which the record does not contain.
    fn from(invitation: &Invitation) -> Self {
        let (purpose, organization, role, email, person) = match &invitation.purpose {
            InvitationPurpose::FirstAdministrator => (FIRST_ADMINISTRATOR, None, None, None, None),
            InvitationPurpose::Member { organization_id, role, email } => {
                (MEMBER, Some(*organization_id), Some(*role), email.as_ref(), None)
            }
            InvitationPurpose::NewPassword(person) => (NEW_PASSWORD, None, None, None, Some(*person)),
        };
        Self {
            id: Set(invitation.id.uuid()),
            token_hash: NotSet,
            purpose: Set(purpose.to_owned()),
            organization_id: Set(organization.map(OrganizationId::uuid)),
            role: Set(role.map(|role| role.as_str().to_owned())),
            email: Set(email.map(ToString::to_string)),
            person_id: Set(person.map(PersonId::uuid)),
            created_at: Set(invitation.created_at.unix_millis()),
            expires_at: Set(invitation.expires_at.unix_millis()),
            used_at: Set(invitation.used_at.map(|at| at.unix_millis())),
            created_by: Set(invitation.created_by.map(PersonId::uuid)),
            taken_addresses: NotSet,
        }
    }
}
