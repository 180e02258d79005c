//! A person's own settings.

mod identities;
mod second_factor;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::StatusCode;
use http::header::SET_COOKIE;
use tonearm_domain::{ErrorCode, Language, SignInId};
use tonearm_service::{Refusal, SecondFactorView, SignInError};

pub(crate) use identities::IdentityRow;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::purpose::ends;
use crate::session::{OwnProfile, RequestDevice};
use crate::sign_in::device_cookie;
use crate::text::{Message, t, translate};

/// The same pages exist on their own, for people without an organization, and within each organization, so that its
/// navigation stays visible.
pub(crate) fn routes() -> Router<Dashboard> {
    let pages = Router::new()
        .route("/", get(page))
        .route("/name", post(rename))
        .route("/language", post(set_language))
        .route("/password", ends(change_password))
        .route("/second-factor", get(second_factor::page).merge(post(second_factor::begin)))
        .route("/second-factor/confirm", post(second_factor::confirm))
        .route("/second-factor/recovery-codes", post(second_factor::renew_codes))
        .route("/second-factor/remove", ends(second_factor::remove))
        .route("/identities", post(identities::link))
        .route("/identities/{identity_id}/unlink", ends(identities::unlink))
        .route("/sign-out-everywhere", ends(sign_out_everywhere))
        .route("/sign-ins/{sign_in_id}/end", ends(end_sign_in))
        .route("/organizations", post(create_organization));
    Router::new().nest("/profile", pages)
}

#[derive(Template)]
#[template(path = "profile/profile.html")]
struct ProfilePage {
    frame: Frame,
    name: String,
    email: String,
    languages: Vec<Choice>,
    is_administrator: bool,
    /// False for people whom the provider added.
    has_password: bool,
    second_factor: SecondFactorView,
    /// The name of the provider for people, if there is one.
    provider: Option<String>,
    identities: Vec<IdentityRow>,
    /// The names of these accounts in one text.
    accounts: String,
    organizations: Vec<OrganizationRow>,
    sign_ins: Vec<SignInRow>,
    problems: Problems,
}

struct OrganizationRow {
    id: String,
    name: String,
    role: Message,
}

struct SignInRow {
    id: String,
    browser: String,
    address: String,
    seen_at: String,
    is_this: bool,
}

async fn page(State(app): State<Dashboard>, profile: OwnProfile) -> Result<Response, PageError> {
    Ok(render(&ProfilePage::of(&app, &profile, Problems::default()).await?))
}

async fn rename(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    fields: Fields,
) -> Result<Response, PageError> {
    match app.people.rename(profile.signed_in().person(), fields.text("name")).await {
        Ok(()) => Ok(Flash::Saved.then(&profile.path("/profile"))),
        Err(refusal) => refuse(&app, &profile, Problems::of(refusal)?).await,
    }
}

/// Sets the language of the pages; an unknown value selects that of the browser.
async fn set_language(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    fields: Fields,
) -> Result<Response, PageError> {
    let language = match fields.text("language") {
        "" => None,
        tag => Some(tag.parse::<Language>().map_err(|_| PageError::BadForm)?),
    };
    app.people.set_language(profile.signed_in().person(), language).await?;
    Ok(Flash::Saved.then(&profile.path("/profile")))
}

async fn change_password(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let (current, new) = (fields.raw("current").to_owned(), fields.raw("password").to_owned());
    let (resumed, unlinking) = (&profile.signed_in().session.resumed, fields.is_ticked("unlink"));
    match app.people.change_password(resumed, current, new, unlinking, device).await {
        Ok(token) => {
            let mut response = Flash::PasswordChanged.then(&profile.path("/profile"));
            response.headers_mut().append(SET_COOKIE, device_cookie(&app, &token));
            Ok(response)
        }
        Err(SignInError::Wrong) => {
            let problems = Problems::one("current", &t("profile-wrong-password").to_string());
            refuse(&app, &profile, problems).await
        }
        Err(SignInError::Refusal(refusal)) => refuse(&app, &profile, Problems::of(refusal)?).await,
        Err(error) => refuse(&app, &profile, Problems::one("current", &error.to_string())).await,
    }
}

