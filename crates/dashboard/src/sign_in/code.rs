//! The page that asks for a code of the authenticator app, after the password.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{RETRY_AFTER, SET_COOKIE};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use tonearm_service::{Challenge, SignInError};

use super::entry::sign_in;
use super::next_page::next_page;
use super::password::page_with_problem;
use crate::app::Dashboard;
use crate::cookie;
use crate::error::PageError;
use crate::form::Fields;
use crate::page::{Frame, Section, render, render_with};
use crate::path::Query;
use crate::refusal_text::sentence;
use crate::session::RequestDevice;
use crate::t;

#[derive(Template)]
#[template(path = "sign_in/code.html")]
struct CodePage {
    frame: Frame,
    next: String,
    problem: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct CodeQuery {
    #[serde(default)]
    next: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    headers: HeaderMap,
    Query(query): Query<CodeQuery>,
) -> Response {
    match challenge(&app, &headers) {
        Some(challenge) if app.people.is_challenge(&challenge) => {
            render(&CodePage { frame: frame(), next: next_page(&query.next).to_owned(), problem: None })
        }
        _ => Redirect::to("/dashboard/sign-in").into_response(),
    }
}

pub(super) async fn enter(
    State(app): State<Dashboard>,
    headers: HeaderMap,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let Some(challenge) = challenge(&app, &headers) else {
        return Ok(Redirect::to("/dashboard/sign-in").into_response());
    };
    let next = next_page(fields.raw("next"));
    let error = match app.people.enter_code(&challenge, fields.text("code"), device).await {
        Ok(signed_in) => {
            let mut response = sign_in(&app, &signed_in, next);
            let is_https = app.is_https();
            let cookie = cookie::clear(cookie::challenge_name(is_https), is_https);
            response.headers_mut().append(SET_COOKIE, cookie);
            return Ok(response);
        }
        Err(SignInError::ChallengeOver) => {
            return Ok(page_with_problem(&app, sentence(&SignInError::ChallengeOver.to_string()), next));
        }
        Err(SignInError::Refusal(refusal)) => return Err(refusal.into()),
        Err(error) => error,
    };
    let wait = match error {
        SignInError::TooMany(seconds) => Some(seconds),
        _ => None,
    };
    let status = wait.map_or(StatusCode::UNPROCESSABLE_ENTITY, |_| StatusCode::TOO_MANY_REQUESTS);
    let problem = Some(sentence(&error.to_string()));
    let mut response = render_with(status, &CodePage { frame: frame(), next: next.to_owned(), problem });
    if let Some(seconds) = wait {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(response)
}

fn challenge(app: &Dashboard, headers: &HeaderMap) -> Option<Challenge> {
    cookie::read(headers, cookie::challenge_name(app.is_https())).map(Challenge::new)
}

fn frame() -> Frame {
    Frame::new(t("sign-in-factor"), Section::None)
}
