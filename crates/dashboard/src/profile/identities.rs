//! A person's accounts at the OpenID Connect provider.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::header::{REFRESH, SET_COOKIE};
use http::{HeaderValue, StatusCode};
use tonearm_domain::{IdentityId, PersonIdentity};
use tonearm_service::{ProviderSignInError, Refusal, SignInError};

use super::ProfilePage;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::session::{OwnProfile, RequestDevice};
use crate::sign_in::{attempt_cookie, refuse};
use crate::t;

/// Redirects to the provider. A form must not redirect to another site, so it leads to this page, which then goes
/// there.
#[derive(Template)]
#[template(path = "profile/leaving.html")]
struct LeavingPage {
    frame: Frame,
    provider: String,
    address: String,
}

pub(crate) struct IdentityRow {
    pub(crate) id: String,
    pub(crate) provider: String,
    pub(crate) account: String,
    pub(crate) used_at: String,
}

impl IdentityRow {
    pub(crate) fn of(identity: PersonIdentity) -> Self {
        Self {
            id: identity.id.to_string(),
            provider: identity.issuer,
            account: identity.email.unwrap_or(identity.subject),
            used_at: identity.used_at.to_string(),
        }
    }
}

pub(super) async fn link(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let (resumed, current) = (&profile.signed_in().session.resumed, fields.raw("link_current").to_owned());
    let begun = match app.people.begin_link(resumed, current, &device, &profile.path("/profile")).await {
        Ok(begun) => begun,
        Err(ProviderSignInError::SignIn(SignInError::Wrong)) => {
            let problem = t("profile-wrong-password").to_string();
            return super::refuse(&app, &profile, Problems::one("link_current", &problem)).await;
        }
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
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    PathId(identity_id): PathId<IdentityId>,
) -> Result<Response, PageError> {
    match app.people.unlink_identity(&profile.signed_in().session.resumed, identity_id, &device).await {
        Ok(()) => Ok(Flash::IdentityUnlinked.then(&profile.path("/profile"))),
        Err(Refusal::Conflict { message, .. }) => {
            let page = ProfilePage::of(&app, &profile, Problems::one("identities", &message)).await?;
            Ok(render_with(StatusCode::CONFLICT, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
