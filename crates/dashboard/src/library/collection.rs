//! One collection and its tracks.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{CollectionId, CoverOwner, Role, TrackId, TrackSort};
use tonearm_service::{CreateTrack, Refusal, UpdateCollection};

use super::colours::{ColourField, chosen_colour};
use super::listed::{PER_PAGE, Row, RowRights};
use super::paging::{ListQuery, Paging, Rows};
use crate::app::Dashboard;
use crate::cover;
use crate::edited::Edited;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, FileForm, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::{PathId, Query};
use crate::session::{Editor, Member, Viewer};

#[derive(Template)]
#[template(path = "library/collection.html")]
struct CollectionPage {
    frame: Frame,
    may_edit: bool,
    id: String,
    title: Edited<String>,
    subtitle: Edited<String>,
    colour: ColourField,
    cover: Option<String>,
    tracks: Vec<Row>,
    /// All tracks of the collection.
    track_count: u64,
    paging: Paging,
    may_import: bool,
    source_url: String,
    problems: Problems,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<CollectionId>,
    Query(list): Query<ListQuery>,
) -> Result<Response, PageError> {
    Ok(render(&CollectionPage::of(&app, &member, id, &list).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let Err(refusal) = change(&app, &member, id, &fields).await else {
        return Ok(Flash::Saved.then(&member.path(&format!("/collections/{id}"))));
    };
    let mut problems = Problems::of(refusal)?;
    let page = CollectionPage::of(&app, &member, id, &ListQuery::default()).await?;
    let page = CollectionPage {
        title: page.title.sent("title", &fields, &mut problems),
        subtitle: page.subtitle.sent("player_subtitle", &fields, &mut problems),
        colour: page.colour.sent(&fields, &mut problems),
        problems,
        ..page
    };
    Ok(render_with(page.problems.status(), &page))
}

async fn change(
    app: &Dashboard,
    member: &Member<Editor>,
    id: CollectionId,
    fields: &Fields,
) -> Result<(), Refusal> {
    let update = UpdateCollection {
        title: fields.text_change("title"),
        player_subtitle: fields.text_change("player_subtitle"),
        player_colour: chosen_colour(fields)?,
        ..UpdateCollection::default()
    };
    app.library.update_collection(&member.caller(), id, update).await?;
    Ok(())
}

/// The first letter of a title.
pub(super) fn initial(title: &str) -> String {
    title.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
}

pub(super) async fn save_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
    form: FileForm,
) -> Result<Response, PageError> {
    let Err(problems) = cover::save(&app, &member, CoverOwner::Collection(id), form).await? else {
        return Ok(Flash::CoverSaved.then(&member.path(&format!("/collections/{id}"))));
    };
    let page = CollectionPage::of(&app, &member, id, &ListQuery::default()).await?;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &CollectionPage { problems, ..page }))
}

pub(super) async fn remove_cover(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
) -> Result<Response, PageError> {
    app.library.reset_cover(&member.caller(), CoverOwner::Collection(id)).await?;
    Ok(Flash::CoverRemoved.then(&member.path(&format!("/collections/{id}"))))
}

/// Creates a track whose file is imported from a URL.
pub(super) async fn import(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let source_url = fields.text("source_url").to_owned();
    let create = CreateTrack {
        collection_id: Some(id),
        source_url: Some(source_url.clone()),
        ..CreateTrack::default()
    };
    let Err(refusal) = app.library.create_track(&member.caller(), create).await else {
        return Ok(Flash::ImportQueued.then(&member.path(&format!("/collections/{id}"))));
    };
    let problems = Problems::of(refusal)?;
    let page = CollectionPage::of(&app, &member, id, &ListQuery::default()).await?;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &CollectionPage { source_url, problems, ..page }))
}

pub(super) async fn delete(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<CollectionId>,
) -> Result<Response, PageError> {
    app.library.delete_collection(&member.caller(), id).await?;
    Ok(Flash::CollectionDeleted.then_undo(&member.path("/library"), id.uuid()))
}

impl CollectionPage {
    /// The placeholder for a missing cover.
    fn initial(&self) -> String {
        initial(&self.title.text)
    }

    async fn of<R>(
        app: &Dashboard,
        member: &Member<R>,
        id: CollectionId,
        list: &ListQuery,
    ) -> Result<Self, PageError> {
        let caller = member.caller();
        let view = app.library.collection(&caller, id).await?;
        let query = list.page_query::<TrackSort, TrackId>(PER_PAGE);
        let page = app.library.track_page(&caller, Some(id), &query).await?.page;
        let paging = list.paging(&query, &page, |_| true, (Rows::Tracks, |view| view.track.id.to_string()));
        let cards = app.playback.cards(page.rows).await?;
        let collection = view.collection;
        let organization = &member.organization;
        let may_edit = member.role >= Role::Editor;
        let is_in_order = query.sort == TrackSort::Order && query.words.is_none();
        let rights = RowRights { may_edit, is_movable: may_edit && is_in_order };
        Ok(Self {
            frame: member.frame(&collection.title, Section::Library),
            may_edit,
            id: id.to_string(),
            cover: app.links.collection_cover(&collection),
            title: Edited::new(collection.title),
            subtitle: Edited::new(collection.player_subtitle),
            colour: ColourField::new(
                collection.player_colour,
                organization.player_colour,
                organization.is_theme_overridable,
            ),
            track_count: app.library.track_count(&caller, id).await?,
            tracks: cards.into_iter().map(|card| Row::from(card).with(rights)).collect(),
            paging,
            may_import: app.library.allows_imports(),
            source_url: String::new(),
            problems: Problems::default(),
        })
    }
}
