//! The collection or track that a new key is limited to: found by search and chosen by a link, so that it works without
//! a script.

use tonearm_domain::{CollectionId, CollectionSort, Cursor, PageQuery, SearchWords, TrackId, TrackSort};
use tonearm_service::Refusal;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// The most collections and tracks that are offered at once.
const MOST_COLLECTIONS: u32 = 6;
const MOST_TRACKS: u32 = 12;

/// The chosen scope, or the options to choose from.
#[derive(Default)]
pub(super) struct ScopeChoice {
    pub(super) chosen: Option<ScopeOption>,
    /// The words of the search.
    pub(super) find: String,
    pub(super) options: Vec<ScopeOption>,
}

/// A collection or a track.
pub(super) struct ScopeOption {
    pub(super) kind: Message,
    pub(super) title: String,
    /// The collection that a track is in.
    pub(super) inside: String,
    /// The query parameters that choose it.
    pub(super) query: String,
}

impl ScopeChoice {
    /// The scope for these ids. If they do not exist, nothing is chosen, and creating the key is refused.
    pub(super) async fn chosen(
        app: &Dashboard,
        member: &Member<Editor>,
        collection: &str,
        track: &str,
    ) -> Result<Self, PageError> {
        let option = match (collection.parse(), track.parse()) {
            (_, Ok(id)) => track_option(app, member, id).await,
            (Ok(id), _) => collection_option(app, member, id).await,
            _ => return Ok(Self::default()),
        };
        match option {
            Ok(option) => Ok(Self { chosen: Some(option), ..Self::default() }),
            Err(Refusal::NotFound(_)) => Ok(Self::default()),
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The collections and tracks that match all words; without words, the first collections.
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
        let mut options: Vec<ScopeOption> = collections
            .into_iter()
            .map(|view| ScopeOption::collection(view.collection.id, view.collection.title))
            .collect();
        if words.is_some() {
            let query =
                PageQuery { words, sort: TrackSort::Title, cursor: Cursor::First, limit: MOST_TRACKS };
            let tracks = app.library.track_page(&caller, None, &query).await?;
            options.extend(tracks.page.rows.into_iter().map(|view| {
                let inside = tracks.titles.get(&view.track.collection_id).cloned().unwrap_or_default();
                ScopeOption::track(view.track.id, view.title, inside)
            }));
        }
        Ok(Self { find, options, chosen: None })
    }
}

async fn track_option(app: &Dashboard, member: &Member<Editor>, id: TrackId) -> Result<ScopeOption, Refusal> {
    let track = app.library.track(&member.caller(), id).await?.track;
    let inside = app.library.collection(&member.caller(), track.collection_id).await?.collection.title;
    Ok(ScopeOption::track(id, track.shown_title().to_owned(), inside))
}

async fn collection_option(
    app: &Dashboard,
    member: &Member<Editor>,
    id: CollectionId,
) -> Result<ScopeOption, Refusal> {
    Ok(ScopeOption::collection(id, app.library.collection(&member.caller(), id).await?.collection.title))
}

impl ScopeOption {
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
