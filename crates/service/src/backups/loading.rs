//! Loads the rows of a backup in one transaction.

use tonearm_catalog::{DumpRow, Loading, RefusedRow, Restoring};

use super::error::BackupError;
use super::manifest::Manifest;
use super::part::{PartFile, PartReader};
use super::restore_report::RestoreReport;
use super::{BackupEvent, OnEvent};

/// Fills the tables. Rows that the database refuses are named; then the others are kept only if those may be skipped.
pub(super) async fn load(
    restoring: &Restoring,
    (manifest, parts): (&Manifest, &[PartFile]),
    skips_damaged: bool,
    report: &mut RestoreReport,
    on_event: OnEvent<'_>,
) -> Result<(), BackupError> {
    let loading = fill(restoring, (manifest, parts), skips_damaged, report, on_event).await?;
    loading.mark(manifest.mark().as_str()).await?;
    Ok(loading.commit().await?)
}

/// Tries out what [`load`] does, and leaves the tables empty.
pub(super) async fn check(
    restoring: &Restoring,
    (manifest, parts): (&Manifest, &[PartFile]),
    on_event: OnEvent<'_>,
) -> Result<(), BackupError> {
    fill(restoring, (manifest, parts), false, &mut RestoreReport::default(), on_event).await.map(drop)
}

async fn fill(
    restoring: &Restoring,
    (manifest, parts): (&Manifest, &[PartFile]),
    skips_damaged: bool,
    report: &mut RestoreReport,
    on_event: OnEvent<'_>,
) -> Result<Loading, BackupError> {
    let loading = restoring.begin().await?;
    loading.require(&manifest.tables)?;
    for (table, file) in manifest.tables.iter().zip(parts) {
        if !loading.tables().contains(table) {
            // Backups of earlier versions have tables that are left out by now.
            continue;
        }
        let mut reader: PartReader<DumpRow> = file.lines().await?;
        let mut count = 0;
        loop {
            let (rest, rows) = reader.some().await?;
            if rows.is_empty() {
                break;
            }
            for RefusedRow { key, reason } in loading.insert_accepted(table, &rows).await? {
                report.skipped += 1;
                on_event(BackupEvent::Row { table: &table.name, id: &key, reason: &reason });
            }
            count += rows.len() as u64;
            reader = rest;
        }
        if count != file.part.rows {
            return Err(BackupError::broken(&file.part.name, "has another number of rows than was recorded"));
        }
        report.rows += count;
        on_event(BackupEvent::Table { name: &table.name, rows: count });
    }
    if report.skipped > 0 && !skips_damaged {
        return Err(BackupError::Refused(report.skipped));
    }
    report.rows -= report.skipped;
    Ok(loading)
}
