//! Copying into the pool what it does not have.

use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use tonearm_blobs::ObjectMeta;

use super::error::BackupError;
use super::gathering::Gathered;
use super::manifest::{Manifest, OBJECTS};
use super::object_list::{ListedObject, Sorted, lines};
use super::part::{PartFile, PartWriter};
use super::target::BackupTarget;
use super::transfer::{Route, Transfer, hash_of};
use super::{BackupEvent, BackupReport, BackupTerms, Backups, Hear};
use crate::rate::Rate;

/// Objects that are copied at once.
const AT_ONCE: usize = 8;
/// Lines that are written at once.
const LINES: usize = 200;

pub(super) struct Copying<'a> {
    pub(super) of: &'a Backups,
    pub(super) target: &'a BackupTarget,
    /// A backup whose hashes are still right, as no name is used twice.
    pub(super) known: Option<&'a Manifest>,
    pub(super) terms: BackupTerms,
}

/// An object, and what the target knows of it.
struct Work {
    object: ListedObject,
    pooled: Option<ObjectMeta>,
    known: Option<ListedObject>,
}

/// The three lists side by side.
struct Side<'a> {
    wanted: BoxStream<'static, Result<ListedObject, BackupError>>,
    pool: Sorted<'a, ObjectMeta>,
    known: Sorted<'static, ListedObject>,
}

/// What became of an object.
enum Outcome {
    Kept(ListedObject),
    Copied(ListedObject),
    Gone,
    Damaged(ListedObject, &'static str),
}

impl Copying<'_> {
    /// Copies what is missing, and gives the list of the objects that the backup has.
    pub(super) async fn run(
        &self,
        gathered: &Gathered,
        report: &mut BackupReport,
        hear: Hear<'_>,
    ) -> Result<PartFile, BackupError> {
        let earlier = self.earlier().await?;
        let known = match &earlier {
            Some(part) => Sorted::of_part(part).await?,
            None => Sorted::empty(),
        };
        let side = Side {
            wanted: lines(&gathered.objects).await?,
            pool: Sorted::of_store(self.target.objects(), BackupError::Target),
            known,
        };
        let rate = Rate::new(self.terms.bytes_per_second);
        let mut outcomes = stream::try_unfold(side, Side::next)
            .map_ok(|work| self.copy(work, &rate))
            .try_buffered(AT_ONCE)
            .boxed();
        let mut writer = PartWriter::create(self.of.scratch.clone(), OBJECTS.to_owned()).await?;
        let mut waiting = Vec::new();
        while let Some(outcome) = outcomes.try_next().await? {
            waiting.extend(note(outcome, report, hear));
            if waiting.len() == LINES {
                writer = writer.write(std::mem::take(&mut waiting)).await?;
            }
        }
        Ok(writer.write(waiting).await?.finish().await?)
    }

    /// The objects of the newest backup. One that is damaged only costs the time to read the objects again.
    async fn earlier(&self) -> Result<Option<PartFile>, BackupError> {
        let Some(manifest) = self.known else { return Ok(None) };
        let part = manifest.part(OBJECTS)?;
        match self.target.fetch(manifest.made_at, part, &self.of.scratch).await {
            Ok(part) => Ok(Some(part)),
            Err(error @ BackupError::Broken { .. }) => {
                tracing::warn!(%error, "an earlier backup is damaged; reading its objects again");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn copy(&self, work: Work, rate: &Rate) -> Result<Outcome, BackupError> {
        let Work { object: ListedObject(key, size, sha256), pooled, known } = work;
        let pool = self.target.objects();
        if pooled.is_some_and(|meta| meta.size == size) {
            let known = known.filter(|known| known.1 == size).and_then(|known| known.2);
            let hash = match sha256.clone().or(known) {
                Some(hash) => Some(hash),
                // A run before this one was interrupted.
                None => hash_of(pool, &key, rate).await.map_err(BackupError::Target)?.map(hex::encode),
            };
            if hash.is_some() {
                return Ok(Outcome::Kept(ListedObject(key, size, hash)));
            }
        }
        if pooled.is_some() {
            pool.delete(&key).await.map_err(BackupError::Target)?;
        }
        let route = Route {
            from: &self.of.blobs,
            from_failed: BackupError::Store,
            to: pool,
            to_failed: BackupError::Target,
            rate,
        };
        let object = ListedObject(key, size, sha256);
        match route.copy(&object).await? {
            Transfer::Copied(hash) => {
                Ok(Outcome::Copied(ListedObject(object.0, size, Some(hex::encode(hash)))))
            }
            Transfer::Damaged => Ok(Outcome::Damaged(
                object,
                "it does not have the length and the hash that it was stored with",
            )),
            Transfer::Gone if self.of.catalog.object_is_known(&object.0).await? => {
                Ok(Outcome::Damaged(object, "it is missing in the store"))
            }
            Transfer::Gone => Ok(Outcome::Gone),
        }
    }
}

impl Side<'_> {
    async fn next(mut self) -> Result<Option<(Work, Self)>, BackupError> {
        let Some(object) = self.wanted.try_next().await? else { return Ok(None) };
        let name = object.0.to_string();
        let (pooled, known) = (self.pool.find(&name).await?, self.known.find(&name).await?);
        Ok(Some((Work { object, pooled, known }, self)))
    }
}

/// Counts an object, and gives it if the backup has it.
fn note(outcome: Outcome, report: &mut BackupReport, hear: Hear<'_>) -> Option<ListedObject> {
    let (object, is_copied) = match outcome {
        Outcome::Kept(object) => (object, false),
        Outcome::Copied(object) => (object, true),
        Outcome::Gone => {
            report.gone += 1;
            return None;
        }
        Outcome::Damaged(object, reason) => {
            report.damaged += 1;
            hear(BackupEvent::Problem { key: &object.0, reason });
            return None;
        }
    };
    report.objects += 1;
    report.bytes += object.1;
    if is_copied {
        report.copied += 1;
        report.copied_bytes += object.1;
    }
    hear(BackupEvent::Copied { objects: report.objects, bytes: report.bytes });
    Some(object)
}
