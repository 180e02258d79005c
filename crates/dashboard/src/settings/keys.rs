//! API keys and share links: what there is, and revoking it.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{ApiKey, ApiKeyId, KeyType, Timestamp};
use tonearm_service::{Refusal, Resource};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Choice;
use crate::page::{Frame, Section, render};
use crate::path::{Path, Query};
use crate::session::{Editor, Member};

/// Rows of a page.
const ROWS: usize = 50;

#[derive(Template)]
#[template(path = "settings/keys.html")]
struct KeysPage {
    frame: Frame,
    tabs: Vec<Choice>,
    rows: Vec<KeyRow>,
    newer: Option<usize>,
    older: Option<usize>,
    chosen: String,
}

struct KeyRow {
    id: String,
    title: String,
    key_type: &'static str,
    scope: String,
    allows: String,
    last_used: Option<String>,
    state: KeyState,
    expires_at: Option<String>,
}

/// What a key is now.
#[derive(PartialEq, Eq)]
enum KeyState {
    Valid,
    Expired,
    Revoked,
}

#[derive(Deserialize)]
pub(super) struct KeysQuery {
    #[serde(default, rename = "type")]
    key_type: String,
    #[serde(default)]
    page: usize,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Query(asked): Query<KeysQuery>,
) -> Result<Response, PageError> {
    let mut keys = app.library.keys(&member.caller()).await?;
    let only = asked.key_type.parse::<KeyType>().ok();
    keys.retain(|key| {
        member.role.manages_keys_of(key.key_type) && only.is_none_or(|only| key.key_type == only)
    });
    keys.reverse();
    let start = asked.page.saturating_mul(ROWS).min(keys.len());
    let shown = &keys[start..keys.len().min(start + ROWS)];
    let titles = titles(&app, &member, shown).await?;
    let now = app.ambient.now();
    let rows = shown.iter().map(|key| KeyRow::of(key, &titles, now)).collect();
    Ok(render(&KeysPage {
        frame: member.frame("Keys and links", Section::Keys),
        tabs: tabs(&member, only),
        rows,
        newer: (start > 0).then(|| asked.page.saturating_sub(1)),
        older: (start + ROWS < keys.len()).then_some(asked.page + 1),
        chosen: only.map(KeyType::as_str).unwrap_or_default().to_owned(),
    }))
}

pub(super) async fn revoke(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Path((_, id)): Path<(String, ApiKeyId)>,
) -> Result<Response, PageError> {
    require_managed(&app, &member, id).await?;
    app.library.revoke_key(&member.caller(), id).await?;
    Ok(Flash::KeyRevoked.then(&member.path("/keys")))
}

/// Refuses keys that the member's role does not manage, as if they were not there.
async fn require_managed(app: &Dashboard, member: &Member<Editor>, id: ApiKeyId) -> Result<(), PageError> {
    let key = app.library.key(&member.caller(), id).await?;
    if member.role.manages_keys_of(key.key_type) {
        Ok(())
    } else {
        Err(Refusal::NotFound(Resource::ApiKey).into())
    }
}

fn tabs(member: &Member<Editor>, only: Option<KeyType>) -> Vec<Choice> {
    let all = Choice::new("", "All", only.is_none());
    let types = KeyType::ALL.into_iter().filter(|key_type| member.role.manages_keys_of(*key_type));
    let types: Vec<Choice> = types
        .map(|key_type| Choice::new(key_type.as_str(), type_title(key_type), only == Some(key_type)))
        .collect();
    if types.len() > 1 { std::iter::once(all).chain(types).collect() } else { Vec::new() }
}

/// A type's name for people.
pub(super) const fn type_title(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::Api => "API",
        KeyType::Player => "Player",
        KeyType::Uploader => "Uploader",
        KeyType::Share => "Share link",
    }
}

/// What the keys are limited to, by the text of its id.
async fn titles(
    app: &Dashboard,
    member: &Member<Editor>,
    keys: &[ApiKey],
) -> Result<HashMap<String, String>, PageError> {
    let (caller, mut titles) = (member.caller(), HashMap::new());
    for key in keys {
        if let Some(id) = key.scope.collection()
            && !titles.contains_key(&id.to_string())
        {
            let title = match app.library.collection(&caller, id).await {
                Ok(found) => found.collection.title,
                Err(Refusal::NotFound(_)) => "Deleted collection".to_owned(),
                Err(refusal) => return Err(refusal.into()),
            };
            titles.insert(id.to_string(), title);
        }
        if let Some(id) = key.scope.track()
            && !titles.contains_key(&id.to_string())
        {
            let title = match app.library.track(&caller, id).await {
                Ok(found) => found.title,
                Err(Refusal::NotFound(_)) => "Deleted track".to_owned(),
                Err(refusal) => return Err(refusal.into()),
            };
            titles.insert(id.to_string(), title);
        }
    }
    Ok(titles)
}

impl KeyRow {
    fn of(key: &ApiKey, titles: &HashMap<String, String>, now: Timestamp) -> Self {
        let named = |id: String| titles.get(&id).cloned().unwrap_or_default();
        let scope = match (key.scope.collection(), key.scope.track()) {
            (_, Some(track)) => named(track.to_string()),
            (Some(collection), None) => named(collection.to_string()),
            (None, None) => "Whole organization".to_owned(),
        };
        let listed = key.variants.only().map(|list| &**list).unwrap_or_default();
        let mut allows: Vec<String> = listed.iter().map(ToString::to_string).collect();
        if key.is_downloadable {
            allows.push("downloads".to_owned());
        }
        let state = match key.revoked_at {
            Some(_) => KeyState::Revoked,
            None if !key.is_valid_at(now) => KeyState::Expired,
            None => KeyState::Valid,
        };
        Self {
            id: key.id.to_string(),
            title: if key.title.is_empty() { "Unnamed".to_owned() } else { key.title.clone() },
            key_type: type_title(key.key_type),
            scope,
            allows: allows.join(", "),
            last_used: key.last_used_at.map(|at| at.to_string()),
            state,
            expires_at: key.expires_at.map(|at| at.to_string()),
        }
    }
}
