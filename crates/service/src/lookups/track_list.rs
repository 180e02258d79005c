//! The tracks that a play session lists, in the form of the response.

use std::sync::Arc;

use bytes::Bytes;
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{CollectionId, OrganizationId, TrackId};

use crate::track_view::{TrackParents, TrackSummaryView};

/// The approximate size of a chunk in bytes.
const CHUNK: usize = 64 * 1024;

/// Writes a track as the element of a JSON array. Its output is cached, so all sessions use the same function.
pub type WriteTrack = fn(&TrackSummaryView, &mut Vec<u8>) -> Result<(), serde_json::Error>;

/// The playable tracks of a collection, or one of them, in order: elements of a JSON array, with commas between them.
///
/// A collection may have tens of thousands of tracks. They are serialized while they are read, and never held in
/// another form. Clones and responses share the bytes.
#[derive(Debug, Clone, Default)]
pub struct TrackList {
    chunks: Vec<Bytes>,
    first: Option<TrackId>,
}

impl TrackList {
    /// Loads the list. Returns `None` if there is no such collection.
    pub(crate) async fn load(
        catalog: &Catalog,
        organization_id: OrganizationId,
        collection_id: CollectionId,
        only: Option<TrackId>,
        write: WriteTrack,
    ) -> Result<Option<Self>, CatalogError> {
        let organization = catalog.organization(organization_id).await?;
        let collection = catalog.collection(organization_id, collection_id).await?;
        let Some((organization, collection)) = organization.zip(collection) else { return Ok(None) };
        let parents = TrackParents { organization: Arc::new(organization), collection: Arc::new(collection) };
        let (mut list, mut buffer, mut written) = (Self::default(), Vec::with_capacity(CHUNK), Ok(()));
        let each = |track: tonearm_domain::TrackSummary| {
            if written.is_err() {
                return;
            }
            if list.first.is_some() {
                buffer.push(b',');
            }
            list.first.get_or_insert(track.id);
            written = write(&parents.view_summary(track), &mut buffer);
            if buffer.len() >= CHUNK {
                list.chunks.push(Bytes::copy_from_slice(&buffer));
                buffer.clear();
            }
        };
        catalog.each_playable_track(organization_id, collection_id, only, each).await?;
        written.map_err(|error| CatalogError::Other(error.into()))?;
        if !buffer.is_empty() {
            list.chunks.push(buffer.into());
        }
        Ok(Some(list))
    }

    /// The first of the tracks.
    pub fn first(&self) -> Option<TrackId> {
        self.first
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// Whether the list has no tracks.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The consecutive chunks of the array's elements.
    pub fn chunks(&self) -> impl Iterator<Item = Bytes> {
        self.chunks.iter().cloned()
    }
}
