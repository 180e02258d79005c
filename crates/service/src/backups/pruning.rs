//! Removes older backups, and the objects that only they name.

use std::num::NonZeroU64;
use std::path::Path;

use futures::TryStreamExt;
use tonearm_domain::{ObjectKey, SweepRules, Timestamp};

use super::BackupReport;
use super::error::BackupError;
use super::manifest::{Manifest, OBJECTS};
use super::object_list::Sorted;
use super::target::{BackupTarget, Manifests};

/// The number of objects per removal request.
const BATCH: usize = 500;

/// Keeps the newest `keep` backups and removes the others. `earlier` are the manifests that were read before.
pub(super) async fn prune(
    (target, earlier): (&BackupTarget, Manifests),
    keep: NonZeroU64,
    (now, scratch): (Timestamp, &Path),
    report: &mut BackupReport,
) -> Result<(), BackupError> {
    let Manifests { complete: mut backups, unreadable } = target.backups_beside(earlier).await?;
    let retained = usize::try_from(keep.get()).unwrap_or(usize::MAX);
    let retained = backups.split_off(backups.len().saturating_sub(retained));
    for old in &backups {
        target.remove(old.made_at).await?;
        report.pruned += 1;
    }
    // A more recent one may still be in progress.
    let spared_after = SweepRules::spared_after(now);
    for time in target.incomplete().await? {
        if time.at() < spared_after {
            target.remove(time).await?;
        }
    }
    // The pool may have the last copy of an object that the store has lost, or that is named in an unreadable backup or by a row
    // that cannot be read.
    let damaged = report.damaged + report.damaged_rows + report.unreadable_rows + report.rescued;
    if damaged > 0 || !unreadable.is_empty() {
        return Ok(());
    }
    prune_pool(target, &retained, (spared_after, scratch), report).await
}

/// Removes the objects that none of the retained backups names.
async fn prune_pool(
    target: &BackupTarget,
    retained: &[Manifest],
    (spared_after, scratch): (Timestamp, &Path),
    report: &mut BackupReport,
) -> Result<(), BackupError> {
    // Objects that an interrupted backup copied are named by no backup. They are removed with the rest when they are a
    // day old.
    let mut lists = Vec::new();
    for backup in retained {
        let part = match target.fetch(backup.made_at, backup.part(OBJECTS)?, scratch).await {
            Ok(part) => part,
            Err(error @ BackupError::Broken { .. }) => {
                tracing::warn!(backup = %backup.made_at, %error, "not removing objects, since the list of objects that this backup needs is damaged");
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        lists.push((Sorted::of_part(&part).await?, part));
    }
    let mut unnamed: Vec<ObjectKey> = Vec::new();
    let mut pool = target.objects().list_after(None);
    while let Some((key, meta)) = pool.try_next().await.map_err(BackupError::Target)? {
        let name = key.to_string();
        let mut is_named = false;
        for (list, _) in &mut lists {
            is_named |= list.find(&name).await?.is_some();
        }
        if !is_named && meta.modified < spared_after {
            unnamed.push(key);
        }
        if unnamed.len() == BATCH {
            remove(target, &mut unnamed, report).await?;
        }
    }
    remove(target, &mut unnamed, report).await
}

#[expect(clippy::disallowed_methods, reason = "the target of backups has no rows")]
async fn remove(
    target: &BackupTarget,
    unnamed: &mut Vec<ObjectKey>,
    report: &mut BackupReport,
) -> Result<(), BackupError> {
    if unnamed.is_empty() {
        return Ok(());
    }
    report.pruned_objects += unnamed.len() as u64;
    target.objects().delete_many(std::mem::take(unnamed)).await.map_err(BackupError::Target)
}