async fn sign_out_everywhere(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let (person, unlinking) = (profile.signed_in().person(), fields.is_ticked("unlink"));
    app.people.sign_out_everywhere(person, unlinking, device.address).await?;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}

async fn end_sign_in(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    PathId(sign_in_id): PathId<SignInId>,
) -> Result<Response, PageError> {
    app.people.sign_out(profile.signed_in().person(), sign_in_id, device.address).await?;
    Ok(Flash::SignedOutThere.then(&profile.path("/profile")))
}

async fn create_organization(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    fields: Fields,
) -> Result<Response, PageError> {
    if !profile.signed_in().person().is_administrator {
        return Err(PageError::Refused(Refusal::Forbidden {
            code: ErrorCode::NotAdministrator,
            message: "only administrators can create organizations",
        }));
    }
    match app.library.create_keyless_organization(fields.text("organization")).await {
        Ok(created) => {
            Ok(Flash::OrganizationCreated.then(&format!("/dashboard/{}/organization", created.id)))
        }
        Err(Refusal::Invalid { message, .. }) => {
            let problem = t("profile-organization-name").with("problem", translate(&message)).to_string();
            refuse(&app, &profile, Problems::one("organization", &problem)).await
        }
        Err(refusal) => Err(refusal.into()),
    }
}

async fn refuse(app: &Dashboard, profile: &OwnProfile, problems: Problems) -> Result<Response, PageError> {
    let page = ProfilePage::of(app, profile, problems).await?;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

impl ProfilePage {
    async fn of(app: &Dashboard, profile: &OwnProfile, problems: Problems) -> Result<Self, PageError> {
        let person = profile.signed_in().person();
        let this = profile.signed_in().session.resumed.sign_in.id;
        let sign_ins = app.people.sign_ins(person).await?.into_iter().map(|sign_in| SignInRow {
            id: sign_in.id.to_string(),
            browser: browser(sign_in.user_agent.as_deref().unwrap_or_default()),
            address: sign_in.address.map(|address| address.to_string()).unwrap_or_default(),
            seen_at: sign_in.seen_at.to_string(),
            is_this: sign_in.id == this,
        });
        let identities = app.people.identities(person).await?;
        let identities: Vec<_> = identities.into_iter().map(IdentityRow::of).collect();
        let accounts: Vec<&str> = identities.iter().map(|row| row.account.as_str()).collect();
        let organizations = app.people.organizations_of(person).await?;
        let organizations = organizations.into_iter().map(|(organization, role)| OrganizationRow {
            id: organization.id.to_string(),
            name: organization.name,
            role: crate::role(role),
        });
        Ok(Self {
            frame: profile.frame(t("profile-title"), Section::Profile),
            name: person.name.clone(),
            email: person.email.to_string(),
            languages: languages(person.language),
            is_administrator: person.is_administrator,
            has_password: app.people.has_password(person).await?,
            second_factor: app.people.second_factor(person).await?,
            provider: app.people.provider_name().map(str::to_owned),
            accounts: accounts.join(", "),
            identities,
            organizations: organizations.collect(),
            sign_ins: sign_ins.collect(),
            problems,
        })
    }
}

/// The languages to choose from, with that of the browser first.
fn languages(own: Option<Language>) -> Vec<Choice> {
    let browser = Choice::new("", t("profile-language-browser").to_string(), own.is_none());
    let named = Language::ALL.into_iter();
    let named = named.map(|one| Choice::new(one.as_str(), one.name(), own == Some(one)));
    std::iter::once(browser).chain(named).collect()
}

/// The name of a browser for people, if it is known.
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
        (Some(browser), Some(system)) => {
            t("profile-browser-on").with("browser", browser).with("system", system).to_string()
        }
        (Some(browser), None) => browser.to_owned(),
        _ => t("profile-unknown-browser").to_string(),
    }
}
