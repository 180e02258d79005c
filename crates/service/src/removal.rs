//! Removing objects from the store. No other code deletes an object that a row could refer to: `clippy.toml` forbids the
//! methods that delete.

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{Ambient, Job, ObjectKey, OrganizationId, REPLACED_FILES_SECONDS};

/// Removes those of these objects to which no row refers, and returns their number.
///
/// The transaction that decided to remove them must be committed: the rows are read here, afterwards, so that an object
/// stays if another node has recorded it meanwhile. No row comes to refer to an object again, because the names of
/// objects are never reused. What is left after an interruption is removed by the sweep.
#[expect(clippy::disallowed_methods, reason = "this is the function that may")]
pub(crate) async fn remove_unnamed<E>(
    catalog: &Catalog,
    blobs: &Blobs,
    mut keys: Vec<ObjectKey>,
) -> Result<usize, E>
where
    E: From<CatalogError> + From<BlobError>,
{
    if keys.is_empty() {
        return Ok(0);
    }
    let named = catalog.known_objects(&keys).await?;
    keys.retain(|key| !named.contains(key));
    let count = keys.len();
    blobs.delete_many(keys).await?;
    Ok(count)
}

/// Schedules the removal of objects that no row names any more, with their sizes in bytes. URLs of them may have been
/// handed out, so they are kept for a day.
pub(crate) async fn remove_later(
    tx: &Transaction,
    ambient: &Ambient,
    organization: OrganizationId,
    objects: &[(ObjectKey, u64)],
) -> Result<(), CatalogError> {
    let remove_at = ambient.now().plus_seconds(REPLACED_FILES_SECONDS);
    tx.put_replaced_objects(organization, objects, remove_at).await
}

/// The same for objects to which nobody was given a URL: they are removed at once.
pub(crate) async fn remove_soon(
    tx: &Transaction,
    ambient: &Ambient,
    organization: OrganizationId,
    objects: &[(ObjectKey, u64)],
) -> Result<(), CatalogError> {
    if objects.is_empty() {
        return Ok(());
    }
    tx.put_replaced_objects(organization, objects, ambient.now()).await?;
    let job = Job::ForgetExpired {};
    let unique = job.kind();
    tx.enqueue(job, ambient.record_id(), ambient.now(), Some(unique)).await.map(drop)
}
