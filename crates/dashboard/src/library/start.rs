//! The first steps in an empty library: name a collection, add a track, embed it.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::{CollectionId, ErrorCode, Patch, Role, ShareTarget, TrackId, TrackSort, TrackStatus};
use tonearm_service::{
    CollectionView, CreateCollection, CreateShareLink, Refusal, ShareLink, TrackView, UpdateCollection,
    UpdateOrganization,
};

use super::listed::status_label;
use super::paging::ListQuery;
use crate::app::Dashboard;
use crate::embed;
use crate::error::PageError;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::session::{Editor, Member, SignedIn};
use crate::share::{EmbedOptions, Snippets};
use crate::text::{self, Message, t};

/// The most tracks that are checked to find a playable one.
const LOOKED_AT: u32 = 20;
/// The most characters of the name of a key.
const LONGEST_KEY_NAME: usize = 200;

#[derive(Template)]
#[template(path = "library/start.html")]
struct StartPage {
    frame: Frame,
    player_script: String,
    step: Step,
    problems: Problems,
}

/// The step that the library has reached.
enum Step {
    /// It has no collection with a track.
    Name { organization: Option<String>, title: String },
    /// The collection has no playable track.
    Add(AddStep),
    /// A track is playable.
    Share { collection: String, track: String, title: String, link: Option<Link> },
}

struct AddStep {
    collection: String,
    title: String,
    may_import: bool,
    /// A track that is being processed, and its progress.
    making: Option<(String, Message)>,
    /// The first track that waits for its upload.
    awaited: Option<String>,
    /// The first track that failed, and why.
    failed: Option<(String, String)>,
}

/// A share link of the track.
struct Link {
    page: String,
    snippets: Snippets,
}

impl StartPage {
    fn new(member: &Member<Editor>, step: Step) -> Self {
        Self {
            frame: member.frame(t("library-get-started"), Section::Library),
            player_script: embed::address("player.js"),
            step,
            problems: Problems::default(),
        }
    }

    /// The number of the step, from 1.
    fn number(&self) -> u8 {
        match self.step {
            Step::Name { .. } => 1,
            Step::Add(_) => 2,
            Step::Share { .. } => 3,
        }
    }

    /// The state of a step in the list of steps: `done`, `now` or `next`.
    fn state(&self, step: u8) -> &'static str {
        match step.cmp(&self.number()) {
            std::cmp::Ordering::Less => "done",
            std::cmp::Ordering::Equal => "now",
            std::cmp::Ordering::Greater => "next",
        }
    }
}

/// Redirects a new account to the first steps of its first organization.
pub(crate) async fn first(State(app): State<Dashboard>, signed_in: SignedIn) -> Result<Redirect, PageError> {
    let organizations = app.people.organizations_of(signed_in.person()).await?;
    let edited = organizations.iter().find(|(_, role)| *role >= Role::Editor);
    Ok(Redirect::to(&edited.map_or_else(
        || "/dashboard".to_owned(),
        |(organization, _)| format!("/dashboard/{}/start", organization.id),
    )))
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
) -> Result<Response, PageError> {
    if has_tracks(&app, &member).await? {
        return Ok(Redirect::to(&member.path("/library")).into_response());
    }
    let title = only_collection(&app, &member).await?.map(|view| view.collection.title).unwrap_or_default();
    Ok(render(&StartPage::new(&member, name_step(&member, title))))
}

