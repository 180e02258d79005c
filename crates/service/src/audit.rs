//! The audit log. Each entry is written in the transaction of the action that it records.

use futures::Stream;
use tonearm_catalog::{AuditFilter, Catalog, CatalogError, Transaction};
use tonearm_domain::{Ambient, AuditAction, AuditEntry, AuditEntryId, AuditRecord, OrganizationId, Origin};
use uuid::Uuid;

use crate::caller::Caller;
use crate::refusal::Refusal;

/// The number of entries that an export reads at once.
const BATCH: u64 = 500;

/// An action, and the id and the title of its subject.
pub(crate) struct AuditedAction<'a> {
    pub(crate) action: AuditAction,
    pub(crate) subject_id: Uuid,
    pub(crate) title: &'a str,
}

/// Records an action of a caller, in the transaction that performs it.
pub(crate) async fn record(
    tx: &Transaction,
    ambient: &Ambient,
    caller: &Caller,
    entry: AuditedAction<'_>,
) -> Result<(), CatalogError> {
    record_of(tx, ambient, Some(caller.organization_id), caller.origin, entry).await
}

/// Like [`record`], for a subject that has a name instead of an id, such as a bucket.
pub(crate) async fn record_named(
    tx: &Transaction,
    ambient: &Ambient,
    caller: &Caller,
    action: AuditAction,
    name: &str,
) -> Result<(), CatalogError> {
    let entry = AuditEntry {
        id: ambient.record_id(),
        organization_id: Some(caller.organization_id),
        at: ambient.now(),
        origin: caller.origin,
        action,
        subject_id: None,
        title: Some(name.to_owned()),
    };
    tx.audit(&entry).await
}

/// Like [`record`], for an action without a [`Caller`], such as a sign-in.
pub(crate) async fn record_of(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: Option<OrganizationId>,
    origin: Origin,
    entry: AuditedAction<'_>,
) -> Result<(), CatalogError> {
    let entry = AuditEntry {
        id: ambient.record_id(),
        organization_id,
        at: ambient.now(),
        origin,
        action: entry.action,
        subject_id: Some(entry.subject_id),
        title: Some(entry.title.to_owned()).filter(|title| !title.is_empty()),
    };
    tx.audit(&entry).await
}

/// Reads the audit log of an organization.
#[derive(Clone)]
pub struct Audit {
    catalog: Catalog,
}

impl Audit {
    /// Creates a reader for this catalog.
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog }
    }

    /// The newest entries that match and are older than `before` (the last entry of the previous page), at most
    /// `limit`.
    pub async fn entries(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        before: Option<AuditEntryId>,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, Refusal> {
        caller.require_whole_organization()?;
        let organization = Some(caller.organization_id);
        Ok(self.catalog.audit_entries(organization, filter, before, limit).await?)
    }

    /// Every entry of the caller's organization that matches, newest first. The stream reads the entries in batches.
    pub fn export<'a>(
        &'a self,
        caller: &'a Caller,
        filter: &'a AuditFilter,
    ) -> impl Stream<Item = Result<AuditRecord, Refusal>> + 'a {
        use futures::TryStreamExt;
        let checked = async {
            caller.require_whole_organization()?;
            Ok::<_, Refusal>(self.lines(Some(caller.organization_id), filter))
        };
        futures::stream::once(checked).try_flatten()
    }

    /// Every matching entry that belongs to no organization, such as sign-ins. For the operator of the server.
    pub fn export_of_none<'a>(
        &'a self,
        filter: &'a AuditFilter,
    ) -> impl Stream<Item = Result<AuditRecord, Refusal>> + 'a {
        self.lines(None, filter)
    }

    fn lines<'a>(
        &'a self,
        organization: Option<OrganizationId>,
        filter: &'a AuditFilter,
    ) -> impl Stream<Item = Result<AuditRecord, Refusal>> + 'a {
        use futures::{StreamExt, TryStreamExt};
        let batches = futures::stream::try_unfold(Some(None), move |from| async move {
            let Some(before) = from else {
                return Ok(None);
            };
            let batch = self.catalog.audit_entries(organization, filter, before, BATCH).await?;
            let next = batch.last().filter(|_| batch.len() as u64 == BATCH).map(|last| Some(last.id));
            Ok::<_, Refusal>(Some((batch, next)))
        });
        batches.map_ok(|batch| futures::stream::iter(batch).map(Ok)).try_flatten()
    }
}
