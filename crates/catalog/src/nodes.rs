//! The running nodes: the `node` table. The clock that decides what is due also decides when a node was seen.

use std::collections::BTreeMap;

use sea_orm::sea_query::{OnConflict, Query};
use sea_orm::{ConnectionTrait, EntityTrait, QueryResult, Statement};
use tonearm_domain::{JobClass, NodeId, NodeRecord, PerClass, RecentRuns, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{corrupt, moment};
use crate::entity::node::{Column, Entity};
use crate::error::CatalogError;

/// The maximum number of nodes that are listed.
const MOST: u64 = 200;

/// A node and the time since its last heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenNode {
    /// The node.
    pub node: NodeRecord,
    /// Milliseconds since its last heartbeat.
    pub seen_millis_ago: u64,
}

impl SeenNode {
    /// Whether it has been silent for so long that it is considered lost.
    pub const fn is_lost(&self) -> bool {
        self.seen_millis_ago > NodeRecord::LOST_AFTER_MILLIS
    }
}

fn statement(now: &str) -> String {
    let kept = NodeRecord::KEPT_SECONDS * 1000;
    format!(
        "SELECT id, name, address, version, roles, started_at, clock_ahead_millis, ended_jobs, \
         master_secrets, {now} - seen_at AS age FROM node \
         WHERE seen_at > {now} - {kept} ORDER BY seen_at DESC LIMIT {MOST}"
    )
}

/// The runs of each class as JSON, keyed by the name of the class.
fn runs_text(runs: &PerClass<RecentRuns>) -> Result<String, CatalogError> {
    let by_name: BTreeMap<&str, RecentRuns> =
        JobClass::ALL.into_iter().map(|class| (class.as_str(), runs.get(class))).collect();
    serde_json::to_string(&by_name).map_err(|_| corrupt("node.ended_jobs"))
}

/// Nodes of the previous version report no runs, and nodes of a later version may use another format.
fn recent_runs(text: Option<String>) -> PerClass<RecentRuns> {
    let by_name: BTreeMap<String, RecentRuns> =
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    PerClass::of(|class| by_name.get(class.as_str()).copied().unwrap_or_default())
}

/// Splits a comma-separated list.
fn words(text: Option<&str>) -> Vec<String> {
    let words = text.unwrap_or_default().split(',').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn seen(row: &QueryResult) -> Result<SeenNode, CatalogError> {
    let (id, age): (Uuid, i64) = (row.try_get("", "id")?, row.try_get("", "age")?);
    let roles: String = row.try_get("", "roles")?;
    let node = NodeRecord {
        id: NodeId::from_uuid(id),
        name: row.try_get("", "name")?,
        address: row.try_get("", "address")?,
        version: row.try_get("", "version")?,
        roles: words(Some(&roles)),
        started_at: moment("node.started_at", row.try_get("", "started_at")?)?,
        clock_ahead_millis: row.try_get("", "clock_ahead_millis")?,
        master_secrets: words(row.try_get::<Option<String>>("", "master_secrets")?.as_deref()),
        recent_runs: recent_runs(row.try_get("", "ended_jobs")?),
    };
    Ok(SeenNode { node, seen_millis_ago: u64::try_from(age).unwrap_or(0) })
}

impl Catalog {
    /// Records that a node is alive now.
    pub async fn note_node(&self, node: &NodeRecord, now: Timestamp) -> Result<(), CatalogError> {
        let renewed = OnConflict::column(Column::Id)
            .update_columns([Column::SeenAt, Column::ClockAheadMillis, Column::EndedJobs])
            .to_owned();
        let insert = Query::insert()
            .into_table(Entity)
            .columns([
                Column::Id,
                Column::Name,
                Column::Address,
                Column::Version,
                Column::Roles,
                Column::StartedAt,
                Column::ClockAheadMillis,
                Column::EndedJobs,
                Column::MasterSecrets,
                Column::SeenAt,
            ])
            .values_panic([
                node.id.uuid().into(),
                node.name.clone().into(),
                node.address.clone().into(),
                node.version.clone().into(),
                node.roles.join(",").into(),
                node.started_at.unix_millis().into(),
                node.clock_ahead_millis.into(),
                runs_text(&node.recent_runs)?.into(),
                node.master_secrets.join(",").into(),
                self.due_clock().now(now),
            ])
            .on_conflict(renewed)
            .take();
        self.writer().execute(&insert).await?;
        Ok(())
    }

    /// Removes a node that is stopping.
    pub async fn forget_node(&self, id: NodeId) -> Result<(), CatalogError> {
        Entity::delete_by_id(id.uuid()).exec(self.writer()).await?;
        Ok(())
    }

    /// The nodes that were seen in the last day, the latest first: those that are running, and those that ended without
    /// removing themselves.
    pub async fn seen_nodes(&self, now: Timestamp) -> Result<Vec<SeenNode>, CatalogError> {
        let db = self.reader();
        let text = statement(&self.due_clock().now_text(now));
        let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await?;
        rows.iter().map(seen).collect()
    }
}
