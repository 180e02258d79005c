//! Sharing a track or a collection: its share links, a new one, and how to embed each. It is a page of its own, which
//! scripts show as a dialog.

use askama::Template;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use tonearm_domain::{ApiKeyId, ShareTarget, Timestamp};
use tonearm_service::{Refusal, ShareLink};

use super::share_form::ShareForm;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::{PathId, Query, path_id, path_parameters};
use crate::recipe_text::recipe_line;
use crate::session::{Editor, Member};
use crate::share::{EmbedOptions, Size, Snippets, Theme};
use crate::text::t;

#[derive(Template)]
#[template(path = "library/share.html")]
struct SharePage {
    frame: Frame,
    /// The path of the shared item, below the organization's address.
    target: String,
    is_collection: bool,
    title: String,
    is_playable: bool,
    variants: Vec<Choice>,
    form: ShareForm,
    rows: Vec<LinkRow>,
    /// The last link of the page, if there are older ones.
    older: Option<String>,
    chosen: Option<Embedding>,
    problems: Problems,
}

/// A share link in the list.
struct LinkRow {
    id: String,
    title: String,
    variant: String,
    /// The URL of its page; `None` if the key's text is not stored.
    url: Option<String>,
    expires_at: Option<String>,
    is_expired: bool,
    last_used: Option<String>,
    is_downloadable: bool,
}

/// How to embed one of the links.
struct Embedding {
    id: String,
    title: String,
    url: String,
    /// The URL of the sound itself, if the link is for one track.
    stream: Option<String>,
    preview: String,
    height: u32,
    themes: Vec<Choice>,
    sizes: Vec<Choice>,
    snippets: Snippets,
}

/// The shared item that the path names.
pub(super) struct Target(ShareTarget);

impl FromRequestParts<Dashboard> for Target {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &Dashboard) -> Result<Self, PageError> {
        let parameters = path_parameters(parts).await?;
        if let Some(id) = path_id(&parameters) {
            return Ok(Self(ShareTarget::Track(id?)));
        }
        let id = path_id(&parameters).unwrap_or(Err(PageError::NoPage))?;
        Ok(Self(ShareTarget::Collection(id)))
    }
}

impl Target {
    fn path(&self) -> String {
        match self.0 {
            ShareTarget::Track(id) => format!("/tracks/{id}"),
            ShareTarget::Collection(id) => format!("/collections/{id}"),
        }
    }

    /// The path after `/share/` and `/embed/`, for a key.
    fn public_path(&self, key: &str) -> String {
        match self.0 {
            ShareTarget::Track(id) => format!("{id}/{key}"),
            ShareTarget::Collection(_) => key.to_owned(),
        }
    }

    const fn is_collection(&self) -> bool {
        matches!(self.0, ShareTarget::Collection(_))
    }

    const fn embed_options(&self) -> EmbedOptions {
        match self.0 {
            ShareTarget::Track(_) => EmbedOptions::for_track(),
            ShareTarget::Collection(_) => EmbedOptions::for_list(),
        }
    }
}

#[derive(Default, Deserialize)]
pub(super) struct ShareQuery {
    /// The link whose embedding code is shown.
    link: Option<ApiKeyId>,
    /// Only links older than this one.
    before: Option<ApiKeyId>,
    #[serde(default)]
    theme: String,
    #[serde(default)]
    size: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    target: Target,
    Query(query): Query<ShareQuery>,
) -> Result<Response, PageError> {
    Ok(render(&SharePage::of(&app, &member, &target, &query).await?))
}

