//! Copies objects that the pool does not have into it.

use futures::stream::{self, BoxStream, TryChunksError};
use futures::{StreamExt, TryStreamExt};
use tonearm_blobs::ObjectMeta;
use tonearm_domain::ObjectKey;

use super::error::BackupError;
use super::gathering::{Gathered, LostObjects, MISSING, UNREADABLE};
use super::manifest::{Manifest, OBJECTS};
use super::object_list::{ListedObject, Sorted, lines};
use super::part::{PartFile, PartWriter};
use super::target::BackupTarget;
use super::transfer::{Route, Transfer, hash_of};
use super::{BackupEvent, BackupReport, BackupTerms, Backups, OnEvent};
use crate::inventory::{HeadOutcome, Rate, ReadFailures};

/// The reason for an object whose copy in the target has another length.
const OTHER_LENGTH: &str = "it has another length in the store than when it was backed up";

/// The number of concurrent copies.
const AT_ONCE: usize = 8;
/// The number of objects per query whether the catalog names them.
const ASKED_AT_ONCE: usize = 500;
/// The number of lines to write at once.
const LINES: usize = 200;

pub(super) struct Copying<'a> {
    pub(super) backups: &'a Backups,
    pub(super) target: &'a BackupTarget,
    /// The previous backup. Its hashes are still valid, as no key is used twice.
    pub(super) previous: Option<&'a Manifest>,
    pub(super) terms: BackupTerms,
}

/// An object, and its entries in the pool and the previous backup.
enum Work {
    /// The catalog names it, and the store has it.
    Listed { object: ListedObject, pooled: Option<ObjectMeta>, previous: Option<ListedObject> },
    /// Only the target has it: another backup names it, or the store has lost it.
    Pooled { key: ObjectKey, meta: ObjectMeta, previous: Option<ListedObject> },
}

impl Work {
    /// The key, if only the target has the object.
    fn only_pooled(&self) -> Option<&ObjectKey> {
        match self {
            Self::Listed { .. } => None,
            Self::Pooled { key, .. } => Some(key),
        }
    }
}

/// The three sorted lists, which are read in parallel.
struct ObjectLists<'a> {
    wanted: BoxStream<'static, Result<ListedObject, BackupError>>,
    /// The next wanted object, if it was read already.
    ahead: Option<ListedObject>,
    pool: Sorted<'a, (ObjectKey, ObjectMeta)>,
    previous: Sorted<'static, ListedObject>,
}

/// The outcome for an object.
enum Outcome {
    Kept(ListedObject),
    Copied(ListedObject),
    /// The store has lost it, but the target has a copy.
    Rescued(ListedObject, &'static str),
    Gone,
    /// It is not part of this backup.
    Unnamed,
    Damaged(ListedObject, &'static str),
}

/// The store and the pool.
struct Stores<'a> {
    route: Route<'a>,
    /// Failed HEAD requests to the store.
    store_heads: ReadFailures<'a>,
    /// Failed reads of the pool.
    pool_reads: ReadFailures<'a>,
}

impl Copying<'_> {
    /// Copies missing objects, and returns the list of the objects in the backup.
    pub(super) async fn run(
        &self,
        gathered: &mut Gathered,
        report: &mut BackupReport,
        on_event: OnEvent<'_>,
    ) -> Result<PartFile, BackupError> {
        let earlier = self.earlier().await?;
        let previous = match &earlier {
            Some(part) => Sorted::of_part(part).await?,
            None => Sorted::empty(),
        };
        let lists = ObjectLists {
            wanted: lines(&gathered.objects).await?,
            ahead: None,
            pool: Sorted::of_store(self.target.objects(), BackupError::Target),
            previous,
        };
        let rate = Rate::new(self.terms.bytes_per_second);
        let stores = self.stores(&rate);
        let mut outcomes = stream::try_unfold(lists, ObjectLists::next)
            .try_chunks(ASKED_AT_ONCE)
            .map_err(|TryChunksError(_, error)| error)
            .and_then(|works| self.without_unnamed(works))
            .map_ok(|works| stream::iter(works.into_iter().map(Ok)))
            .try_flatten()
            .map_ok(|work| self.settle(work, &stores))
            .try_buffered(AT_ONCE)
            .boxed();
        let mut writer = PartWriter::create(self.backups.scratch.clone(), OBJECTS.to_owned()).await?;
        let mut waiting = Vec::new();
        while let Some(outcome) = outcomes.try_next().await? {
            waiting.extend(note(outcome, &mut gathered.lost, report, on_event));
            if waiting.len() == LINES {
                writer = writer.write(std::mem::take(&mut waiting)).await?;
            }
        }
        for (key, reason) in &gathered.lost {
            report.damaged += 1;
            on_event(BackupEvent::Problem { key, reason });
        }
        Ok(writer.write(waiting).await?.finish().await?)
    }

