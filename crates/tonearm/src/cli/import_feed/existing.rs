//! The episodes that a collection has already.

use std::collections::HashMap;

use tonearm_client::{Client, ClientError, FoundTrack, TrackQuery};
use tonearm_domain::CollectionId;

use super::show::Episode;

/// Tracks of a page.
const PAGE: u32 = 200;

/// Pages of a collection that are read, at least.
const LEAST_PAGES: u64 = 10;

/// Looks up episodes: all tracks of the collection are read first, unless they are many more than the feed has.
pub(super) struct Existing<'a> {
    client: &'a Client,
    collection: CollectionId,
    /// By the id of the episode; none where each is looked up by itself.
    known: Option<HashMap<String, FoundTrack>>,
}

impl<'a> Existing<'a> {
    pub(super) async fn read(
        client: &'a Client,
        collection: CollectionId,
        episodes: &[Episode],
    ) -> Result<Self, ClientError> {
        let most_pages = LEAST_PAGES.max(episodes.len() as u64);
        let mut known = HashMap::new();
        let mut query = TrackQuery { limit: PAGE, ..TrackQuery::default() };
        loop {
            let page = client.tracks(collection, &query).await?;
            if page.count.is_some_and(|count| count / u64::from(PAGE) > most_pages) {
                return Ok(Self { client, collection, known: None });
            }
            for track in page.tracks {
                if let Some(index) = track.organization_index.clone() {
                    // Of several, the oldest.
                    known.entry(index).or_insert(track);
                }
            }
            match page.next_cursor {
                Some(next) => query.cursor = Some(next),
                None => return Ok(Self { client, collection, known: Some(known) }),
            }
        }
    }

    /// The track of an episode.
    pub(super) async fn find(&self, episode: &Episode) -> Result<Option<FoundTrack>, ClientError> {
        if let Some(known) = &self.known {
            return Ok(known.get(&episode.id).cloned());
        }
        let query =
            TrackQuery { organization_index: Some(episode.id.clone()), limit: 1, ..TrackQuery::default() };
        Ok(self.client.tracks(self.collection, &query).await?.tracks.into_iter().next())
    }
}
