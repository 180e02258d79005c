//! A person's accounts at the OpenID Connect provider.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::header::{REFRESH, SET_COOKIE};
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use tonearm_domain::{IdentityId, PersonIdentity};
use tonearm_service::Refusal;

use super::ProfilePage;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Problems;
use crate::page::{Frame, Section, render, render_with};
use crate::path::Path;
use crate::session::{From, Myself};
use crate::sign_in::{attempt_cookie, refuse};
use crate::t;

/// Leads to the provider. A form may not end on another site, so the page it ends on goes there.
#[derive(Template)]
#[template(path = "profile/leaving.html")]
struct LeavingPage {
    frame: Frame,
    provider: String,
    address: String,
}

pub(super) struct IdentityRow {
    pub(super) id: String,
    pub(super) provider: String,
    pub(super) account: String,
    pub(super) used_at: String,
}

impl IdentityRow {
    pub(super) fn of(identity: PersonIdentity) -> Self {
        Self {
            id: identity.id.to_string(),
            provider: identity.issuer,
            account: identity.email.unwrap_or(identity.subject),
            used_at: identity.used_at.to_string(),
        }
    }
}

/// The account that is unlinked. By name, as the address may also name an organization.
#[derive(Deserialize)]
pub(super) struct Unlinked {
    identity_id: IdentityId,
}

pub(super) async fn link(State(app): State<Dashboard>, myself: Myself) -> Result<Response, PageError> {
    let resumed = &myself.signed_in().session.resumed;
    let begun = match app.people.begin_link(resumed, &myself.path("/profile")).await {
        Ok(begun) => begun,
        Err(error) => return refuse(&app, error, None),
    };
    let provider = app.people.provider_name().unwrap_or_default().to_owned();
    let title = t("profile-link-account").with("provider", provider.clone());
    let frame = Frame::new(title, Section::Profile);
    let mut response = render(&LeavingPage { frame, provider, address: begun.url.clone() });
    response.headers_mut().append(SET_COOKIE, attempt_cookie(&app, &begun));
    if let Ok(refresh) = HeaderValue::try_from(format!("0;url={}", begun.url)) {
        response.headers_mut().insert(REFRESH, refresh);
    }
    Ok(response)
}

pub(super) async fn unlink(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    Path(of): Path<Unlinked>,
) -> Result<Response, PageError> {
    match app.people.unlink_identity(&myself.signed_in().session.resumed, of.identity_id, &device).await {
        Ok(()) => Ok(Flash::IdentityUnlinked.then(&myself.path("/profile"))),
        Err(Refusal::Conflict { message, .. }) => {
            let page = ProfilePage::of(&app, &myself, Problems::one("identities", &message)).await?;
            Ok(render_with(StatusCode::CONFLICT, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