pub(super) async fn create(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    target: Target,
    fields: Fields,
) -> Result<Response, PageError> {
    let form = ShareForm::read(&fields);
    let problems = match form.parse(app.ambient.now()) {
        Err(problems) => problems,
        Ok(create) => match app.library.create_share_link(&member.caller(), target.0, create).await {
            Ok(link) => {
                let address = member.path(&format!("{}/share?link={}", target.path(), link.key.id));
                return Ok(Flash::ShareLinkCreated.then(&address));
            }
            Err(Refusal::Invalid { field: "variants", .. }) => {
                Problems::one("variant", &t("library-choose-variant").to_string())
            }
            Err(refusal) => Problems::of(refusal)?,
        },
    };
    let page = SharePage::of(&app, &member, &target, &ShareQuery::default()).await?;
    let variants = page
        .variants
        .into_iter()
        .map(|choice| Choice { is_chosen: choice.value == form.variant.as_str(), ..choice });
    let page = SharePage { variants: variants.collect(), form, problems, ..page };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

pub(super) async fn revoke(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    target: Target,
    PathId(id): PathId<ApiKeyId>,
) -> Result<Response, PageError> {
    let caller = member.caller();
    app.library.share_link(&caller, target.0, id).await?;
    app.library.revoke_key(&caller, id).await?;
    Ok(Flash::ShareLinkRevoked.then(&member.path(&format!("{}/share", target.path()))))
}

/// Redirects from the address of a form to the page that contains it.
pub(super) async fn to_page(member: Member<Editor>, target: Target) -> Response {
    Redirect::to(&member.path(&format!("{}/share", target.path()))).into_response()
}

impl SharePage {
    async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        target: &Target,
        query: &ShareQuery,
    ) -> Result<Self, PageError> {
        let caller = member.caller();
        let (title, is_playable) = match target.0 {
            ShareTarget::Track(id) => {
                let view = app.library.track(&caller, id).await?;
                (view.title, view.track.status.is_playable())
            }
            ShareTarget::Collection(id) => {
                (app.library.collection(&caller, id).await?.collection.title, true)
            }
        };
        let recipes = app.library.shareable_variants(&caller, target.0).await?;
        let variants = recipes
            .iter()
            .enumerate()
            .map(|(at, recipe)| Choice::new(recipe.index.to_string(), recipe_line(recipe), at == 0));
        let page = app.library.share_links(&caller, target.0, query.before).await?;
        let chosen = match query.link {
            Some(id) => Some(app.library.share_link(&caller, target.0, id).await?),
            None => None,
        };
        let older = page.links.last().filter(|_| page.has_older).map(|link| link.key.id.to_string());
        let (base, now) = (app.links.public_url(), app.ambient.now());
        Ok(Self {
            frame: member.frame(t("library-share-title").with("title", title.clone()), Section::Library),
            chosen: chosen.and_then(|link| Embedding::of(base, target, &link, &title, query)),
            target: target.path(),
            is_collection: target.is_collection(),
            title,
            is_playable,
            variants: variants.collect(),
            form: ShareForm::default(),
            rows: page.links.iter().map(|link| LinkRow::of(base, target, link, now)).collect(),
            older,
            problems: Problems::default(),
        })
    }
}

impl LinkRow {
    fn of(base: &str, target: &Target, link: &ShareLink, now: Timestamp) -> Self {
        let key = &link.key;
        let url = link.text.as_ref().map(|text| share_url(base, target, text.reveal()));
        Self {
            id: key.id.to_string(),
            title: if key.title.is_empty() { t("library-share-link").into() } else { key.title.clone() },
            variant: key.variants.single().map(ToString::to_string).unwrap_or_default(),
            url,
            expires_at: key.expires_at.map(|at| at.to_string()),
            is_expired: !key.is_valid_at(now),
            last_used: key.last_used_at.map(|at| at.to_string()),
            is_downloadable: key.is_downloadable,
        }
    }
}

fn share_url(base: &str, target: &Target, key: &str) -> String {
    format!("{base}/share/{}", target.public_path(key))
}

impl Embedding {
    /// `None` for a link whose key's text is not stored.
    fn of(base: &str, target: &Target, link: &ShareLink, title: &str, query: &ShareQuery) -> Option<Self> {
        let key = link.text.as_ref()?.reveal();
        let default = target.embed_options();
        let options = EmbedOptions {
            theme: Theme::parse(&query.theme),
            size: Size::parse(&query.size).unwrap_or(default.size),
        };
        let path = target.public_path(key);
        let themes = Theme::ALL.into_iter().map(|theme| {
            let id = match theme {
                Theme::System => "library-theme-system",
                Theme::Light => "library-theme-light",
                Theme::Dark => "library-theme-dark",
            };
            Choice::new(theme.as_str(), t(id).to_string(), theme == options.theme)
        });
        let sizes = Size::ALL.into_iter().map(|size| {
            let id = match size {
                Size::Compact => "library-size-compact",
                Size::List => "library-size-list",
                Size::Tall => "library-size-tall",
            };
            let label = t(id).with("pixels", size.height()).to_string();
            Choice::new(size.as_str(), label, size == options.size)
        });
        let is_list = target.is_collection();
        Some(Self {
            id: link.key.id.to_string(),
            title: link.key.title.clone(),
            url: share_url(base, target, key),
            stream: (!is_list).then(|| format!("{base}/v1/stream/{path}")),
            preview: format!("/embed/{path}{}", options.query()),
            height: options.size.height(),
            themes: themes.collect(),
            sizes: if is_list { sizes.collect() } else { Vec::new() },
            snippets: Snippets::new(base, &path, title, options),
        })
    }
}