pub(super) async fn name(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    match named(&app, &member, &fields).await {
        Ok(collection) => Ok(Redirect::to(&member.path(&format!("/start/{collection}"))).into_response()),
        Err(refusal) => {
            let mut page = StartPage::new(&member, name_step(&member, fields.text("title").to_owned()));
            if let Step::Name { organization: Some(name), .. } = &mut page.step {
                fields.text("name").clone_into(name);
            }
            page.problems = Problems::of(refusal)?;
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

/// Names the organization, if an owner requests it, and its first collection, which may exist already.
async fn named(app: &Dashboard, member: &Member<Editor>, fields: &Fields) -> Result<CollectionId, Refusal> {
    let caller = member.caller();
    let (name, title) = (fields.text("name"), fields.text("title"));
    if member.role == Role::Owner && name != member.organization.name {
        let update =
            UpdateOrganization { name: Patch::Set(name.to_owned()), ..UpdateOrganization::default() };
        app.library.update_organization(&caller, member.organization.id, update).await?;
    }
    if let Some(view) = only_collection(app, member).await? {
        let id = view.collection.id;
        let update = UpdateCollection { title: Patch::Set(title.to_owned()), ..UpdateCollection::default() };
        app.library.update_collection(&caller, id, update).await?;
        return Ok(id);
    }
    let create = CreateCollection { title: title.to_owned(), ..CreateCollection::default() };
    Ok(app.library.create_collection(&caller, create).await?.0.collection.id)
}

pub(super) async fn tracks(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
) -> Result<Response, PageError> {
    let step = step_of(&app, &member, id).await?;
    Ok(render(&StartPage::new(&member, step)))
}

/// Creates a share link for the playable track, unless it has one.
pub(super) async fn share(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
) -> Result<Response, PageError> {
    let mut page = StartPage::new(&member, step_of(&app, &member, id).await?);
    if let Step::Share { track, title, link: link @ None, .. } = &mut page.step {
        let track: TrackId = track.parse().map_err(|_| PageError::NoPage)?;
        match create_link(&app, &member, track, title).await {
            Ok(created) => *link = Some(created),
            Err(refusal) => page.problems = Problems::of(refusal)?,
        }
    }
    let status = if page.problems.is_none() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(render_with(status, &page))
}

async fn create_link(
    app: &Dashboard,
    member: &Member<Editor>,
    track: TrackId,
    title: &str,
) -> Result<Link, Refusal> {
    let recipes = app.library.recipes(&member.caller()).await?;
    let played = recipes.into_iter().map(|view| view.recipe);
    let mut played = played.filter(|recipe| recipe.kind.recipe_type().is_playable());
    let recipe = played.next().ok_or_else(|| Refusal::Conflict {
        code: ErrorCode::NoVariant,
        message: t("library-start-no-variant").to_string(),
    })?;
    let create = CreateShareLink {
        title: title.chars().take(LONGEST_KEY_NAME).collect(),
        variant: recipe.index,
        expires_at: None,
        is_downloadable: false,
    };
    let created = app.library.create_share_link(&member.caller(), ShareTarget::Track(track), create).await?;
    Link::of(app, track, title, &created)
        .ok_or_else(|| Refusal::Internal("a share link was created without its text".into()))
}

impl Link {
    /// `None` if the text of the link's key is not stored.
    fn of(app: &Dashboard, track: TrackId, title: &str, link: &ShareLink) -> Option<Self> {
        let (base, key) = (app.links.public_url(), link.text.as_ref()?.reveal());
        Some(Self {
            page: format!("{base}/share/{track}/{key}"),
            snippets: Snippets::new(base, &format!("{track}/{key}"), title, EmbedOptions::for_track()),
        })
    }
}

fn name_step(member: &Member<Editor>, title: String) -> Step {
    let organization = (member.role == Role::Owner).then(|| member.organization.name.clone());
    Step::Name { organization, title }
}

async fn has_tracks(app: &Dashboard, member: &Member<Editor>) -> Result<bool, Refusal> {
    let mut one = ListQuery::default().page_query(1);
    one.sort = TrackSort::Newest;
    Ok(!app.library.track_page(&member.caller(), None, &one).await?.page.rows.is_empty())
}

/// The collection of a library that has exactly one.
async fn only_collection(
    app: &Dashboard,
    member: &Member<Editor>,
) -> Result<Option<CollectionView>, Refusal> {
    let two = ListQuery::default().page_query(2);
    let mut rows = app.library.collection_page(&member.caller(), &two).await?.rows;
    Ok(if rows.len() == 1 { rows.pop() } else { None })
}

async fn step_of(app: &Dashboard, member: &Member<Editor>, id: CollectionId) -> Result<Step, Refusal> {
    let caller = member.caller();
    let collection = app.library.collection(&caller, id).await?.collection;
    let query = ListQuery::default().page_query(LOOKED_AT);
    let tracks = app.library.track_page(&caller, Some(id), &query).await?.page.rows;
    if let Some(view) = tracks.iter().find(|view| view.track.status.is_playable()) {
        let track = view.track.id;
        let page = app.library.share_links(&caller, ShareTarget::Track(track), None).await?;
        return Ok(Step::Share {
            collection: id.to_string(),
            track: track.to_string(),
            title: view.title.clone(),
            link: page.links.iter().find_map(|link| Link::of(app, track, &view.title, link)),
        });
    }
    let is_making = |view: &&TrackView| view.is_importing || view.track.status.is_processing();
    let making = tracks.iter().find(is_making);
    let failed = tracks.iter().find(|view| view.track.status_reason.is_some() && !is_making(view));
    let awaited =
        tracks.iter().find(|view| view.track.status == TrackStatus::Initialized && !view.is_importing);
    Ok(Step::Add(AddStep {
        collection: id.to_string(),
        title: collection.title,
        may_import: app.library.allows_imports(),
        making: making
            .map(|view| (view.track.id.to_string(), status_label(view.track.status, view.is_importing).0)),
        awaited: awaited.map(|view| view.track.id.to_string()),
        failed: failed
            .and_then(|view| Some((view.track.file_name.clone(), view.track.status_reason.as_deref()?)))
            .map(|(name, reason)| (name, text::reason(reason))),
    }))
}
