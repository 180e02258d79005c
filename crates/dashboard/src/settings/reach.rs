//! What a new key is to reach: found by words, chosen by a link, so that it works without a script.

use tonearm_domain::{CollectionId, CollectionSort, Cursor, PageQuery, SearchWords, TrackId, TrackSort};
use tonearm_service::Refusal;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// Most collections and tracks that are offered at once.
const MOST_COLLECTIONS: u32 = 6;
const MOST_TRACKS: u32 = 12;

/// What is chosen, or what there is to choose from.
#[derive(Default)]
pub(super) struct Reach {
    pub(super) chosen: Option<Found>,
    /// What was looked for.
    pub(super) find: String,
    pub(super) found: Vec<Found>,
}

/// A collection or a track.
pub(super) struct Found {
    pub(super) kind: Message,
    pub(super) title: String,
    /// The collection that a track is in.
    pub(super) inside: String,
    /// What chooses it, as part of an address.
    pub(super) query: String,
}

impl Reach {
    /// What the ids name. Where they name nothing, nothing is chosen; making the key then says so.
    pub(super) async fn chosen(
        app: &Dashboard,
        member: &Member<Editor>,
        collection: &str,
        track: &str,
    ) -> Result<Self, PageError> {
        let named = match (collection.parse(), track.parse()) {
            (_, Ok(id)) => named_track(app, member, id).await,
            (Ok(id), _) => named_collection(app, member, id).await,
            _ => return Ok(Self::default()),
        };
        match named {
            Ok(found) => Ok(Self { chosen: Some(found), ..Self::default() }),
            Err(Refusal::NotFound(_)) => Ok(Self::default()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// What has all the words; without any, the first collections.
    pub(super) async fn search(
        app: &Dashboard,
        member: &Member<Editor>,
        find: String,
    ) -> Result<Self, PageError> {
        let (caller, words) = (member.caller(), SearchWords::parse(&find));
        let query = PageQuery {
            words: words.clone(),
            sort: CollectionSort::Title,
            cursor: Cursor::First,
            limit: MOST_COLLECTIONS,
        };
        let collections = app.library.collection_page(&caller, &query).await?.rows;
        let mut found: Vec<Found> = collections
            .into_iter()
            .map(|view| Found::collection(view.collection.id, view.collection.title))
            .collect();
        if words.is_some() {
            let query =
                PageQuery { words, sort: TrackSort::Title, cursor: Cursor::First, limit: MOST_TRACKS };
            let query = app.library.track_page(&caller, None, &query).await?;
            found.extend(query.page.rows.into_iter().map(|view| {
                let inside = query.titles.get(&view.track.collection_id).cloned().unwrap_or_default();
                Found::track(view.track.id, view.title, inside)
            }));
        }
        Ok(Self { find, found, chosen: None })
    }
}

async fn named_track(app: &Dashboard, member: &Member<Editor>, id: TrackId) -> Result<Found, Refusal> {
    let track = app.library.track(&member.caller(), id).await?.track;
    let inside = app.library.collection(&member.caller(), track.collection_id).await?.collection.title;
    Ok(Found::track(id, track.shown_title().to_owned(), inside))
}

async fn named_collection(
    app: &Dashboard,
    member: &Member<Editor>,
    id: CollectionId,
) -> Result<Found, Refusal> {
    Ok(Found::collection(id, app.library.collection(&member.caller(), id).await?.collection.title))
}

impl Found {
    fn collection(id: CollectionId, title: String) -> Self {
        Self {
            kind: t("library-collection"),
            title,
            inside: String::new(),
            query: format!("collection={id}"),
        }
    }

    fn track(id: TrackId, title: String, inside: String) -> Self {
        Self { kind: t("common-track"), title, inside, query: format!("track={id}") }
    }
}
