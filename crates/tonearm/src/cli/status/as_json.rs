//! The status as JSON.

use serde_json::{Value, json};
use tonearm_service::{
    AcmeStatus, DiskStatus, FailedJobs, LastBackup, NearQuota, NodeStatus, QueueStatus, Reachability,
    StatusReport,
};

pub(super) fn report(report: &StatusReport) -> Value {
    let nodes = report.nodes.as_ref().map(|nodes| nodes.iter().map(node).collect::<Vec<_>>());
    let queues = report.queues.as_ref().map(|queues| queues.iter().map(queue).collect::<Vec<_>>());
    let (failures, near) = (report.failures.as_ref(), report.near_quotas.as_ref());
    let groups = failures.map(|found| found.groups.iter().map(failure).collect::<Vec<_>>());
    let disk = |disk: &DiskStatus| json!({"place": disk.place.as_str(), "free_bytes": disk.free, "size_bytes": disk.size});
    json!({
        "at": report.at,
        "database": reach(report.database),
        "store": reach(report.store),
        "nodes": nodes,
        "queues": queues,
        "failures": groups,
        "has_more_failures": failures.map(|found| !found.is_complete),
        "disks": report.disks.iter().map(disk).collect::<Vec<_>>(),
        "certificate_expires_at": report.certificate_ends_at,
        "acme": report.acme.as_ref().map(acme),
        "last_backup": report.backup.and_then(|backup| backup.last).map(backup),
        "near_quotas": near.map(|near| near.quotas.iter().map(quota).collect::<Vec<_>>()),
        "has_more_near_quotas": near.map(|near| !near.is_complete),
    })
}

fn reach(reach: Reachability) -> Value {
    let (state, millis) = match reach {
        Reachability::Answered(after) => ("ok", u64::try_from(after.as_millis()).ok()),
        Reachability::Failed => ("unavailable", None),
        Reachability::TimedOut => ("timed_out", None),
    };
    json!({"state": state, "latency_ms": millis})
}

fn node(status: &NodeStatus) -> Value {
    let node = &status.node;
    json!({
        "node_id": node.id,
        "name": node.name,
        "address": node.address,
        "version": node.version,
        "roles": node.roles,
        "started_at": node.started_at,
        "seen_at": status.seen_at,
        "is_lost": status.is_lost,
        "clock_ahead_ms": node.clock_ahead_millis,
    })
}

fn queue(queue: &QueueStatus) -> Value {
    json!({
        "class": queue.class.as_str(),
        "due": queue.due,
        "running": queue.running,
        "waiting": queue.waiting,
        "oldest_due_seconds": queue.oldest_due_millis / 1000,
        "finished_last_minute": queue.ended.map(|ended| ended.minute.finished),
        "finished_last_hour": queue.ended.map(|ended| ended.hour.finished),
        "failed_last_minute": queue.ended.map(|ended| ended.minute.failed),
        "failed_last_hour": queue.ended.map(|ended| ended.hour.failed),
    })
}

fn failure(group: &FailedJobs) -> Value {
    json!({
        "kind": group.kind,
        "reason": group.reason,
        "count": group.count,
        "last_at": group.last_at,
        "job_id": group.job_id,
        "organization_id": group.organization_id,
        "track_id": group.track_id,
    })
}

fn acme(acme: &AcmeStatus) -> Value {
    json!({
        "names": acme.names.as_slice(),
        "expires_at": acme.ends_at,
        "order_at": acme.order_at,
        "last_error": acme.last_error,
    })
}

fn backup(last: LastBackup) -> Value {
    json!({"made_at": last.made_at, "finished_at": last.finished_at})
}

fn quota(quota: &NearQuota) -> Value {
    json!({
        "organization_id": quota.organization_id,
        "name": quota.name,
        "quota": quota.kind.as_str(),
        "used": quota.used,
        "limit": quota.limit,
    })
}
