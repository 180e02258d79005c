//! API keys and share links: listing and revoking them.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{ApiKey, ApiKeyId, KeyState, KeyType, Role, SearchWords, Selection, Timestamp};
use tonearm_service::{KeyQuery, Refusal, Resource, ScopeTitles};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields};
use crate::page::{Frame, Section, render};
use crate::paging::{CursorQuery, PageLinks, query_string};
use crate::path::{PathId, Query};
use crate::session::{Editor, Member};
use crate::text::{Message, t};

/// Rows per page.
const ROWS: u32 = 50;

#[derive(Template)]
#[template(path = "settings/keys.html")]
struct KeysPage {
    frame: Frame,
    types: Vec<Choice>,
    states: Vec<Choice>,
    rows: Vec<KeyRow>,
    links: PageLinks,
    chosen_type: String,
    chosen_state: &'static str,
    q: String,
    is_narrowed: bool,
    /// The message if no key has the chosen state.
    no_match: Message,
}

struct KeyRow {
    id: String,
    title: String,
    key_type: Message,
    scope: String,
    allows: String,
    last_used: Option<String>,
    state: KeyState,
    expires_at: Option<String>,
    revoked_at: Option<String>,
    /// Until when the previous secret is valid.
    old_until: Option<String>,
    /// How many things it made that are still there.
    made: u64,
}

/// The requested page of the list. Invalid values count as missing.
#[derive(Deserialize)]
pub(super) struct KeysQuery {
    #[serde(default, rename = "type")]
    key_type: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    q: String,
    #[serde(flatten)]
    cursor: CursorQuery,
}

impl KeysQuery {
    fn only(&self) -> Option<KeyType> {
        self.key_type.parse().ok()
    }

    fn state(&self) -> KeyState {
        KeyState::ALL.into_iter().find(|state| state.as_str() == self.state).unwrap_or_default()
    }

    /// The query for the requested keys that a role manages.
    fn read(&self, role: Role) -> KeyQuery {
        let managed = |key_type: &KeyType| role.manages_keys_of(*key_type);
        let only = self.only().filter(managed);
        KeyQuery {
            key_types: match only {
                Some(only) => vec![only],
                None => KeyType::ALL.into_iter().filter(managed).collect(),
            },
            state: self.state(),
            words: SearchWords::parse(&self.q),
            cursor: self.cursor.cursor(),
            limit: ROWS,
        }
    }

    /// The query of another page of the same list.
    fn query_to(&self, direction: &'static str, key: &ApiKey) -> String {
        let key_type = self.only().map(KeyType::as_str).unwrap_or_default();
        query_string(&[
            ("type", key_type),
            ("state", self.state().as_str()),
            ("q", &self.q),
            (direction, &key.id.to_string()),
        ])
    }
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    Query(parameters): Query<KeysQuery>,
) -> Result<Response, PageError> {
    let query = parameters.read(member.role);
    let (keys, titles) = app.library.listed_keys(&member.caller(), &query).await?;
    let old = app.library.old_secrets(&member.caller(), &keys.rows).await?;
    let ids: Vec<ApiKeyId> = keys.rows.iter().map(|key| key.id).collect();
    let made = app.library.made_by_keys(&member.caller(), &ids).await?;
    let now = app.ambient.now();
    let row = |key: &ApiKey| KeyRow {
        old_until: old.get(&key.id).map(ToString::to_string),
        made: made.get(&key.id).map_or(0, |made| made.total()),
        ..KeyRow::of(key, &titles, now)
    };
    Ok(render(&KeysPage {
        frame: member.frame(t("base-keys"), Section::Keys),
        types: types(&member, parameters.only()),
        states: states(query.state),
        rows: keys.rows.iter().map(row).collect(),
        links: PageLinks::of(&keys, |direction, key| parameters.query_to(direction, key)),
        chosen_type: parameters.only().map(KeyType::as_str).unwrap_or_default().to_owned(),
        chosen_state: query.state.as_str(),
        is_narrowed: query.words.is_some() || parameters.only().is_some() || query.state != KeyState::Valid,
        no_match: no_match(query.state),
        q: parameters.q,
    }))
}

