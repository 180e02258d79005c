//! The audit log.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};
use tonearm_domain::{AuditEntry, AuditEntryId, AuditRecord, OrganizationId, Timestamp};
use uuid::Uuid;

use crate::entity::audit_entry::{ActiveModel, Column, Entity};
use crate::query::all;
use crate::{Catalog, CatalogError, Transaction};

/// Which lines of the audit log; what is not set does not narrow.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only what was done by this key or person.
    pub actor_id: Option<Uuid>,
    /// Only what was done to this thing.
    pub subject_id: Option<Uuid>,
    /// Only this action (`track.delete`), or the actions on one noun (`track`).
    pub action: Option<String>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
}

impl AuditFilter {
    fn condition(&self, organization: Option<OrganizationId>) -> Condition {
        let action = self.action.as_ref().map(|action| {
            // A noun is no pattern: all that starts with "track." lies between "track." and "track/".
            let of_noun = Condition::all()
                .add(Column::Action.gte(format!("{action}.")))
                .add(Column::Action.lt(format!("{action}/")));
            Condition::any().add(Column::Action.eq(action)).add(of_noun)
        });
        Condition::all()
            .add(match organization {
                Some(id) => Column::OrganizationId.eq(id.uuid()),
                None => Column::OrganizationId.is_null(),
            })
            .add_option(self.actor_id.map(|id| Column::ActorId.eq(id)))
            .add_option(self.subject_id.map(|id| Column::SubjectId.eq(id)))
            .add_option(action)
            .add_option(self.since.map(|at| Column::At.gte(at.unix_millis())))
            .add_option(self.until.map(|at| Column::At.lt(at.unix_millis())))
    }
}

impl Catalog {
    /// The newest lines of an organization, or of none, that match, older than `before`, at most `limit`.
    pub async fn audit_entries(
        &self,
        organization: Option<OrganizationId>,
        filter: &AuditFilter,
        before: Option<AuditEntryId>,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, CatalogError> {
        let mut select = Entity::find().filter(filter.condition(organization));
        if let Some(before) = before {
            select = select.filter(Column::Id.lt(before.uuid()));
        }
        all(self.reader(), select.order_by_desc(Column::Id).limit(limit)).await
    }
}

impl Transaction {
    /// Writes a line of the audit log, together with what it tells of.
    pub async fn audit(&self, entry: &AuditEntry) -> Result<(), CatalogError> {
        let insert = Entity::insert(ActiveModel::from(entry)).into_query();
        Ok(self.insert_traced(insert).await?)
    }
}
