//! The catalog at one moment, and the list of the objects that it names, as local files.

use std::collections::HashMap;

use tonearm_catalog::{Backend, DumpTable, NamedKind, Snapshot};
use tonearm_domain::{ObjectKey, StoreId};

use super::error::BackupError;
use super::manifest::Manifest;
use super::object_list::ListedObject;
use super::part::{PartFile, PartWriter};
use super::{BackupEvent, BackupReport, Backups, Hear};
use crate::inventory::{NamedBy, Rows, Seen, Walk};
use crate::unreadable::{Look, Unreadable};

/// What a backup is made of.
pub(super) struct Gathered {
    pub(super) backend: &'static str,
    pub(super) steps: Vec<String>,
    pub(super) store: Option<StoreId>,
    pub(super) tables: Vec<(DumpTable, PartFile)>,
    /// The objects that are to be copied, sorted by name.
    pub(super) objects: PartFile,
    /// Objects that the store has lost, and how.
    pub(super) lost: Lost,
}

/// How the store has lost an object that is not there.
pub(super) const MISSING: &str = "it is missing in the store";
/// How it has lost one that may be there.
pub(super) const UNREADABLE: &str = "it cannot be read from the store";

/// Objects that the store has lost, and how.
pub(super) type Lost = HashMap<ObjectKey, &'static str>;

impl Backups {
    pub(super) async fn gather(
        &self,
        report: &mut BackupReport,
        hear: Hear<'_>,
    ) -> Result<Gathered, BackupError> {
        let snapshot = self.catalog.snapshot().await?;
        let mut tables = Vec::new();
        for table in snapshot.tables() {
            let part = self.dump(&snapshot, table).await?;
            report.rows += part.part.rows;
            hear(BackupEvent::Table { name: &table.name, rows: part.part.rows });
            tables.push((table.clone(), part));
        }
        let (objects, lost) = self.list_objects(&snapshot, report, hear).await?;
        let backend = match self.catalog.backend() {
            Backend::Sqlite => "sqlite",
            Backend::Postgres => "postgres",
        };
        let (steps, store) = (snapshot.steps().to_vec(), snapshot.store());
        Ok(Gathered { backend, steps, store, tables, objects, lost })
    }

    async fn dump(&self, snapshot: &Snapshot, table: &DumpTable) -> Result<PartFile, BackupError> {
        let name = Manifest::part_of_table(&table.name);
        let mut writer = PartWriter::create(self.scratch.clone(), name).await?;
        let mut last = None;
        loop {
            let rows = snapshot.page(table, last.as_ref()).await?;
            let Some(row) = rows.last() else { return Ok(writer.finish().await?) };
            last = Some(row.clone());
            writer = writer.write(rows).await?;
        }
    }

    /// What the store has and the catalog names. The store is listed after the moment of the catalog: what was there then is
    /// listed, or has been removed since.
    async fn list_objects(
        &self,
        snapshot: &Snapshot,
        report: &mut BackupReport,
        hear: Hear<'_>,
    ) -> Result<(PartFile, Lost), BackupError> {
        let mut lost = Lost::new();
        let mut writer = PartWriter::create(self.scratch.clone(), "listed".to_owned()).await?;
        let mut walk = Walk::new(Rows::Snapshot(snapshot), &self.blobs, None);
        let looks = Unreadable::of(&self.blobs);
        let (mut objects, mut bytes) = (0, 0);
        while let Some(stretch) = walk.next().await? {
            let sound = stretch.seen.iter().filter(|seen| seen.is_known && !seen.has_other_length);
            let lines: Vec<ListedObject> = sound.map(listed).collect();
            objects += lines.len() as u64;
            bytes += lines.iter().map(|line| line.1).sum::<u64>();
            writer = writer.write(lines).await?;
            for suspect in &stretch.suspects {
                self.judge(suspect, &looks, report, &mut lost).await?;
            }
            hear(BackupEvent::Listed { objects, bytes });
        }
        Ok((writer.finish().await?, lost))
    }

    /// Tells an object that was removed meanwhile from one that is lost.
    async fn judge(
        &self,
        suspect: &NamedBy,
        looks: &Unreadable<'_>,
        report: &mut BackupReport,
        lost: &mut Lost,
    ) -> Result<(), BackupError> {
        let NamedBy { track, object } = suspect;
        // A new generation is stored a moment after its row.
        if object.kind == NamedKind::Manifest {
            return Ok(());
        }
        let reason = match looks.look(&object.key).await.map_err(BackupError::Store)? {
            Look::Found(meta) if object.size.is_none_or(|size| size == meta.size) => return Ok(()),
            Look::Found(_) => "it has another length than the database says",
            Look::Missing => MISSING,
            Look::Unreadable => UNREADABLE,
        };
        let now = self.catalog.named_track(*track).await?;
        if now.is_some_and(|now| now.objects.contains(object)) {
            lost.insert(object.key.clone(), reason);
        } else {
            report.gone += 1;
        }
        Ok(())
    }
}

fn listed(seen: &Seen) -> ListedObject {
    let sha256 = seen.named.as_ref().and_then(|named| named.object.sha256);
    ListedObject(seen.key.clone(), seen.meta.size, sha256.map(hex::encode))
}
