//! Removing objects from the store. No other code deletes an object that a row could refer to: `clippy.toml` forbids the
//! methods that delete.

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::ObjectKey;

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
