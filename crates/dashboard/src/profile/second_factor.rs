//! A person's authenticator app and recovery codes.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use qrcodegen::{QrCode, QrCodeEcc};
use tonearm_service::{Enrolment, SecondFactorView, SignInError};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::refusal_text::sentence;
use crate::session::{OwnProfile, RequestDevice};
use crate::t;

#[derive(Template)]
#[template(path = "profile/second_factor.html")]
struct SecondFactorPage {
    frame: Frame,
    email: String,
    view: SecondFactorView,
    /// The text of the secret, in groups, and its QR code.
    enrolment: Option<(String, Qr)>,
    /// Shown only once.
    codes: Vec<String>,
    problems: Problems,
}

/// A QR code as an SVG path, with its size including the quiet zone.
struct Qr {
    size: i32,
    path: String,
}

/// Empty modules around a code, so that cameras find it.
const QUIET: i32 = 4;

impl Qr {
    fn new(text: &str) -> Option<Self> {
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
        let size = code.size();
        let dark =
            (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).filter(|(x, y)| code.get_module(*x, *y));
        let path = dark.map(|(x, y)| format!("M{} {}h1v1h-1z", x + QUIET, y + QUIET)).collect();
        Some(Self { size: size + 2 * QUIET, path })
    }
}

pub(super) async fn page(State(app): State<Dashboard>, profile: OwnProfile) -> Result<Response, PageError> {
    Ok(render(&SecondFactorPage::of(&app, &profile).await?))
}

pub(super) async fn begin(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let (resumed, current) = (&profile.signed_in().session.resumed, fields.raw("current").to_owned());
    match app.people.begin_second_factor(resumed, current, &device).await {
        Ok(()) => Ok(render(&SecondFactorPage::of(&app, &profile).await?)),
        Err(error) => refuse(&app, &profile, "current", error).await,
    }
}

pub(super) async fn confirm(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &profile.signed_in().session.resumed;
    match app.people.confirm_second_factor(resumed, fields.text("code"), &device).await {
        Ok(codes) => show(&app, &profile, codes).await,
        Err(error) => refuse(&app, &profile, "code", error).await,
    }
}

pub(super) async fn renew_codes(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &profile.signed_in().session.resumed;
    match app.people.renew_recovery_codes(resumed, fields.text("renewing"), &device).await {
        Ok(codes) => show(&app, &profile, codes).await,
        Err(error) => refuse(&app, &profile, "renewing", error).await,
    }
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    profile: OwnProfile,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &profile.signed_in().session.resumed;
    match app.people.remove_second_factor(resumed, fields.text("removing"), &device).await {
        Ok(()) => Ok(Flash::SecondFactorOff.then(&profile.path("/profile"))),
        Err(error) => refuse(&app, &profile, "removing", error).await,
    }
}

async fn show(app: &Dashboard, profile: &OwnProfile, codes: Vec<String>) -> Result<Response, PageError> {
    Ok(render(&SecondFactorPage { codes, ..SecondFactorPage::of(app, profile).await? }))
}

async fn refuse(
    app: &Dashboard,
    profile: &OwnProfile,
    field: &'static str,
    error: SignInError,
) -> Result<Response, PageError> {
    let problems = match error {
        SignInError::Refusal(refusal) => Problems::of(refusal)?,
        SignInError::Wrong => Problems::one(field, &t("profile-wrong-password").to_string()),
        other => Problems::one(field, &sentence(&other.to_string())),
    };
    let page = SecondFactorPage { problems, ..SecondFactorPage::of(app, profile).await? };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

impl SecondFactorPage {
    async fn of(app: &Dashboard, profile: &OwnProfile) -> Result<Self, PageError> {
        let resumed = &profile.signed_in().session.resumed;
        let person = &resumed.person;
        let enrolment = app.people.enrolment(resumed).await?.and_then(|Enrolment { uri, secret }| {
            let groups: Vec<&str> =
                (0..secret.len() / 4).filter_map(|at| secret.get(at * 4..at * 4 + 4)).collect();
            Some((groups.join(" "), Qr::new(&uri)?))
        });
        Ok(Self {
            frame: profile.frame(t("profile-second-factor"), Section::Profile),
            email: person.email.to_string(),
            view: app.people.second_factor(person).await?,
            enrolment,
            codes: Vec::new(),
            problems: Problems::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_finders_and_a_quiet_zone() {
        let qr = Qr::new("otpauth://totp/Tonearm:ada%40example.com?secret=GEZDGNBVGY3TQOJQ").unwrap();
        assert!(qr.path.starts_with("M4 4h1v1h-1z") && !qr.path.contains("M3 "), "{}", qr.path);
        assert!(qr.path.contains(&format!("M{} 4h1", qr.size - QUIET - 1)));
        assert!(Qr::new(&"x".repeat(5000)).is_none());
    }
}
