//! Loads the rows of a backup in one transaction.

use tonearm_catalog::{DumpRow, Restoring};

use super::error::BackupError;
use super::manifest::Manifest;
use super::part::{PartFile, PartReader};
use super::{BackupEvent, OnEvent};

/// Fills the tables, and returns the number of rows.
pub(super) async fn load(
    restoring: &Restoring,
    manifest: &Manifest,
    parts: &[PartFile],
    on_event: OnEvent<'_>,
) -> Result<u64, BackupError> {
    let loading = restoring.begin().await?;
    loading.require(&manifest.tables)?;
    let mut all = 0;
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
            loading.insert(table, &rows).await?;
            count += rows.len() as u64;
            reader = rest;
        }
        if count != file.part.rows {
            return Err(BackupError::broken(&file.part.name, "has another number of rows than was recorded"));
        }
        all += count;
        on_event(BackupEvent::Table { name: &table.name, rows: count });
    }
    loading.mark(manifest.mark().as_str()).await?;
    loading.commit().await?;
    Ok(all)
}
