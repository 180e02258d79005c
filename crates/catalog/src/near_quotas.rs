//! Organizations that have nearly used up their quotas, for operators.

use sea_orm::{ConnectionTrait, QueryResult, Statement};
use tonearm_domain::{OrganizationId, QuotaKind};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{corrupt, size};
use crate::error::CatalogError;

/// A quota of which at least four fifths are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearQuota {
    /// The organization that has the quota.
    pub organization_id: OrganizationId,
    /// The name of the organization.
    pub name: String,
    /// What it limits.
    pub kind: QuotaKind,
    /// The amount used, in the unit of the quota. A started minute counts as a whole one.
    pub used: u64,
    /// The limit; at least 1.
    pub limit: u64,
}

/// Reads the collections of organizations that have quotas in two parts, living and deleted, because each has its own
/// index, as in `quota_usage`. A quota of 0, which closes an organization, is left out.
fn statement(most: usize) -> String {
    let limited = "organization_id IN (SELECT organization_id FROM quota) GROUP BY organization_id";
    let kept_bytes = "CAST(SUM(kept_bytes + cover_bytes) AS bigint) AS bytes";
    format!(
        "WITH living AS (SELECT organization_id, {kept_bytes}, CAST(SUM(track_count) AS bigint) AS tracks, \
         CAST(SUM(sound_millis) AS bigint) AS millis FROM collection WHERE deleted_at IS NULL AND {limited}), \
         deleted AS (SELECT organization_id, {kept_bytes} FROM collection WHERE deleted_at IS NOT NULL AND {limited}), \
         held AS (SELECT organization.id, organization.name, quota.bytes AS most_bytes, quota.tracks AS most_tracks, \
         quota.minutes AS most_minutes, \
         organization.cover_bytes + COALESCE(living.bytes, 0) + COALESCE(deleted.bytes, 0) AS bytes, \
         COALESCE(living.tracks, 0) AS tracks, (COALESCE(living.millis, 0) + 59999) / 60000 AS minutes \
         FROM quota INNER JOIN organization ON organization.id = quota.organization_id \
         LEFT JOIN living ON living.organization_id = quota.organization_id \
         LEFT JOIN deleted ON deleted.organization_id = quota.organization_id), \
         one AS (SELECT id, name, 'bytes' AS kind, bytes AS used, most_bytes AS most FROM held \
         UNION ALL SELECT id, name, 'tracks' AS kind, tracks AS used, most_tracks AS most FROM held \
         UNION ALL SELECT id, name, 'minutes' AS kind, minutes AS used, most_minutes AS most FROM held) \
         SELECT id, name, kind, used, most FROM one WHERE most > 0 AND used >= most - most / 5 \
         ORDER BY CAST(used AS double precision) / most DESC, id, kind LIMIT {most}"
    )
}

fn near(row: &QueryResult) -> Result<NearQuota, CatalogError> {
    let (id, kind): (Uuid, String) = (row.try_get("", "id")?, row.try_get("", "kind")?);
    let kind = QuotaKind::ALL.into_iter().find(|known| known.as_str() == kind);
    Ok(NearQuota {
        organization_id: OrganizationId::from_uuid(id),
        name: row.try_get("", "name")?,
        kind: kind.ok_or_else(|| corrupt("quota.kind"))?,
        used: size("collection.kept_bytes", row.try_get("", "used")?)?,
        limit: size("quota.bytes", row.try_get("", "most")?)?,
    })
}

impl Catalog {
    /// Up to `most` quotas of which at least four fifths are used, the fullest first. It reads a row for each collection of
    /// organizations that have quotas.
    pub async fn near_quotas(&self, most: usize) -> Result<Vec<NearQuota>, CatalogError> {
        let db = self.reader();
        let rows =
            db.query_all_raw(Statement::from_string(db.get_database_backend(), statement(most))).await?;
        rows.iter().map(near).collect()
    }
}
