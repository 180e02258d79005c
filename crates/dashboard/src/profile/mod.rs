//! What people change of themselves.

mod second_factor;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::StatusCode;
use http::header::SET_COOKIE;
use serde::Deserialize;
use tonearm_domain::SignInId;
use tonearm_service::{Refusal, SecondFactorView, SignInError};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::Path;
use crate::session::{From, Myself};
use crate::sign_in::device_cookie;

/// The same pages stand on their own, for whoever belongs to no organization, and within each organization, so that
/// whoever comes from there finds the way back.
pub(crate) fn routes() -> Router<Dashboard> {
    let pages = Router::new()
        .route("/", get(page))
        .route("/name", post(rename))
        .route("/password", post(change_password))
        .route("/second-factor", get(second_factor::page).post(second_factor::begin))
        .route("/second-factor/confirm", post(second_factor::confirm))
        .route("/second-factor/recovery-codes", post(second_factor::renew_codes))
        .route("/second-factor/remove", post(second_factor::remove))
        .route("/sign-out-everywhere", post(sign_out_everywhere))
        .route("/sign-ins/{sign_in_id}/end", post(end_sign_in))
        .route("/organizations", post(create_organization));
    Router::new().nest("/profile", pages)
}

#[derive(Template)]
#[template(path = "profile/profile.html")]
struct ProfilePage {
    frame: Frame,
    name: String,
    email: String,
    is_administrator: bool,
    second_factor: SecondFactorView,
    organizations: Vec<OrganizationRow>,
    sign_ins: Vec<SignInRow>,
    problems: Problems,
}

struct OrganizationRow {
    id: String,
    name: String,
    role: &'static str,
}

struct SignInRow {
    id: String,
    browser: String,
    address: String,
    seen_at: String,
    is_this: bool,
}

/// The sign-in that is ended. By name, as the address may also name an organization.
#[derive(Deserialize)]
struct Ended {
    sign_in_id: SignInId,
}

async fn page(State(app): State<Dashboard>, myself: Myself) -> Result<Response, PageError> {
    Ok(render(&ProfilePage::of(&app, &myself, Problems::default()).await?))
}

async fn rename(State(app): State<Dashboard>, myself: Myself, fields: Fields) -> Result<Response, PageError> {
    match app.people.rename(myself.signed_in().person(), fields.text("name")).await {
        Ok(()) => Ok(Flash::Saved.then(&myself.path("/profile"))),
        Err(refusal) => refuse(&app, &myself, Problems::of(refusal)?).await,
    }
}

async fn change_password(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let (current, new) = (fields.raw("current").to_owned(), fields.raw("password").to_owned());
    match app.people.change_password(&myself.signed_in().session.resumed, current, new, device).await {
        Ok(token) => {
            let mut response = Flash::PasswordChanged.then(&myself.path("/profile"));
            response.headers_mut().append(SET_COOKIE, device_cookie(&app, &token));
            Ok(response)
        }
        Err(SignInError::Wrong) => {
            let problems = Problems::one("current", "this password is incorrect");
            refuse(&app, &myself, problems).await
        }
        Err(SignInError::Refusal(refusal)) => refuse(&app, &myself, Problems::of(refusal)?).await,
        Err(error) => refuse(&app, &myself, Problems::one("current", &error.to_string())).await,
    }
}

async fn sign_out_everywhere(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
) -> Result<Response, PageError> {
    app.people.sign_out_everywhere(myself.signed_in().person(), device.address).await?;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}

async fn end_sign_in(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    Path(ended): Path<Ended>,
) -> Result<Response, PageError> {
    app.people.sign_out(myself.signed_in().person(), ended.sign_in_id, device.address).await?;
    Ok(Flash::SignedOutThere.then(&myself.path("/profile")))
}

async fn create_organization(
    State(app): State<Dashboard>,
    myself: Myself,
    fields: Fields,
) -> Result<Response, PageError> {
    if !myself.signed_in().person().is_administrator {
        return Err(PageError::Refused(Refusal::Forbidden {
            code: "not_administrator",
            message: "only administrators can create organizations",
        }));
    }
    match app.library.create_keyless_organization(fields.text("organization")).await {
        Ok(created) => {
            Ok(Flash::OrganizationCreated.then(&format!("/dashboard/{}/organization", created.id)))
        }
        Err(Refusal::Invalid { message, .. }) => {
            refuse(&app, &myself, Problems::one("organization", &format!("the name {message}"))).await
        }
        Err(refusal) => Err(refusal.into()),
    }
}

async fn refuse(app: &Dashboard, myself: &Myself, problems: Problems) -> Result<Response, PageError> {
    let page = ProfilePage::of(app, myself, problems).await?;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

impl ProfilePage {
    async fn of(app: &Dashboard, myself: &Myself, problems: Problems) -> Result<Self, PageError> {
        let person = myself.signed_in().person();
        let this = myself.signed_in().session.resumed.sign_in.id;
        let sign_ins = app.people.sign_ins(person).await?.into_iter().map(|found| SignInRow {
            id: found.id.to_string(),
            browser: browser(found.user_agent.as_deref().unwrap_or_default()),
            address: found.address.map(|address| address.to_string()).unwrap_or_default(),
            seen_at: found.seen_at.to_string(),
            is_this: found.id == this,
        });
        let organizations = app.people.organizations_of(person).await?;
        let organizations = organizations.into_iter().map(|(organization, role)| OrganizationRow {
            id: organization.id.to_string(),
            name: organization.name,
            role: role.as_str(),
        });
        Ok(Self {
            frame: myself.frame("Your profile", Section::Profile),
            name: person.name.clone(),
            email: person.email.to_string(),
            is_administrator: person.is_administrator,
            second_factor: app.people.second_factor(person).await?,
            organizations: organizations.collect(),
            sign_ins: sign_ins.collect(),
            problems,
        })
    }
}

/// What people call a browser, as far as it says.
pub(crate) fn browser(user_agent: &str) -> String {
    let named = [
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ];
    let find = |list: &[(&str, &'static str)]| {
        list.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&named), find(&systems)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        _ => "Unknown browser".to_owned(),
    }
}
