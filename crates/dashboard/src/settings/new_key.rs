//! A new key: its form, and the one page that shows the key.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use tonearm_domain::{ApiKey, CollectionId, KeyType, Selection, TrackId, VariantIndex, VariantList};
use tonearm_service::{CreateKey, Refusal};

use super::key_fields::{origins, read_expiry};
use super::key_snippets::{Snippet, snippets};
use super::keys::type_title;
use super::scope_choice::ScopeChoice;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::Query;
use crate::recipe_text::recipe_line;
use crate::session::{Editor, Member};
use crate::share::{EmbedOptions, Snippets};
use crate::text::{Message, t};

#[derive(Template)]
#[template(path = "settings/new_key.html")]
struct NewKeyPage {
    frame: Frame,
    tabs: Vec<Choice>,
    form: KeyForm,
    scope: ScopeChoice,
    variants: Vec<Choice>,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "settings/created_key.html")]
struct CreatedKeyPage {
    frame: Frame,
    title: String,
    kind: KeyType,
    key: String,
    links: Vec<Link>,
    snippets: Vec<Snippet>,
}

/// A link or code for a key that can be used directly.
struct Link {
    title: Message,
    text: String,
    is_address: bool,
}

/// The form as it was filled in.
#[derive(Default)]
struct KeyForm {
    key_type: KeyTypeChoice,
    title: String,
    collection: String,
    track: String,
    /// Whether "Only these" is chosen; `None` if the form did not have that choice.
    is_limited: Option<bool>,
    variants: Vec<String>,
    is_downloadable: bool,
    /// Whether "Only these" websites is chosen.
    names_origins: bool,
    origins: String,
    expires_at: String,
}

/// The default type: share links are created most often.
struct KeyTypeChoice(KeyType);

impl Default for KeyTypeChoice {
    fn default() -> Self {
        Self(KeyType::Share)
    }
}

#[derive(Deserialize)]
pub(super) struct NewKeyQuery {
    #[serde(default, rename = "type")]
    key_type: String,
    #[serde(default)]
    collection: String,
    #[serde(default)]
    track: String,
    #[serde(default)]
    find: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Query(query): Query<NewKeyQuery>,
) -> Result<Response, PageError> {
    let form = KeyForm {
        key_type: KeyTypeChoice(query.key_type.parse().unwrap_or(KeyType::Share)),
        collection: query.collection,
        track: query.track,
        ..KeyForm::default()
    };
    let mut page = NewKeyPage::of(&app, &member, form, Problems::default()).await?;
    if page.scope.chosen.is_none() {
        page.scope = ScopeChoice::search(&app, &member, query.find).await?;
    }
    Ok(render(&page))
}

