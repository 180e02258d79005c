//! How many records an organization keeps in the database, and the limits. Triggers count (see the step
//! `m0080_record_counts`).

use sea_orm::{ConnectionTrait, DbErr, Statement};
use tonearm_domain::{DiskRoom, OrganizationId, QuotaExceeded, QuotaKind, RecordLimits, RecordUsage};

use crate::catalog::Catalog;
use crate::connect_options::Backend;
use crate::error::CatalogError;
use crate::transaction::Transaction;

const USAGE: &str = "SELECT CAST(coalesce(sum(records), 0) AS bigint) AS records, \
    CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes FROM record_count WHERE organization_id = $1";

/// Adds up what was counted since the last time. A reader sees all of it either before or after.
const MERGE: &str = "WITH gone AS (DELETE FROM record_count WHERE organization_id IN (SELECT organization_id \
    FROM record_count GROUP BY organization_id HAVING count(*) > 1) RETURNING organization_id, records, bytes) \
    INSERT INTO record_count (organization_id, records, bytes) \
    SELECT organization_id, sum(records), sum(bytes) FROM gone GROUP BY organization_id";

async fn usage(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<RecordUsage, DbErr> {
    let select =
        Statement::from_sql_and_values(db.get_database_backend(), USAGE, [organization.uuid().into()]);
    let Some(row) = db.query_one_raw(select).await? else { return Ok(RecordUsage::default()) };
    let count = |column| row.try_get::<i64>("", column).map(|count| u64::try_from(count).unwrap_or(0));
    Ok(RecordUsage { records: count("records")?, metadata: count("bytes")? })
}

/// Refuses to add records while a disk has too little free space.
fn admit_to_disk(room: &DiskRoom) -> Result<(), CatalogError> {
    room.shortage_for_records().map_or(Ok(()), |shortage| Err(CatalogError::Full(shortage.into())))
}

impl Catalog {
    /// Refuses to add records while a disk has too little free space.
    pub fn admit_to_disk(&self) -> Result<(), CatalogError> {
        admit_to_disk(&self.ending().disk_room)
    }

    /// How much every organization may keep in the database.
    pub fn record_limits(&self) -> RecordLimits {
        self.ending().record_limits
    }

    /// How much an organization keeps in the database.
    pub async fn record_usage(&self, organization: OrganizationId) -> Result<RecordUsage, CatalogError> {
        Ok(usage(self.reader(), organization).await?)
    }

    /// Adds up the counts of statements, so that few rows are left to read for each organization. Several nodes may do
    /// this at once.
    pub async fn merge_record_counts(&self) -> Result<(), CatalogError> {
        if self.backend() == Backend::Postgres {
            self.writer().execute_unprepared(MERGE).await?;
        }
        Ok(())
    }
}

impl Transaction {
    /// Refuses to add records while a disk has too little free space.
    pub(crate) fn admit_to_disk(&self) -> Result<(), CatalogError> {
        admit_to_disk(self.disk_room())
    }

    /// Refuses to add records for an organization that has as many as it may have.
    pub async fn admit_records(&self, organization: OrganizationId) -> Result<(), CatalogError> {
        match self.record_exceeds(organization, 1).await? {
            Some(exceeded) => Err(exceeded.into()),
            None => Ok(()),
        }
    }

    /// The same, except that what an organization has may become smaller while its text and metadata are at their limit:
    /// whether it does is known when the transaction is committed.
    pub(crate) async fn admit_changes(&self, organization: OrganizationId) -> Result<(), CatalogError> {
        match self.record_exceeds(organization, 1).await? {
            Some(full) if full.kind == QuotaKind::Metadata => {
                self.note_full(organization, full);
                Ok(())
            }
            Some(exceeded) => Err(exceeded.into()),
            None => Ok(()),
        }
    }

    /// Refuses a transaction that has added text or metadata where these are at their limit.
    pub(crate) async fn require_no_growth(&self) -> Result<(), CatalogError> {
        let Some((organization, full)) = self.full() else { return Ok(()) };
        match usage(self.db(), organization).await?.metadata > full.used {
            true => Err(full.into()),
            false => Ok(()),
        }
    }

    /// The limit that a record with `bytes` bytes of text and metadata would exceed.
    pub async fn record_exceeds(
        &self,
        organization: OrganizationId,
        bytes: u64,
    ) -> Result<Option<QuotaExceeded>, CatalogError> {
        let limits = self.record_limits();
        if limits == RecordLimits::default() {
            return Ok(None);
        }
        Ok(limits.admit_record(usage(self.db(), organization).await?, bytes).err())
    }
}
