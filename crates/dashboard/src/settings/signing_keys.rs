//! Signing keys, with which an organization's own backend signs delivery URLs.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{KeyState, ShortId, SigningKey, Timestamp};
use tonearm_service::CreatedSigningKey;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::session::{Member, Owner};
use crate::text::t;

#[derive(Template)]
#[template(path = "settings/signing_keys.html")]
struct SigningKeysPage {
    frame: Frame,
    rows: Vec<SigningKeyRow>,
    created: Option<CreatedSigningKey>,
    title: String,
    problems: Problems,
}

struct SigningKeyRow {
    id: String,
    title: String,
    created_at: String,
    state: KeyState,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    Ok(render(&SigningKeysPage::of(&app, &member).await?))
}

pub(super) async fn create(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    match app.signing_keys.create(&member.caller(), fields.text("title")).await {
        Ok(created) => {
            let page = SigningKeysPage::of(&app, &member).await?;
            Ok(render(&SigningKeysPage { created: Some(created), ..page }))
        }
        Err(refusal) => {
            let (problems, title) = (Problems::of(refusal)?, fields.text("title").to_owned());
            let page = SigningKeysPage { problems, title, ..SigningKeysPage::of(&app, &member).await? };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

pub(super) async fn revoke(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<ShortId>,
) -> Result<Response, PageError> {
    app.signing_keys.revoke(&member.caller(), id).await?;
    Ok(Flash::SigningKeyRevoked.then(&member.path("/signing-keys")))
}

impl SigningKeysPage {
    async fn of(app: &Dashboard, member: &Member<Owner>) -> Result<Self, PageError> {
        let (keys, now) = (app.signing_keys.list(&member.caller()).await?, app.ambient.now());
        Ok(Self {
            frame: member.frame(t("keys-signing"), Section::Keys),
            rows: keys.into_iter().rev().map(|key| SigningKeyRow::of(key, now)).collect(),
            created: None,
            title: String::new(),
            problems: Problems::default(),
        })
    }
}

impl SigningKeyRow {
    fn of(key: SigningKey, now: Timestamp) -> Self {
        Self {
            id: key.id.to_string(),
            state: key.state_at(now),
            title: if key.title.is_empty() { t("common-unnamed").into() } else { key.title },
            created_at: key.created_at.to_string(),
        }
    }
}