pub(super) async fn create(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    fields: Fields,
) -> Result<Response, PageError> {
    let form = KeyForm::read(&fields);
    let created = match form.parse(&fields) {
        Ok(mut create) => {
            if !member.role.manages_keys_of(create.key_type) {
                return Err(PageError::RoleTooLow(tonearm_domain::Role::Owner));
            }
            fill_collection(&app, &member, &mut create).await?;
            match app.library.create_key(&member.caller(), create).await {
                Ok(created) => Ok(created),
                Err(refusal) => Err(Problems::of(refusal)?),
            }
        }
        Err(problems) => Err(problems),
    };
    match created {
        Ok(created) => Ok(render(&CreatedKeyPage {
            frame: member.frame(t("keys-created"), Section::Keys),
            title: created.key.title.clone(),
            kind: created.key.key_type,
            links: links(&app, &created.key, created.text.reveal()),
            snippets: snippets(app.links.public_url(), &created.key, created.text.reveal()),
            key: created.text.reveal().to_owned(),
        })),
        Err(problems) => {
            let page = NewKeyPage::of(&app, &member, form, problems).await?;
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

/// A form that names a track need not name its collection.
async fn fill_collection(
    app: &Dashboard,
    member: &Member<Editor>,
    create: &mut CreateKey,
) -> Result<(), PageError> {
    if let (Some(track), None) = (create.track_id, create.collection_id) {
        match app.library.track(&member.caller(), track).await {
            Ok(found) => create.collection_id = Some(found.track.collection_id),
            // The use case reports the problem.
            Err(Refusal::NotFound(_)) => {}
            Err(refusal) => return Err(refusal.into()),
        }
    }
    Ok(())
}

/// The links and the code of a share key.
fn links(app: &Dashboard, key: &ApiKey, text: &str) -> Vec<Link> {
    if key.key_type != KeyType::Share {
        return Vec::new();
    }
    let base = app.links.public_url();
    let framed = |path: &str, options| Snippets::new(base, path, "Audio player", options).frame;
    match key.scope.track() {
        Some(track) => vec![
            Link {
                title: t("library-share-page"),
                text: format!("{base}/share/{track}/{text}"),
                is_address: true,
            },
            Link {
                title: t("keys-embed-code"),
                text: framed(&format!("{track}/{text}"), EmbedOptions::for_track()),
                is_address: false,
            },
            Link {
                title: t("library-stream-url"),
                text: format!("{base}/v1/stream/{track}/{text}"),
                is_address: true,
            },
        ],
        None if key.scope.collection().is_some() => vec![
            Link { title: t("library-share-page"), text: format!("{base}/share/{text}"), is_address: true },
            Link {
                title: t("keys-embed-code"),
                text: framed(text, EmbedOptions::for_list()),
                is_address: false,
            },
        ],
        None => vec![Link {
            title: t("keys-stream-template"),
            text: format!("{base}/v1/stream/TRACK_ID/{text}"),
            is_address: false,
        }],
    }
}

impl KeyForm {
    fn read(fields: &Fields) -> Self {
        Self {
            key_type: KeyTypeChoice(fields.text("type").parse().unwrap_or(KeyType::Share)),
            title: fields.text("title").to_owned(),
            collection: fields.text("collection").to_owned(),
            track: fields.text("track").to_owned(),
            is_limited: match fields.text("selection") {
                "all" => Some(false),
                "only" => Some(true),
                _ => None,
            },
            variants: fields.all("variants").map(str::to_owned).collect(),
            is_downloadable: fields.is_ticked("is_downloadable"),
            names_origins: fields.text("pages") == "only",
            origins: fields.raw("origins").to_owned(),
            expires_at: fields.text("expires_at").to_owned(),
        }
    }

    fn parse(&self, fields: &Fields) -> Result<CreateKey, Problems> {
        let mut problems = Problems::default();
        let mut create = CreateKey::new(self.key_type.0, &self.title);
        if self.title.is_empty() || self.title.chars().count() > 200 {
            problems.add("title", &t("library-name-too-long").to_string());
        }
        if !self.collection.is_empty() {
            match self.collection.parse::<CollectionId>() {
                Ok(id) => create.collection_id = Some(id),
                Err(_) => problems.add("collection", &t("keys-choose-collection").to_string()),
            }
        }
        if !self.track.is_empty() {
            match self.track.parse::<TrackId>() {
                Ok(id) => create.track_id = Some(id),
                Err(_) => problems.add("track", &t("keys-choose-track").to_string()),
            }
        }
        match self.selection() {
            Ok(variants) => create.variants = variants,
            Err(problem) => problems.add("variants", &t(problem).to_string()),
        }
        create.is_downloadable = self.is_downloadable;
        match origins(fields) {
            Ok(_) if self.key_type.0 == KeyType::Share => {}
            Ok(allowed) => create.allowed_origins = allowed,
            Err(problem) => problems.add("origins", &problem),
        }
        match read_expiry(&self.expires_at) {
            Ok(expires_at) => create.expires_at = expires_at,
            Err(()) => problems.add("expires_at", &t("library-enter-date").to_string()),
        }
        if problems.is_none() { Ok(create) } else { Err(problems) }
    }

    /// A separate choice decides between all and selected variants, because unticked checkboxes would be ambiguous.
    /// Otherwise returns the message of the problem.
    fn selection(&self) -> Result<Selection, &'static str> {
        let chosen: Result<Vec<VariantIndex>, _> = self.variants.iter().map(|text| text.parse()).collect();
        let chosen = VariantList::new(chosen.map_err(|_| "library-choose-variant")?);
        let is_share = self.key_type.0 == KeyType::Share;
        match (chosen, self.is_limited) {
            (Some(list), _) if is_share && list.len() == 1 => Ok(Selection::Only(list)),
            _ if is_share => Err("keys-one-variant"),
            (Some(_), Some(false)) => Err("keys-all-and-some"),
            (Some(list), _) => Ok(Selection::Only(list)),
            (None, Some(true)) => Err("keys-no-variant"),
            (None, _) => Ok(Selection::All),
        }
    }
}

impl NewKeyPage {
    async fn of(
        app: &Dashboard,
        member: &Member<Editor>,
        mut form: KeyForm,
        problems: Problems,
    ) -> Result<Self, PageError> {
        if !member.role.manages_keys_of(form.key_type.0) {
            form.key_type = KeyTypeChoice(KeyType::Share);
        }
        let scope = ScopeChoice::chosen(app, member, &form.collection, &form.track).await?;
        let recipes = app.library.recipes(&member.caller()).await?.into_iter().map(|view| view.recipe);
        let playable = recipes.filter(|recipe| recipe.kind.recipe_type().is_playable());
        let is_share = form.key_type.0 == KeyType::Share;
        let variants = playable.enumerate().map(|(at, recipe)| {
            let id = recipe.index.to_string();
            let is_default = is_share && form.variants.is_empty() && at == 0;
            let is_chosen = is_default || form.variants.contains(&id);
            Choice::new(id, recipe_line(&recipe), is_chosen)
        });
        let types = KeyType::ALL.into_iter().filter(|key_type| member.role.manages_keys_of(*key_type));
        let tabs = types.map(|key_type| {
            Choice::new(key_type.as_str(), type_title(key_type).to_string(), key_type == form.key_type.0)
        });
        Ok(Self {
            frame: member.frame(t("keys-new"), Section::Keys),
            tabs: tabs.collect(),
            scope,
            variants: variants.collect(),
            form,
            problems,
        })
    }

    fn explanation(&self) -> Message {
        t(match self.form.key_type.0 {
            KeyType::Api => "keys-explain-api",
            KeyType::Player => "keys-explain-player",
            KeyType::Uploader => "keys-explain-uploader",
            KeyType::Share => "library-new-link-hint",
        })
    }
}