    /// The object list of the newest backup. If it is damaged, the objects are read again, which only takes more time.
    async fn earlier(&self) -> Result<Option<PartFile>, BackupError> {
        let Some(manifest) = self.previous else { return Ok(None) };
        let part = manifest.part(OBJECTS)?;
        match self.target.fetch(manifest.made_at, part, &self.backups.scratch).await {
            Ok(part) => Ok(Some(part)),
            Err(error @ BackupError::Broken { .. }) => {
                tracing::warn!(%error, "an earlier backup is damaged; reading its objects again");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn stores<'a>(&'a self, rate: &'a Rate) -> Stores<'a> {
        let pool = self.target.objects();
        let route = Route {
            from: &self.backups.blobs,
            from_failed: BackupError::Store,
            to: pool,
            to_failed: BackupError::Target,
            rate,
            read_failures: ReadFailures::of(&self.backups.blobs),
        };
        Stores {
            route,
            store_heads: ReadFailures::of(&self.backups.blobs),
            pool_reads: ReadFailures::of(pool),
        }
    }

    /// Leaves out objects that only the target has and the catalog does not name.
    async fn without_unnamed(&self, mut works: Vec<Work>) -> Result<Vec<Work>, BackupError> {
        let pooled: Vec<ObjectKey> = works.iter().filter_map(Work::only_pooled).cloned().collect();
        if !pooled.is_empty() {
            let named = self.backups.catalog.known_objects(&pooled).await?;
            works.retain(|work| work.only_pooled().is_none_or(|key| named.contains(key)));
        }
        Ok(works)
    }

    async fn settle(&self, work: Work, stores: &Stores<'_>) -> Result<Outcome, BackupError> {
        match work {
            Work::Listed { object, pooled, previous } => match pooled {
                Some(meta) => self.compare(object, meta, previous, stores).await,
                None => self.copy(object, stores).await,
            },
            Work::Pooled { key, meta, previous } => self.rescue(key, meta, previous, stores).await,
        }
    }

    /// Keeps the copy in the target, or replaces it with that of the store.
    async fn compare(
        &self,
        object: ListedObject,
        pooled: ObjectMeta,
        previous: Option<ListedObject>,
        stores: &Stores<'_>,
    ) -> Result<Outcome, BackupError> {
        let ListedObject(key, size, sha256) = &object;
        let is_same = pooled.size == *size;
        // No key is used twice. So if no length was recorded and the object in the store is shorter than its copy, the
        // store has damaged it.
        let is_intact = match &previous {
            Some(previous) => previous.1 == pooled.size,
            None => pooled.size > *size,
        };
        if !is_same && (sha256.is_some() || !is_intact) {
            return self.copy(object, stores).await;
        }
        let recorded = sha256.clone().filter(|_| is_same);
        let Some(hash) = stores.hash_of_pooled(key, pooled.size, recorded, previous).await? else {
            return self.copy(object, stores).await;
        };
        let kept = ListedObject(key.clone(), pooled.size, Some(hash));
        Ok(match is_same {
            true => Outcome::Kept(kept),
            false => Outcome::Rescued(kept, OTHER_LENGTH),
        })
    }

    async fn copy(&self, object: ListedObject, stores: &Stores<'_>) -> Result<Outcome, BackupError> {
        let reason = match stores.route.copy(&object).await? {
            Transfer::Copied(hash) => {
                return Ok(Outcome::Copied(ListedObject(object.0, object.1, Some(hex::encode(hash)))));
            }
            Transfer::Gone if !self.backups.catalog.object_is_known(&object.0).await? => {
                return Ok(Outcome::Gone);
            }
            Transfer::Gone => MISSING,
            Transfer::Damaged => "it does not have the length and the hash that it was stored with",
            Transfer::Unreadable => UNREADABLE,
        };
        Ok(Outcome::Damaged(object, reason))
    }

    /// Keeps an object that only the target has and the catalog still names.
    async fn rescue(
        &self,
        key: ObjectKey,
        pooled: ObjectMeta,
        previous: Option<ListedObject>,
        stores: &Stores<'_>,
    ) -> Result<Outcome, BackupError> {
        let reason = match stores.store_heads.head(&key).await.map_err(BackupError::Store)? {
            // The catalog has named it only after the snapshot.
            HeadOutcome::Found(meta) if meta.size == pooled.size => return Ok(Outcome::Unnamed),
            HeadOutcome::Found(_) => OTHER_LENGTH,
            HeadOutcome::Missing => MISSING,
            HeadOutcome::Unreadable => UNREADABLE,
        };
        if previous.as_ref().is_some_and(|previous| previous.1 != pooled.size) {
            return Ok(Outcome::Damaged(ListedObject(key, pooled.size, None), reason));
        }
        Ok(match stores.hash_of_pooled(&key, pooled.size, None, previous).await? {
            Some(hash) => Outcome::Rescued(ListedObject(key, pooled.size, Some(hash)), reason),
            None => Outcome::Damaged(ListedObject(key, pooled.size, None), reason),
        })
    }
}

impl Stores<'_> {
    /// The hash of an object in the pool: the recorded one, or that of its bytes. The bytes are read if an earlier run
    /// was interrupted, or if the database and the previous backup recorded different hashes. `None` if the bytes
    /// cannot be read, or do not match the hash in the database.
    async fn hash_of_pooled(
        &self,
        key: &ObjectKey,
        size: u64,
        recorded: Option<String>,
        previous: Option<ListedObject>,
    ) -> Result<Option<String>, BackupError> {
        let previous = previous.filter(|previous| previous.1 == size).and_then(|previous| previous.2);
        let is_settled = recorded.is_none() || previous.is_none() || recorded == previous;
        if is_settled && let Some(hash) = recorded.clone().or(previous) {
            return Ok(Some(hash));
        }
        match hash_of(self.route.to, key, self.route.rate).await {
            Ok(hash) => {
                self.pool_reads.reset();
                let hash = hash.map(hex::encode);
                Ok(hash.filter(|hash| recorded.as_ref().is_none_or(|recorded| recorded == hash)))
            }
            Err(error) => {
                self.pool_reads.tolerate(error).await.map_err(BackupError::Target)?;
                Ok(None)
            }
        }
    }
}

impl ObjectLists<'_> {
    async fn next(mut self) -> Result<Option<(Work, Self)>, BackupError> {
        if self.ahead.is_none() {
            self.ahead = self.wanted.try_next().await?;
        }
        let wanted = self.ahead.as_ref().map(|object| object.0.to_string());
        if let Some((name, (key, meta))) = self.pool.next_before(wanted.as_deref()).await? {
            let previous = self.previous.find(&name).await?;
            return Ok(Some((Work::Pooled { key, meta, previous }, self)));
        }
        let (Some(object), Some(name)) = (self.ahead.take(), wanted) else { return Ok(None) };
        let pooled = self.pool.find(&name).await?.map(|(_, meta)| meta);
        let previous = self.previous.find(&name).await?;
        Ok(Some((Work::Listed { object, pooled, previous }, self)))
    }
}

/// Corrects the outcome of an object whose HEAD request failed: it may have been copied all the same.
fn reconsidered(outcome: Outcome, lost: &mut LostObjects) -> Outcome {
    match outcome {
        Outcome::Kept(object) if lost.get(&object.0) == Some(&UNREADABLE) => {
            Outcome::Rescued(object, UNREADABLE)
        }
        Outcome::Copied(object) if lost.get(&object.0) == Some(&UNREADABLE) => {
            lost.remove(&object.0);
            Outcome::Copied(object)
        }
        other => other,
    }
}

/// Counts an object, and returns it if it is in the backup.
fn note(
    outcome: Outcome,
    lost: &mut LostObjects,
    report: &mut BackupReport,
    on_event: OnEvent<'_>,
) -> Option<ListedObject> {
    let (object, is_copied) = match reconsidered(outcome, lost) {
        Outcome::Kept(object) => (object, false),
        Outcome::Copied(object) => (object, true),
        Outcome::Gone => {
            report.gone += 1;
            return None;
        }
        Outcome::Unnamed => return None,
        Outcome::Rescued(object, reason) => {
            let reason = lost.remove(&object.0).unwrap_or(reason);
            report.rescued += 1;
            on_event(BackupEvent::Rescued { key: &object.0, reason });
            (object, false)
        }
        Outcome::Damaged(object, reason) => {
            lost.remove(&object.0);
            report.damaged += 1;
            on_event(BackupEvent::Problem { key: &object.0, reason });
            return None;
        }
    };
    report.objects += 1;
    report.bytes += object.1;
    if is_copied {
        report.copied += 1;
        report.copied_bytes += object.1;
    }
    on_event(BackupEvent::Copied { objects: report.objects, bytes: report.bytes });
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_looked_at_may_have_been_copied() {
        let name = "01b8dac5-b400-7455-84da-87647b3f1b50/ajkzbgsi521k/hq.gpu71lagkak0.mp3";
        let object = ListedObject(name.parse().unwrap(), 5, None);
        let lost = |reason| LostObjects::from([(object.0.clone(), reason)]);
        let mut unreadable = lost(UNREADABLE);
        let kept = reconsidered(Outcome::Kept(object.clone()), &mut unreadable);
        assert!(matches!(kept, Outcome::Rescued(_, UNREADABLE)));
        let copied = reconsidered(Outcome::Copied(object.clone()), &mut unreadable);
        assert!(matches!(copied, Outcome::Copied(_)) && unreadable.is_empty());
        let mut missing = lost(MISSING);
        let kept = reconsidered(Outcome::Kept(object.clone()), &mut missing);
        assert!(matches!(kept, Outcome::Kept(_)) && !missing.is_empty());
    }
}
