//! One person's account, for administrators.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::{IdentityId, Person, PersonId};
use tonearm_service::{OneTimeLink, OwnerlessOrganizations, Refusal, SecondFactorView};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::Fields;
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::profile::{IdentityRow, browser};
use crate::refusal_text::sentence;
use crate::session::Administrator;
use crate::text::Message;

#[derive(Template)]
#[template(path = "people/account.html")]
struct AccountPage {
    frame: Frame,
    id: String,
    name: String,
    email: String,
    created_at: String,
    disabled_at: Option<String>,
    is_administrator: bool,
    is_self: bool,
    organizations: Vec<(String, Message)>,
    has_second_factor: bool,
    identities: Vec<IdentityRow>,
    sessions: Vec<SessionRow>,
    link: Option<OneTimeLink>,
    problem: Option<String>,
}

struct SessionRow {
    browser: String,
    address: String,
    seen_at: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
) -> Result<Response, PageError> {
    Ok(render(&AccountPage::of(&app, &administrator, person_id).await?))
}

pub(super) async fn disable(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let ownerless = ownerless(&administrator, &fields);
    let done = app.people.disable_person(administrator.origin(), person_id, ownerless).await;
    outcome(&app, &administrator, person_id, done, Flash::PersonDisabled).await
}

pub(super) async fn enable(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
) -> Result<Response, PageError> {
    let done = app.people.enable_person(administrator.origin(), person_id).await;
    outcome(&app, &administrator, person_id, done, Flash::PersonEnabled).await
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let ownerless = ownerless(&administrator, &fields);
    match app.people.remove_person(administrator.origin(), person_id, ownerless).await {
        Ok(()) => Ok(Flash::PersonRemoved.then("/dashboard/people")),
        refused => outcome(&app, &administrator, person_id, refused, Flash::PersonRemoved).await,
    }
}

pub(super) async fn end_sessions(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
) -> Result<Response, PageError> {
    let done = app.people.end_sessions(administrator.origin(), person_id).await;
    outcome(&app, &administrator, person_id, done, Flash::SessionsEnded).await
}

pub(super) async fn unlink(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
    PathId(identity_id): PathId<IdentityId>,
) -> Result<Response, PageError> {
    let done = app.people.unlink_identity_of(administrator.origin(), person_id, identity_id).await;
    outcome_or_signed_out(&app, &administrator, person_id, done, Flash::IdentityUnlinked).await
}

pub(super) async fn reset_second_factor(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
) -> Result<Response, PageError> {
    let done = app.people.reset_second_factor(administrator.origin(), person_id).await;
    outcome_or_signed_out(&app, &administrator, person_id, done, Flash::SecondFactorReset).await
}

pub(super) async fn set_administrator(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let is_one = match fields.text("to") {
        "yes" => true,
        "no" => false,
        _ => return Err(PageError::BadForm),
    };
    let done = app.people.set_administrator(administrator.origin(), person_id, is_one).await;
    if done.is_ok() && person_id == administrator.signed_in.person().id {
        // A former administrator may not see this page.
        return Ok(Flash::Saved.then("/dashboard/profile"));
    }
    let flash = if is_one { Flash::AdministratorAdded } else { Flash::AdministratorRemoved };
    outcome(&app, &administrator, person_id, done, flash).await
}

pub(super) async fn reset_password(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(person_id): PathId<PersonId>,
) -> Result<Response, PageError> {
    match app.people.reset_password(administrator.origin(), person_id).await {
        Ok(link) => {
            let page = AccountPage::of(&app, &administrator, person_id).await?;
            Ok(render(&AccountPage { link: Some(link), ..page }))
        }
        Err(refusal) => outcome(&app, &administrator, person_id, Err(refusal), Flash::Saved).await,
    }
}

fn ownerless(administrator: &Administrator, fields: &Fields) -> OwnerlessOrganizations {
    if fields.is_ticked("takes_over") {
        OwnerlessOrganizations::GiveTo(administrator.signed_in.person().id)
    } else {
        OwnerlessOrganizations::Refuse
    }
}

/// Redirects to the account's page after an action, or shows the page again with the reason why it was refused.
async fn outcome(
    app: &Dashboard,
    administrator: &Administrator,
    id: PersonId,
    done: Result<(), Refusal>,
    flash: Flash,
) -> Result<Response, PageError> {
    match done {
        Ok(()) => Ok(flash.then(&format!("/dashboard/people/{id}"))),
        Err(Refusal::Conflict { message, .. }) => {
            let page = AccountPage::of(app, administrator, id).await?;
            let page = AccountPage { problem: Some(sentence(&message)), ..page };
            Ok(render_with(StatusCode::CONFLICT, &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The same for actions that end all sessions of the account, which may be the administrator's own.
async fn outcome_or_signed_out(
    app: &Dashboard,
    administrator: &Administrator,
    id: PersonId,
    done: Result<(), Refusal>,
    flash: Flash,
) -> Result<Response, PageError> {
    if done.is_ok() && id == administrator.signed_in.person().id {
        return Ok(Redirect::to("/dashboard/sign-in").into_response());
    }
    outcome(app, administrator, id, done, flash).await
}

impl AccountPage {
    async fn of(app: &Dashboard, administrator: &Administrator, id: PersonId) -> Result<Self, PageError> {
        let person: Person = app.people.person(id).await?;
        let organizations = app.people.organizations_of(&person).await?;
        let identities = app.people.identities(&person).await?;
        let sessions = app.people.sign_ins(&person).await?.into_iter().map(|session| SessionRow {
            browser: browser(session.user_agent.as_deref().unwrap_or_default()),
            address: session.address.map(|address| address.to_string()).unwrap_or_default(),
            seen_at: session.seen_at.to_string(),
        });
        Ok(Self {
            frame: administrator.signed_in.frame(person.name.clone(), Section::People),
            id: id.to_string(),
            email: person.email.to_string(),
            created_at: person.created_at.to_string(),
            disabled_at: person.disabled_at.map(|at| at.to_string()),
            is_administrator: person.is_administrator,
            is_self: id == administrator.signed_in.person().id,
            organizations: organizations
                .into_iter()
                .map(|(organization, role)| (organization.name, crate::role(role)))
                .collect(),
            has_second_factor: matches!(
                app.people.second_factor(&person).await?,
                SecondFactorView::On { .. }
            ),
            identities: identities.into_iter().map(IdentityRow::of).collect(),
            sessions: sessions.collect(),
            name: person.name,
            link: None,
            problem: None,
        })
    }
}
