//! Copies the objects of a backup into the store.

use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use tonearm_blobs::{Blobs, ObjectMeta};
use tonearm_domain::ObjectKey;

use super::error::BackupError;
use super::object_list::{ListedObject, Sorted, lines};
use super::part::PartFile;
use super::restore_report::RestoreReport;
use super::target::BackupTarget;
use super::transfer::{Route, Transfer};
use super::{BackupEvent, OnEvent};
use crate::inventory::{Rate, ReadFailures};

/// The number of concurrent copies.
const AT_ONCE: usize = 8;

/// The objects of the backup and those of the store, read in parallel.
struct ObjectLists<'a> {
    wanted: BoxStream<'static, Result<ListedObject, BackupError>>,
    store: Sorted<'a, (ObjectKey, ObjectMeta)>,
}

enum Outcome {
    Kept(ListedObject),
    Copied(ListedObject),
    Lost(ListedObject, &'static str),
}

/// Copies the objects that the store does not have. An object that the backup has lost is reported, and does not
/// prevent the restore of the others.
pub(super) async fn return_objects(
    (target, blobs): (&BackupTarget, &Blobs),
    objects: &PartFile,
    rate: &Rate,
    report: &mut RestoreReport,
    on_event: OnEvent<'_>,
) -> Result<(), BackupError> {
    let lists =
        ObjectLists { wanted: lines(objects).await?, store: Sorted::of_store(blobs, BackupError::Store) };
    let route = Route {
        from: target.objects(),
        from_failed: BackupError::Target,
        to: blobs,
        to_failed: BackupError::Store,
        rate,
        read_failures: ReadFailures::of(target.objects()),
    };
    let mut outcomes = stream::try_unfold(lists, ObjectLists::next)
        .map_ok(|(object, found)| copy(&route, object, found))
        .try_buffered(AT_ONCE)
        .boxed();
    while let Some(outcome) = outcomes.try_next().await? {
        let (object, is_copied) = match outcome {
            Outcome::Kept(object) => (object, false),
            Outcome::Copied(object) => (object, true),
            Outcome::Lost(object, reason) => {
                report.lost += 1;
                on_event(BackupEvent::Problem { key: &object.0, reason });
                continue;
            }
        };
        report.objects += 1;
        report.bytes += object.1;
        report.copied += u64::from(is_copied);
        on_event(BackupEvent::Copied { objects: report.objects, bytes: report.bytes });
    }
    Ok(())
}

impl ObjectLists<'_> {
    async fn next(mut self) -> Result<Option<((ListedObject, Option<ObjectMeta>), Self)>, BackupError> {
        let Some(object) = self.wanted.try_next().await? else { return Ok(None) };
        let found = self.store.find(&object.0.to_string()).await?;
        Ok(Some(((object, found.map(|(_, meta)| meta)), self)))
    }
}

async fn copy(
    route: &Route<'_>,
    object: ListedObject,
    found: Option<ObjectMeta>,
) -> Result<Outcome, BackupError> {
    // An object of another length is replaced if the backup has a sound copy. Otherwise it stays.
    if found.is_some_and(|meta| meta.size == object.1) {
        return Ok(Outcome::Kept(object));
    }
    Ok(match route.copy(&object).await? {
        Transfer::Copied(_) => Outcome::Copied(object),
        Transfer::Gone => Outcome::Lost(object, "it is missing in the backup"),
        Transfer::Damaged => Outcome::Lost(object, "its copy in the backup is damaged"),
        Transfer::Unreadable => Outcome::Lost(object, "its copy in the backup cannot be read"),
    })
}
