//! Finds the episodes that a collection already has.

use std::collections::HashMap;

use tonearm_client::{Client, ClientError, ListedTrack, TrackQuery};
use tonearm_domain::CollectionId;

use super::show::Episode;

/// Tracks per page.
const PAGE: u32 = 200;

/// A collection with up to this many pages is always read completely.
const LEAST_PAGES: u64 = 10;

/// Looks up the tracks of episodes. All tracks of the collection are read first, unless there are many more of them
/// than episodes in the feed.
pub(super) struct Existing<'a> {
    client: &'a Client,
    collection: CollectionId,
    /// The tracks by the ids of their episodes. If `None`, each episode is looked up with a separate request.
    by_id: Option<HashMap<String, ListedTrack>>,
}

impl<'a> Existing<'a> {
    pub(super) async fn read(
        client: &'a Client,
        collection: CollectionId,
        episodes: &[Episode],
    ) -> Result<Self, ClientError> {
        let most_pages = LEAST_PAGES.max(episodes.len() as u64);
        let mut by_id = HashMap::new();
        let mut query = TrackQuery { limit: PAGE, ..TrackQuery::default() };
        loop {
            let page = client.tracks(collection, &query).await?;
            if page.count.is_some_and(|count| count / u64::from(PAGE) > most_pages) {
                return Ok(Self { client, collection, by_id: None });
            }
            for track in page.tracks {
                if let Some(index) = track.organization_index.clone() {
                    // If several tracks have the same id, the oldest is used.
                    by_id.entry(index).or_insert(track);
                }
            }
            match page.next_cursor {
                Some(next) => query.cursor = Some(next),
                None => return Ok(Self { client, collection, by_id: Some(by_id) }),
            }
        }
    }

    /// The track of an episode.
    pub(super) async fn find(&self, episode: &Episode) -> Result<Option<ListedTrack>, ClientError> {
        if let Some(by_id) = &self.by_id {
            return Ok(by_id.get(&episode.id).cloned());
        }
        let query =
            TrackQuery { organization_index: Some(episode.id.clone()), limit: 1, ..TrackQuery::default() };
        Ok(self.client.tracks(self.collection, &query).await?.tracks.into_iter().next())
    }
}
