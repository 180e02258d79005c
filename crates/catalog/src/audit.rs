//! The audit log.

use sea_orm::sea_query::{Query, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use tonearm_domain::{AuditAction, AuditEntry, AuditEntryId, AuditRecord, OrganizationId, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::audit_entry::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::query::{first_readable, readable};
use crate::transaction::Transaction;

/// Filters for entries of the audit log. A filter that is `None` matches all.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only entries whose actor is this key or person.
    pub actor_id: Option<Uuid>,
    /// Only entries about this subject.
    pub subject_id: Option<Uuid>,
    /// Only this action (`track.delete`), or the actions on one noun (`track`).
    pub action: Option<String>,
    /// Only entries at or after this time.
    pub since: Option<Timestamp>,
    /// Only entries before this time.
    pub until: Option<Timestamp>,
}

impl AuditFilter {
    /// The requested actions, each by its full name; `None` if every action matches.
    fn actions(&self) -> Option<Vec<&str>> {
        let requested = self.action.as_deref()?;
        let of_noun = |action: &&str| action.split_once('.').is_some_and(|(noun, _)| noun == requested);
        let mut actions: Vec<&str> =
            AuditAction::ALL.iter().map(|action| action.as_str()).filter(of_noun).collect();
        if actions.is_empty() {
            actions.push(requested);
        }
        Some(actions)
    }

    fn condition(&self, organization: Option<OrganizationId>) -> Condition {
        Condition::all()
            .add(match organization {
                Some(id) => Column::OrganizationId.eq(id.uuid()),
                None => Column::OrganizationId.is_null(),
            })
            .add_option(self.actor_id.map(|id| Column::ActorId.eq(id)))
            .add_option(self.subject_id.map(|id| Column::SubjectId.eq(id)))
            .add_option(self.since.map(|at| Column::At.gte(at.unix_millis())))
            .add_option(self.until.map(|at| Column::At.lt(at.unix_millis())))
    }
}

impl Catalog {
    /// The newest matching entries older than `before`, at most `limit`. Without an organization, the entries that
    /// belong to no organization.
    pub async fn audit_entries(
        &self,
        organization: Option<OrganizationId>,
        filter: &AuditFilter,
        before: Option<AuditEntryId>,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, CatalogError> {
        let older = |select: Select<Entity>| {
            let matching = select.filter(filter.condition(organization));
            let older =
                matching.apply_if(before, |select, before| select.filter(Column::Id.lt(before.uuid())));
            older.order_by_desc(Column::Id)
        };
        let Some(actions) = filter.actions() else {
            return first_readable(self.reader(), older(Entity::find()), limit).await;
        };
        // An index finds the newest entries of one action, but not those of several actions together.
        let mut found = Query::select();
        for (at, action) in actions.into_iter().enumerate() {
            let newest =
                older(Entity::find().select_only().column(Column::Id).filter(Column::Action.eq(action)));
            let newest = newest.limit(limit);
            let newest = Query::select().column("id").from_subquery(newest.into_query(), "newest").take();
            match at {
                0 => found = newest,
                _ => _ = found.union(UnionType::All, newest),
            }
        }
        let ids = Query::select()
            .column("id")
            .from_subquery(found, "found")
            .order_by("id", Order::Desc)
            .limit(limit)
            .take();
        let ids = self.reader().query_all(&ids).await?;
        let ids: Vec<Uuid> = ids.iter().map(|row| row.try_get("", "id")).collect::<Result<_, _>>()?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        readable(self.reader(), Entity::find().filter(Column::Id.is_in(ids)).order_by_desc(Column::Id)).await
    }
}

impl Transaction {
    /// Adds an entry to the audit log, in the transaction of the change that it records.
    pub async fn audit(&self, entry: &AuditEntry) -> Result<(), CatalogError> {
        let mut entry = entry.clone();
        entry.origin.address = entry.origin.address.map(|address| self.stored_addresses().of(address));
        let insert = Entity::insert(ActiveModel::from(&entry)).into_query();
        Ok(self.insert_traced(insert).await?)
    }
}
