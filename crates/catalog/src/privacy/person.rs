//! Data about people who can sign in, or could.

use sea_orm::sea_query::{Expr, ExprTrait, Keyword, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use tonearm_domain::{
    AuditEntryId, AuditRecord, EmailAddress, Invitation, KnownDevice, Membership, PersonId, Replacement,
    UndoEntry, UploadSession,
};
use uuid::Uuid;

use super::MOST_KEPT_ROWS;
use super::columns::{Erasure, PERSON_EMAILS, PERSON_IDS, PersonColumn};
use crate::catalog::Catalog;
use crate::entity::{
    audit_entry, invitation, known_device, membership, source_replacement, undo_entry, upload_session,
};
use crate::error::CatalogError;
use crate::query::{first_readable, readable};
use crate::transaction::Transaction;

/// The ids and addresses by which rows refer to one person. An account that was removed and created again has another
/// id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonNames {
    /// The ids of the person's accounts.
    pub ids: Vec<PersonId>,
    /// The person's addresses.
    pub emails: Vec<EmailAddress>,
}

impl PersonNames {
    fn uuids(&self) -> impl Iterator<Item = Uuid> {
        self.ids.iter().map(|id| id.uuid())
    }

    fn addresses(&self) -> impl Iterator<Item = &str> {
        self.emails.iter().map(EmailAddress::as_str)
    }
}

impl Catalog {
    /// The next entries of the audit log after `after`, the oldest first: those of all organizations and those of none.
    pub async fn audit_walk(
        &self,
        after: Option<AuditEntryId>,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, CatalogError> {
        use audit_entry::{Column, Entity};
        let select = Entity::find()
            .apply_if(after, |select, after| select.filter(Column::Id.gt(after.uuid())))
            .order_by_asc(Column::Id);
        first_readable(self.reader(), select, limit).await
    }

    /// The memberships of a person.
    pub async fn memberships_of(&self, person: PersonId) -> Result<Vec<Membership>, CatalogError> {
        use membership::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.eq(person.uuid())).limit(MOST_KEPT_ROWS);
        readable(self.reader(), select).await
    }

    /// The browsers in which a person has signed in.
    pub async fn known_devices(&self, person: PersonId) -> Result<Vec<KnownDevice>, CatalogError> {
        use known_device::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.eq(person.uuid())).limit(MOST_KEPT_ROWS);
        readable(self.reader(), select).await
    }

    /// Links that were sent to a person, or that the person created.
    pub async fn invitations_about(&self, person: &PersonNames) -> Result<Vec<Invitation>, CatalogError> {
        use invitation::{Column, Entity};
        let about = Condition::any()
            .add(Column::PersonId.is_in(person.uuids()))
            .add(Column::CreatedBy.is_in(person.uuids()))
            .add(Column::Email.is_in(person.addresses()));
        readable(self.reader(), Entity::find().filter(about).order_by_asc(Column::Id).limit(MOST_KEPT_ROWS))
            .await
    }

    /// Changes of many tracks that a person can undo.
    pub async fn undo_entries_of(&self, person: &PersonNames) -> Result<Vec<UndoEntry>, CatalogError> {
        use undo_entry::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.is_in(person.uuids()));
        readable(self.reader(), select.order_by_asc(Column::Id).limit(MOST_KEPT_ROWS)).await
    }

    /// Upload sessions that a person opened.
    pub async fn upload_sessions_of(&self, person: &PersonNames) -> Result<Vec<UploadSession>, CatalogError> {
        use upload_session::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.is_in(person.uuids()));
        readable(self.reader(), select.order_by_asc(Column::ExpiresAt).limit(MOST_KEPT_ROWS)).await
    }

    /// Replacements of sources that a person requested.
    pub async fn replacements_by(&self, person: &PersonNames) -> Result<Vec<Replacement>, CatalogError> {
        use source_replacement::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.is_in(person.uuids()));
        readable(self.reader(), select.order_by_asc(Column::Id).limit(MOST_KEPT_ROWS)).await
    }
}

impl Transaction {
    /// Removes the network addresses from entries of the audit log. The entries stay.
    pub async fn clear_audit_addresses(&self, lines: &[AuditEntryId]) -> Result<(), CatalogError> {
        use audit_entry::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::Address, Expr::value(None::<String>))
            .filter(Column::Id.is_in(lines.iter().map(|id| id.uuid())))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Replaces the title of entries of the audit log.
    pub async fn replace_audit_titles(
        &self,
        lines: &[AuditEntryId],
        title: &str,
    ) -> Result<(), CatalogError> {
        use audit_entry::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::Title, Expr::value(title))
            .filter(Column::Id.is_in(lines.iter().map(|id| id.uuid())))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Removes a person whose account is removed from all other rows, except for the audit log.
    pub async fn forget_person(&self, person: &PersonNames) -> Result<(), CatalogError> {
        self.forget_in(PERSON_IDS, person.uuids().map(Into::into).collect()).await?;
        self.forget_in(PERSON_EMAILS, person.addresses().map(Into::into).collect()).await
    }

    async fn forget_in(&self, columns: &[PersonColumn], names: Vec<SimpleExpr>) -> Result<(), CatalogError> {
        for &PersonColumn { table, column, erasure } in columns {
            let is_named = Expr::col(column).is_in(names.iter().cloned());
            match erasure {
                Erasure::WithAccount | Erasure::Line => {}
                Erasure::Row => {
                    let delete = Query::delete().from_table(table).and_where(is_named).take();
                    self.db().execute(&delete).await?;
                }
                Erasure::Name => {
                    let nobody = SimpleExpr::Keyword(Keyword::Null);
                    let update =
                        Query::update().table(table).value(column, nobody).and_where(is_named).take();
                    self.db().execute(&update).await?;
                }
            }
        }
        Ok(())
    }
}
