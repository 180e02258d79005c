//! A snapshot of the catalog, and the list of the objects that it names, as local files.

use std::collections::{HashMap, HashSet};

use tonearm_catalog::{Backend, DamagedRow, DumpTable, NamedKind, NamedObject, Snapshot};
use tonearm_domain::{ObjectKey, StoreId};

use super::error::BackupError;
use super::manifest::Manifest;
use super::object_list::ListedObject;
use super::owner_covers::OwnerCovers;
use super::part::{PartFile, PartWriter};
use super::{BackupEvent, BackupReport, Backups, OnEvent};
use crate::inventory::{HeadOutcome, ReadFailures, Rows, StoredObject, TrackObject, Walk};

/// The contents of a backup.
pub(super) struct Gathered {
    pub(super) backend: &'static str,
    pub(super) steps: Vec<String>,
    pub(super) store: Option<StoreId>,
    pub(super) tables: Vec<(DumpTable, PartFile)>,
    /// The objects to copy, sorted by name.
    pub(super) objects: PartFile,
    /// Objects that the store has lost, with the reason.
    pub(super) lost: LostObjects,
}

/// The reason for an object that is missing.
pub(super) const MISSING: &str = "it is missing in the store";
/// The reason for an object that may exist but cannot be read.
pub(super) const UNREADABLE: &str = "it cannot be read from the store";

/// Objects that the store has lost, with the reason.
pub(super) type LostObjects = HashMap<ObjectKey, &'static str>;

impl Backups {
    pub(super) async fn gather(
        &self,
        report: &mut BackupReport,
        on_event: OnEvent<'_>,
    ) -> Result<Gathered, BackupError> {
        let snapshot = self.catalog.snapshot().await?;
        let (mut tables, mut left_out) = (Vec::new(), HashSet::new());
        for table in snapshot.tables() {
            let part = self.dump(&snapshot, table, &mut left_out, on_event).await?;
            report.rows += part.part.rows;
            on_event(BackupEvent::Table { name: &table.name, rows: part.part.rows });
            tables.push((table.clone(), part));
        }
        report.damaged_rows = left_out.len() as u64;
        self.name_unreadable_rows(&left_out, report, on_event).await?;
        let (objects, lost) = self.list_objects(&snapshot, report, on_event).await?;
        let backend = match self.catalog.backend() {
            Backend::Sqlite => "sqlite",
            Backend::Postgres => "postgres",
        };
        let (steps, store) = (snapshot.steps().to_vec(), snapshot.store());
        Ok(Gathered { backend, steps, store, tables, objects, lost })
    }

    async fn dump(
        &self,
        snapshot: &Snapshot,
        table: &DumpTable,
        left_out: &mut HashSet<(String, String)>,
        on_event: OnEvent<'_>,
    ) -> Result<PartFile, BackupError> {
        let name = Manifest::part_of_table(&table.name);
        let mut writer = PartWriter::create(self.scratch.clone(), name).await?;
        let mut last = None;
        loop {
            let page = snapshot.page(table, last.as_ref()).await?;
            for key in &page.left_out {
                left_out.insert((table.name.clone(), key.as_str().to_owned()));
                on_event(BackupEvent::Row {
                    table: &table.name,
                    id: key.as_str(),
                    reason: "it cannot be read",
                });
            }
            if page.last.is_none() {
                return Ok(writer.finish().await?);
            }
            last = page.last;
            writer = writer.write(page.rows).await?;
        }
    }

    /// Names the rows that are in the backup, but of which the service does not understand a value.
    async fn name_unreadable_rows(
        &self,
        left_out: &HashSet<(String, String)>,
        report: &mut BackupReport,
        on_event: OnEvent<'_>,
    ) -> Result<(), BackupError> {
        let mut rows = Vec::new();
        self.catalog.each_damaged_row(|row| rows.push(row)).await?;
        for DamagedRow { table, id, is_metadata } in rows {
            if left_out.contains(&(table.to_owned(), id.clone())) {
                continue;
            }
            report.unreadable_rows += 1;
            let reason = match is_metadata {
                true => "it is in the backup, but its metadata cannot be read",
                false => "it is in the backup, but cannot be read",
            };
            on_event(BackupEvent::Row { table, id: &id, reason });
        }
        Ok(())
    }

