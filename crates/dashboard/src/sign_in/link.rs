//! The page of a one-time link: an invitation, the first administrator's, or a new password.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use tonearm_domain::{ErrorCode, OrganizationId};
use tonearm_service::{Entry, NewPerson, OpenedLink, Refusal, Resource};
use tonearm_signing::Token;

use super::entry::proceed;
use super::provider_link::ProviderLink;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathText;
use crate::session::{RequestDevice, SignedIn};
use crate::text::{Message, role_with_article, t};

#[derive(Template)]
#[template(path = "sign_in/link.html")]
struct LinkPage {
    frame: Frame,
    heading: Message,
    explanation: Message,
    button: Message,
    /// Whether it asks for name and email, besides a password.
    asks_name: bool,
    /// The path of this page, to return to after signing in or out.
    path: String,
    /// Whether it can be accepted with an existing account.
    is_invitation: bool,
    /// The other way to accept an invitation, if it was created for an address.
    provider: Option<ProviderLink>,
    name: String,
    email: String,
    problems: Problems,
}

/// An invitation, opened by a signed-in person.
#[derive(Template)]
#[template(path = "sign_in/invitation.html")]
struct InvitationPage {
    frame: Frame,
    organization: String,
    organization_id: String,
    role: String,
    path: String,
    person_id: String,
    name: String,
    email: String,
    /// The address that the invitation was created for, if it is not the signed-in person's.
    meant_for: Option<String>,
    is_member: bool,
    problem: Option<Message>,
}

#[derive(Template)]
#[template(path = "sign_in/dead_link.html")]
struct DeadLinkPage {
    frame: Frame,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    PathText(token): PathText,
    signed_in: Result<SignedIn, PageError>,
) -> Result<Response, PageError> {
    let Some((token, opened)) = open(&app, &token).await? else { return Ok(dead()) };
    if let (OpenedLink::Member { .. }, Ok(signed_in)) = (&opened, &signed_in) {
        return Ok(render(&InvitationPage::of(&app, &token, &opened, signed_in).await?));
    }
    Ok(render(&LinkPage::of(&app, &token, &opened)))
}

