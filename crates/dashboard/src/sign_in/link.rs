//! The page behind a link that lets somebody in once.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use tonearm_service::{NewPerson, OpenedLink, Refusal, Resource};
use tonearm_signing::Token;

use super::let_in;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::Path;
use crate::session::{From, SignedIn};

#[derive(Template)]
#[template(path = "sign_in/link.html")]
struct LinkPage {
    frame: Frame,
    heading: String,
    explanation: String,
    button: &'static str,
    /// Whether it asks who somebody is, beside a password.
    asks_name: bool,
    /// Who is signed in and can join with one click.
    joins_as: Option<String>,
    name: String,
    email: String,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "sign_in/dead_link.html")]
struct DeadLinkPage {
    frame: Frame,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    Path(token): Path<String>,
    signed_in: Result<SignedIn, PageError>,
) -> Result<Response, PageError> {
    let Some((_, opened)) = open(&app, &token).await? else { return Ok(dead()) };
    Ok(render(&LinkPage::of(&opened, signed_in.ok())))
}

pub(super) async fn use_link(
    State(app): State<Dashboard>,
    Path(token): Path<String>,
    signed_in: Result<SignedIn, PageError>,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let Some((token, opened)) = open(&app, &token).await? else { return Ok(dead()) };
    let signed_in = signed_in.ok();
    if let (OpenedLink::Member { organization, .. }, Some(signed_in)) = (&opened, &signed_in) {
        app.people.join_as(&token, signed_in.person()).await?;
        return Ok(Flash::Joined.then(&format!("/dashboard/{}/library", organization.id)));
    }
    let password = fields.raw("password").to_owned();
    let (name, email) = (fields.text("name").to_owned(), fields.text("email").to_owned());
    let let_in_as = match &opened {
        OpenedLink::NewPassword(_) => app.people.choose_new_password(&token, password, device).await,
        _ => {
            let new = NewPerson { name: name.clone(), email: email.clone(), password };
            app.people.join(&token, new, device).await
        }
    };
    let next = match opened {
        OpenedLink::FirstAdministrator => "/dashboard/start",
        OpenedLink::Member { .. } | OpenedLink::NewPassword(_) => "/dashboard",
    };
    match let_in_as {
        Ok(signed_in) => Ok(let_in(&app, &signed_in, next)),
        Err(Refusal::NotFound(Resource::Invitation)) => Ok(dead()),
        Err(refusal) => {
            let problems = Problems::of(refusal)?;
            let page = LinkPage { name, email, problems, ..LinkPage::of(&opened, signed_in) };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

async fn open(app: &Dashboard, token: &str) -> Result<Option<(Token, OpenedLink)>, PageError> {
    let Ok(token) = token.parse::<Token>() else { return Ok(None) };
    match app.people.open_link(&token).await {
        Ok(opened) => Ok(Some((token, opened))),
        Err(Refusal::NotFound(_)) => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}

fn dead() -> Response {
    let frame = Frame::new("This link is no longer valid", Section::None);
    render_with(StatusCode::NOT_FOUND, &DeadLinkPage { frame }).into_response()
}

impl LinkPage {
    fn of(opened: &OpenedLink, signed_in: Option<SignedIn>) -> Self {
        let (heading, explanation, button, asks_name) = match opened {
            OpenedLink::FirstAdministrator => (
                "Welcome to Tonearm".to_owned(),
                "Create your account. You will be the administrator of this service.".to_owned(),
                "Create account",
                true,
            ),
            OpenedLink::Member { organization, role, .. } => (
                format!("Join {}", organization.name),
                format!("You are invited to join as {}.", article(role.as_str())),
                "Join organization",
                true,
            ),
            OpenedLink::NewPassword(person) => (
                "Set a new password".to_owned(),
                format!("For {}. This signs you out of all browsers.", person.email),
                "Set password",
                false,
            ),
        };
        let email = match opened {
            OpenedLink::Member { email: Some(email), .. } => email.to_string(),
            _ => String::new(),
        };
        let is_member = matches!(opened, OpenedLink::Member { .. });
        let joins_as = signed_in.filter(|_| is_member).map(|signed_in| signed_in.person().email.to_string());
        let frame = Frame::new(&heading, Section::None);
        let (name, problems) = (String::new(), Problems::default());
        Self { frame, heading, explanation, button, asks_name, joins_as, name, email, problems }
    }
}

fn article(role: &str) -> String {
    let article = if role.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {role}")
}