    /// Lists the objects that the store has and the catalog names. The store is listed after the snapshot of the
    /// catalog, so an object that existed at that moment is listed or has been removed since.
    async fn list_objects(
        &self,
        snapshot: &Snapshot,
        report: &mut BackupReport,
        on_event: OnEvent<'_>,
    ) -> Result<(PartFile, LostObjects), BackupError> {
        let mut lost = LostObjects::new();
        let mut writer = PartWriter::create(self.scratch.clone(), "listed".to_owned()).await?;
        let mut walk = Walk::new(Rows::Snapshot(snapshot), &self.blobs, None);
        let heads = ReadFailures::of(&self.blobs);
        let (mut objects, mut bytes) = (0, 0);
        let mut owners = OwnerCovers::default();
        while let Some(mut step) = walk.next().await? {
            for wrong in owners.describe(snapshot, &mut step.objects).await? {
                self.judge_cover(&wrong, &heads, report, &mut lost).await?;
            }
            let sound = step.objects.iter().filter(|stored| stored.is_known && !stored.has_other_length);
            let lines: Vec<ListedObject> = sound.map(listed).collect();
            objects += lines.len() as u64;
            bytes += lines.iter().map(|line| line.1).sum::<u64>();
            writer = writer.write(lines).await?;
            for suspect in &step.suspects {
                self.judge(suspect, &heads, report, &mut lost).await?;
            }
            on_event(BackupEvent::Listed { objects, bytes });
        }
        let mut pages = owners.missing(snapshot);
        while let Some(missing) = pages.next().await? {
            for object in missing {
                self.judge_cover(&object, &heads, report, &mut lost).await?;
            }
        }
        Ok((writer.finish().await?, lost))
    }

    /// Decides whether an object was removed meanwhile or is lost.
    async fn judge(
        &self,
        suspect: &TrackObject,
        heads: &ReadFailures<'_>,
        report: &mut BackupReport,
        lost: &mut LostObjects,
    ) -> Result<(), BackupError> {
        let TrackObject { track, object } = suspect;
        // A new generation is stored a moment after its row.
        if object.kind == NamedKind::Manifest {
            return Ok(());
        }
        let Some(reason) = reason_of(object, heads).await? else { return Ok(()) };
        let now = self.catalog.named_track(*track).await?;
        if now.is_some_and(|now| now.names(object)) {
            lost.insert(object.key.clone(), reason);
        } else {
            report.gone += 1;
        }
        Ok(())
    }

    /// Like [`Backups::judge`], for a cover of a collection or an organization.
    async fn judge_cover(
        &self,
        object: &NamedObject,
        heads: &ReadFailures<'_>,
        report: &mut BackupReport,
        lost: &mut LostObjects,
    ) -> Result<(), BackupError> {
        let Some(reason) = reason_of(object, heads).await? else { return Ok(()) };
        if self.catalog.object_is_known(&object.key).await? {
            lost.insert(object.key.clone(), reason);
        } else {
            report.gone += 1;
        }
        Ok(())
    }
}

/// Why an object seems to be lost; `None` if it is sound.
async fn reason_of(
    object: &NamedObject,
    heads: &ReadFailures<'_>,
) -> Result<Option<&'static str>, BackupError> {
    Ok(match heads.head(&object.key).await.map_err(BackupError::Store)? {
        HeadOutcome::Found(meta) if object.size.is_none_or(|size| size == meta.size) => None,
        HeadOutcome::Found(_) => Some("it has another length than the database says"),
        HeadOutcome::Missing => Some(MISSING),
        HeadOutcome::Unreadable => Some(UNREADABLE),
    })
}

fn listed(stored: &StoredObject) -> ListedObject {
    ListedObject(stored.key.clone(), stored.meta.size, stored.sha256().map(hex::encode))
}
