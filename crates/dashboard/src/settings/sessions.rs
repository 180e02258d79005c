//! Valid play sessions and upload sessions: listing them, and ending them before they expire.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{ApiKeyId, CollectionId, SessionHandle, Timestamp, TrackId};
use tonearm_service::{ScopeTitles, SessionPage};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Choice;
use crate::page::{Frame, Section, render};
use crate::paging::{cut_to_page, query_string};
use crate::path::{PathId, Query};
use crate::session::{Member, Owner};
use crate::text::t;

/// Rows per page.
const ROWS: usize = 50;

#[derive(Template)]
#[template(path = "settings/sessions.html")]
struct SessionsPage {
    frame: Frame,
    kinds: Vec<Choice>,
    kind: &'static str,
    rows: Vec<SessionRow>,
    /// The query of the page with older sessions.
    older: Option<String>,
}

struct SessionRow {
    handle: SessionHandle,
    /// The collection or the track.
    target: String,
    organization_index: String,
    key: Option<ApiKeyId>,
    expires_at: Timestamp,
}

/// The requested page of the list. Invalid values count as missing.
#[derive(Deserialize)]
pub(super) struct SessionsQuery {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    before: String,
}

/// What a session of either kind shows.
struct Listed {
    handle: Option<SessionHandle>,
    collection: CollectionId,
    track: Option<TrackId>,
    organization_index: Option<String>,
    key: Option<ApiKeyId>,
    expires_at: Timestamp,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    Query(query): Query<SessionsQuery>,
) -> Result<Response, PageError> {
    let kind = if query.kind == "upload" { "upload" } else { "play" };
    let page = SessionPage { before: query.before.parse().ok(), limit: ROWS as u64 + 1 };
    let mut listed = listed(&app, &member, kind, page).await?;
    let older = cut_to_page(&mut listed, ROWS).and_then(|last| last.handle);
    let older = older.map(|handle| query_string(&[("kind", kind), ("before", &handle.to_string())]));
    let collections: Vec<CollectionId> = listed.iter().map(|session| session.collection).collect();
    let tracks: Vec<TrackId> = listed.iter().filter_map(|session| session.track).collect();
    let titles = app.library.titles(&member.caller(), &collections, &tracks).await?;
    let choice = |value: &'static str, title| Choice::new(value, t(title).to_string(), value == kind);
    Ok(render(&SessionsPage {
        frame: member.frame(t("keys-sessions"), Section::Keys),
        kinds: vec![choice("play", "keys-sessions-play"), choice("upload", "keys-sessions-upload")],
        kind,
        rows: listed.into_iter().filter_map(|session| SessionRow::of(session, &titles)).collect(),
        older,
    }))
}

async fn listed(
    app: &Dashboard,
    member: &Member<Owner>,
    kind: &str,
    page: SessionPage,
) -> Result<Vec<Listed>, PageError> {
    if kind == "play" {
        let sessions = app.playback.play_sessions(&member.caller(), page).await?;
        let listed = sessions.into_iter().map(|session| Listed {
            handle: session.handle,
            collection: session.collection_id,
            track: session.track_id,
            organization_index: session.organization_index,
            key: session.api_key_id,
            expires_at: session.expires_at,
        });
        return Ok(listed.collect());
    }
    let sessions = app.uploads.upload_sessions(&member.caller(), page).await?;
    let listed = sessions.into_iter().map(|session| Listed {
        handle: session.handle,
        collection: session.collection_id,
        track: None,
        organization_index: session.organization_index,
        key: session.api_key_id,
        expires_at: session.expires_at,
    });
    Ok(listed.collect())
}

pub(super) async fn end_play(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(handle): PathId<SessionHandle>,
) -> Result<Response, PageError> {
    app.playback.end_play_session(&member.caller(), handle.uuid()).await?;
    Ok(Flash::SessionEnded.then(&member.path("/sessions?kind=play")))
}

pub(super) async fn end_upload(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(handle): PathId<SessionHandle>,
) -> Result<Response, PageError> {
    app.uploads.end_upload_session(&member.caller(), handle.uuid()).await?;
    Ok(Flash::SessionEnded.then(&member.path("/sessions?kind=upload")))
}

impl SessionRow {
    fn of(session: Listed, titles: &ScopeTitles) -> Option<Self> {
        let known = match session.track {
            Some(track) => title(&titles.tracks, track, "common-deleted-track"),
            None => title(&titles.collections, session.collection, "common-deleted-collection"),
        };
        Some(Self {
            handle: session.handle?,
            target: known,
            organization_index: session.organization_index.unwrap_or_default(),
            key: session.key,
            expires_at: session.expires_at,
        })
    }
}

fn title<T: std::hash::Hash + Eq>(titles: &HashMap<T, String>, id: T, missing: &'static str) -> String {
    titles.get(&id).cloned().unwrap_or_else(|| t(missing).into())
}
