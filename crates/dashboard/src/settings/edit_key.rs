//! Changing a key: its name, its expiry, and the pages that may use it.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::{AllowedOrigins, ApiKey, ApiKeyId, KeyState, KeyType, Patch, Timestamp};
use tonearm_service::{FixedOfKey, Refusal, UpdateKey};

use super::key_fields::{origins, read_expiry};
use super::keys::{managed, scope, shown_title, type_title};
use super::rotate_key::overlaps;
use crate::app::Dashboard;
use crate::edited::Edited;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::session::{Editor, Member};
use crate::text::{Message, t, translate};

#[derive(Template)]
#[template(path = "settings/edit_key.html")]
struct EditKeyPage {
    frame: Frame,
    id: String,
    name: String,
    key_type: Message,
    scope: String,
    state: KeyState,
    created_at: String,
    last_used: Option<String>,
    /// Whether the key can be limited to origins.
    has_origins: bool,
    title: Edited<String>,
    expires_at: Edited<Timestamp>,
    origins: Edited<AllowedOrigins>,
    /// Until when the previous secret is valid.
    old_until: Option<String>,
    /// The choices for how long a replaced secret stays valid.
    overlaps: Vec<Choice>,
    problems: Problems,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<ApiKeyId>,
) -> Result<Response, PageError> {
    let key = managed(&app, &member, id).await?;
    Ok(render(&EditKeyPage::of(&app, &member, &key).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<ApiKeyId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let key = managed(&app, &member, id).await?;
    let mut problems = match read(&key, &fields) {
        Ok(update) => match app.library.update_key(&member.caller(), id, update).await {
            Ok(_) => return Ok(Flash::Saved.then(&member.path("/keys"))),
            Err(Refusal::Invalid { field: "allowed_origins", message }) => Problems::one(
                "origins",
                &t("keys-list-of-origins").with("problem", translate(&message)).to_string(),
            ),
            Err(refusal) => Problems::of(refusal)?,
        },
        Err(problems) => problems,
    };
    let page = EditKeyPage::of(&app, &member, &managed(&app, &member, id).await?).await?;
    let page = EditKeyPage {
        title: page.title.sent("title", &fields, &mut problems),
        expires_at: page.expires_at.sent("expires_at", &fields, &mut problems),
        origins: page.origins.sent("origins", &fields, &mut problems),
        problems,
        ..page
    };
    Ok(render_with(page.problems.status(), &page))
}

fn read(key: &ApiKey, fields: &Fields) -> Result<UpdateKey, Problems> {
    let mut problems = Problems::default();
    let title = fields.text("title");
    if title.is_empty() || title.chars().count() > 200 {
        problems.add("title", &t("library-name-too-long").to_string());
    }
    let expires_at = match read_expiry(fields.text("expires_at")) {
        Ok(expiry) => fields.change("expires_at", expiry),
        Err(()) => {
            problems.add("expires_at", &t("library-enter-date").to_string());
            Patch::Keep
        }
    };
    let allowed_origins = match origins(fields) {
        _ if key.key_type == KeyType::Share => Patch::Keep,
        Ok(origins) => fields.change("origins", Some(origins)),
        Err(problem) => {
            problems.add("origins", &problem);
            Patch::Keep
        }
    };
    if !problems.is_none() {
        return Err(problems);
    }
    Ok(UpdateKey {
        title: fields.text_change("title"),
        expires_at,
        allowed_origins,
        is_downloadable: Patch::Keep,
        variants: Patch::Keep,
        fixed: FixedOfKey::default(),
    })
}

impl EditKeyPage {
    async fn of(app: &Dashboard, member: &Member<Editor>, key: &ApiKey) -> Result<Self, PageError> {
        let now: Timestamp = app.ambient.now();
        let old = app.library.old_secrets(&member.caller(), std::slice::from_ref(key)).await?;
        Ok(Self {
            frame: member.frame(t("keys-edit"), Section::Keys),
            id: key.id.to_string(),
            name: shown_title(key),
            key_type: type_title(key.key_type),
            scope: scope(key, &app.library.key_titles(&member.caller(), key).await?),
            state: key.state_at(now),
            created_at: key.created_at.to_string(),
            last_used: key.last_used_at.map(|at| at.to_string()),
            has_origins: key.key_type != KeyType::Share,
            title: Edited::new(key.title.clone()),
            expires_at: Edited::new(key.expires_at),
            origins: Edited::new(key.allowed_origins.clone()),
            old_until: old.get(&key.id).map(ToString::to_string),
            overlaps: overlaps(),
            problems: Problems::default(),
        })
    }
}
