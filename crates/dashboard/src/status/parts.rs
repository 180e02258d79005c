//! The dependencies of the service, and its backups.

use tonearm_domain::{DiskUse, Timestamp};
use tonearm_service::{AcmeStatus, BackupStatus, DiskStatus, Reachability, StatusReport};

use super::Badge;
use crate::amount;
use crate::text::{Message, t};

/// A certificate that expires sooner should have been renewed.
const CERTIFICATE_WARNING_SECONDS: i64 = 14 * 24 * 3600;

/// Below this, or below a twentieth of the file system, a disk is nearly full.
const LOW_DISK_BYTES: u64 = 2 << 30;

/// Backups are made every day; if the latest is older than this, one was missed.
const BACKUP_WARNING_SECONDS: i64 = 2 * 24 * 3600;

/// A dependency of the service.
pub(super) struct PartRow {
    pub(super) name: Message,
    pub(super) badge: Badge,
    /// A time with more information.
    pub(super) at: Option<String>,
    pub(super) detail: String,
}

pub(super) fn rows(report: &StatusReport) -> Vec<PartRow> {
    let mut rows = vec![part(t("status-database"), report.database), part(t("status-store"), report.store)];
    rows.extend(report.disks.iter().map(disk));
    rows.extend(report.certificate_ends_at.map(|end| certificate(end, report.at)));
    rows.extend(report.acme.as_ref().map(|status| acme(status, report.at)));
    rows.extend(report.backup.map(|status| backup(status, report.at)));
    rows
}

fn part(name: Message, reach: Reachability) -> PartRow {
    let (tone, text, detail) = match reach {
        Reachability::Answered(after) => {
            let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
            ("good", "status-reachable", format!("{} ms", amount::count(millis)))
        }
        Reachability::Failed => ("bad", "status-unreachable", t("status-see-doctor").to_string()),
        Reachability::TimedOut => ("bad", "status-silent", t("status-see-doctor").to_string()),
    };
    PartRow { name, badge: Badge { tone, text: t(text) }, at: None, detail }
}

fn disk(disk: &DiskStatus) -> PartRow {
    let name = match disk.place {
        DiskUse::Data => "status-disk-data",
        DiskUse::Database => "status-disk-database",
        DiskUse::Store => "status-disk-store",
    };
    let is_low = disk.free < LOW_DISK_BYTES || disk.free < disk.size / 20;
    let (tone, text) = if is_low { ("warn", "status-disk-low") } else { ("good", "status-disk-enough") };
    let detail =
        t("status-disk-free").with("free", amount::bytes(disk.free)).with("size", amount::bytes(disk.size));
    PartRow { name: t(name), badge: Badge { tone, text: t(text) }, at: None, detail: detail.to_string() }
}

fn validity(end: Timestamp, now: Timestamp) -> Badge {
    let (tone, text) = if end <= now {
        ("bad", "status-certificate-expired")
    } else if end <= now.plus_seconds(CERTIFICATE_WARNING_SECONDS) {
        ("warn", "status-certificate-soon")
    } else {
        ("good", "status-certificate-valid")
    };
    Badge { tone, text: t(text) }
}

fn certificate(end: Timestamp, now: Timestamp) -> PartRow {
    PartRow {
        name: t("status-certificate"),
        badge: validity(end, now),
        at: Some(end.to_string()),
        detail: String::new(),
    }
}

fn acme(status: &AcmeStatus, now: Timestamp) -> PartRow {
    let none = || Badge { tone: "warn", text: t("status-certificate-none") };
    let failed =
        status.last_error.as_ref().map(|reason| t("status-order-failed").with("reason", reason.clone()));
    PartRow {
        name: t("status-certificate-shared").with("names", status.names.to_string()),
        badge: status.ends_at.map_or_else(none, |end| validity(end, now)),
        at: status.ends_at.map(|end| end.to_string()),
        detail: failed.map(|message| message.to_string()).unwrap_or_default(),
    }
}

fn backup(status: BackupStatus, now: Timestamp) -> PartRow {
    let name = t("status-backup");
    let Some(last) = status.last else {
        let badge = Badge { tone: "", text: t("status-backup-none") };
        return PartRow { name, badge, at: None, detail: t("status-backup-hint").to_string() };
    };
    let is_old = last.finished_at <= now.plus_seconds(-BACKUP_WARNING_SECONDS);
    let (tone, text) = if is_old { ("warn", "status-backup-old") } else { ("good", "status-backup-done") };
    let badge = Badge { tone, text: t(text) };
    PartRow { name, badge, at: Some(last.finished_at.to_string()), detail: String::new() }
}