pub(super) async fn use_link(
    State(app): State<Dashboard>,
    PathText(token): PathText,
    signed_in: Result<SignedIn, PageError>,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let Some((token, opened)) = open(&app, &token).await? else { return Ok(dead()) };
    match (&opened, signed_in, fields.text("accept_as")) {
        (OpenedLink::Member { organization, .. }, Ok(signed_in), accept_as) => {
            return accept(&app, &token, &opened, organization.id, &signed_in, accept_as).await;
        }
        // The person who accepted with an account was signed out in the meantime.
        (OpenedLink::Member { .. }, Err(_), accept_as) if !accept_as.is_empty() => {
            return Ok(render(&LinkPage::of(&app, &token, &opened)));
        }
        _ => {}
    }
    let password = fields.raw("password").to_owned();
    let (name, email) = (fields.text("name").to_owned(), fields.text("email").to_owned());
    let let_in_as = match &opened {
        OpenedLink::NewPassword(_) => app.people.choose_new_password(&token, password, device).await,
        _ => {
            let new = NewPerson { name: name.clone(), email: email.clone(), password };
            app.people.join(&token, new, device).await.map(Entry::SignedIn)
        }
    };
    let next = match opened {
        OpenedLink::FirstAdministrator => "/dashboard/start",
        OpenedLink::Member { .. } | OpenedLink::NewPassword(_) => "/dashboard",
    };
    match let_in_as {
        Ok(entry) => Ok(proceed(&app, &entry, next)),
        Err(Refusal::NotFound(Resource::Invitation)) => Ok(dead()),
        Err(refusal) => {
            let problems = Problems::of(refusal)?;
            let page = LinkPage { name, email, problems, ..LinkPage::of(&app, &token, &opened) };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

/// Accepts an invitation with the signed-in account, if that is the account that the page showed: another person may
/// have signed in in this browser in the meantime.
async fn accept(
    app: &Dashboard,
    token: &Token,
    opened: &OpenedLink,
    organization: OrganizationId,
    signed_in: &SignedIn,
    accept_as: &str,
) -> Result<Response, PageError> {
    let problem = if accept_as == signed_in.person().id.to_string() {
        match app.people.join_as(token, signed_in.person()).await {
            Ok(()) => return Ok(Flash::Joined.then(&format!("/dashboard/{organization}/library"))),
            Err(Refusal::NotFound(Resource::Invitation)) => return Ok(dead()),
            // The invitation's page says so.
            Err(Refusal::Conflict { code: ErrorCode::AlreadyMember, .. }) => None,
            Err(refusal) => return Err(refusal.into()),
        }
    } else {
        Some(t("sign-in-as-below"))
    };
    let page = InvitationPage { problem, ..InvitationPage::of(app, token, opened, signed_in).await? };
    Ok(render_with(StatusCode::CONFLICT, &page))
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
    let frame = Frame::new(t("sign-in-dead-link"), Section::None);
    render_with(StatusCode::NOT_FOUND, &DeadLinkPage { frame }).into_response()
}

impl LinkPage {
    fn of(app: &Dashboard, token: &Token, opened: &OpenedLink) -> Self {
        let (heading, explanation, button) = match opened {
            OpenedLink::FirstAdministrator => {
                (t("sign-in-welcome"), t("sign-in-welcome-explanation"), "sign-in-create-account")
            }
            OpenedLink::Member { organization, role, .. } => (
                t("sign-in-join").with("organization", organization.name.clone()),
                t("sign-in-invited-as").with("role", role_with_article(*role).to_string()),
                "sign-in-join-button",
            ),
            OpenedLink::NewPassword(person) => (
                t("sign-in-new-password"),
                t("sign-in-new-password-explanation").with("email", person.email.to_string()),
                "sign-in-set-password",
            ),
        };
        let asks_name = !matches!(opened, OpenedLink::NewPassword(_));
        let email = match opened {
            OpenedLink::Member { email: Some(email), .. } => email.to_string(),
            _ => String::new(),
        };
        let frame = Frame::new(heading.clone(), Section::None);
        let button = t(button);
        let (name, problems, path) = (String::new(), Problems::default(), path(token));
        let is_invitation = matches!(opened, OpenedLink::Member { .. });
        let has_address = matches!(opened, OpenedLink::Member { email: Some(_), .. });
        let provider = if has_address { ProviderLink::to(app, &path) } else { None };
        Self {
            frame,
            heading,
            explanation,
            button,
            asks_name,
            path,
            is_invitation,
            provider,
            name,
            email,
            problems,
        }
    }
}

impl InvitationPage {
    async fn of(
        app: &Dashboard,
        token: &Token,
        opened: &OpenedLink,
        signed_in: &SignedIn,
    ) -> Result<Self, PageError> {
        let OpenedLink::Member { organization, role, email } = opened else {
            return Err(PageError::NoPage);
        };
        let person = signed_in.person();
        let own = app.people.organizations_of(person).await?;
        let own_role = own.iter().find(|(found, _)| found.id == organization.id).map(|(_, role)| *role);
        let heading = t("sign-in-join").with("organization", organization.name.clone());
        Ok(Self {
            frame: signed_in.frame(heading, Section::None),
            organization: organization.name.clone(),
            organization_id: organization.id.to_string(),
            role: role_with_article(own_role.unwrap_or(*role)).to_string(),
            path: path(token),
            person_id: person.id.to_string(),
            name: person.name.clone(),
            email: person.email.to_string(),
            meant_for: email.as_ref().filter(|email| **email != person.email).map(ToString::to_string),
            is_member: own_role.is_some(),
            problem: None,
        })
    }
}

fn path(token: &Token) -> String {
    format!("/dashboard/link/{}", token.reveal())
}