pub(super) async fn revoke(
    State(app): State<Dashboard>,
    member: Member<Editor>,
    PathId(id): PathId<ApiKeyId>,
    fields: Fields,
) -> Result<Response, PageError> {
    managed(&app, &member, id).await?;
    if fields.is_ticked("made") {
        app.library.revoke_key_and_made(&member.caller(), id).await?;
    } else {
        app.library.revoke_key(&member.caller(), id).await?;
    }
    Ok(Flash::KeyRevoked.then(&member.path("/keys")))
}

/// A key that the member's role manages. Other keys are refused as if they did not exist.
pub(super) async fn managed(
    app: &Dashboard,
    member: &Member<Editor>,
    id: ApiKeyId,
) -> Result<ApiKey, PageError> {
    let key = app.library.key(&member.caller(), id).await?;
    if member.role.manages_keys_of(key.key_type) {
        Ok(key)
    } else {
        Err(Refusal::NotFound(Resource::ApiKey).into())
    }
}

fn states(chosen: KeyState) -> Vec<Choice> {
    let choice = |state: KeyState| {
        let title = match state {
            KeyState::Valid => "keys-valid",
            KeyState::Expired => "keys-expired",
            KeyState::Revoked => "keys-revoked",
        };
        Choice::new(state.as_str(), t(title).to_string(), state == chosen)
    };
    KeyState::ALL.map(choice).into()
}

fn no_match(state: KeyState) -> Message {
    t(match state {
        KeyState::Valid => "keys-no-valid-match",
        KeyState::Expired => "keys-no-expired-match",
        KeyState::Revoked => "keys-no-revoked-match",
    })
}

/// The types to choose from, if there is more than one.
fn types(member: &Member<Editor>, only: Option<KeyType>) -> Vec<Choice> {
    let all = Choice::new("", t("keys-all-types").to_string(), only.is_none());
    let types = KeyType::ALL.into_iter().filter(|key_type| member.role.manages_keys_of(*key_type));
    let types: Vec<Choice> = types
        .map(|key_type| {
            Choice::new(key_type.as_str(), type_title(key_type).to_string(), only == Some(key_type))
        })
        .collect();
    if types.len() > 1 { std::iter::once(all).chain(types).collect() } else { Vec::new() }
}

/// A type's name for people.
pub(super) fn type_title(key_type: KeyType) -> Message {
    t(match key_type {
        KeyType::Api => "keys-type-api",
        KeyType::Player => "keys-type-player",
        KeyType::Uploader => "keys-type-uploader",
        KeyType::Share => "keys-type-share",
    })
}

/// The scope of a key, for people.
pub(super) fn scope(key: &ApiKey, titles: &ScopeTitles) -> String {
    match (key.scope.collection(), key.scope.track()) {
        (_, Some(id)) => titles.tracks.get(&id).cloned().unwrap_or_else(|| t("common-deleted-track").into()),
        (Some(id), None) => {
            titles.collections.get(&id).cloned().unwrap_or_else(|| t("common-deleted-collection").into())
        }
        (None, None) => t("keys-whole-organization").into(),
    }
}

/// The name of a key, for people.
pub(super) fn shown_title(key: &ApiKey) -> String {
    if key.title.is_empty() { t("common-unnamed").into() } else { key.title.clone() }
}

impl KeyRow {
    fn of(key: &ApiKey, titles: &ScopeTitles, now: Timestamp) -> Self {
        let listed = key.variants.only().map(|list| &**list).unwrap_or_default();
        let mut allows: Vec<String> = listed.iter().map(ToString::to_string).collect();
        if listed.is_empty() && key.variants != Selection::All {
            allows.push(t("keys-allows-nothing").into());
        }
        if key.is_downloadable {
            allows.push(t("keys-allows-downloads").into());
        }
        let origins = key.allowed_origins.only().map(|list| &**list).unwrap_or_default();
        match origins {
            [] => {}
            [one] => allows.push(t("keys-allows-origin").with("origin", one.to_string()).into()),
            several => allows.push(t("keys-allows-origins").with("count", several.len()).into()),
        }
        Self {
            id: key.id.to_string(),
            title: shown_title(key),
            key_type: type_title(key.key_type),
            scope: scope(key, titles),
            allows: allows.join(", "),
            last_used: key.last_used_at.map(|at| at.to_string()),
            state: key.state_at(now),
            expires_at: key.expires_at.map(|at| at.to_string()),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
            old_until: None,
            made: 0,
        }
    }
}
