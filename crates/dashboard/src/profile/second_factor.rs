//! A person's authenticator app and recovery codes.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use qrcodegen::{QrCode, QrCodeEcc};
use tonearm_service::{Enrolment, SecondFactorView, SignInError};

use crate::app::Dashboard;
use crate::error::{PageError, sentence};
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::session::{From, Myself};
use crate::t;

#[derive(Template)]
#[template(path = "profile/second_factor.html")]
struct SecondFactorPage {
    frame: Frame,
    email: String,
    view: SecondFactorView,
    /// The text of the secret, in groups, and its picture.
    enrolment: Option<(String, Qr)>,
    /// Shown this once.
    codes: Vec<String>,
    problems: Problems,
}

/// A QR code as an SVG path, with its size including the quiet zone.
struct Qr {
    size: i32,
    path: String,
}

/// Modules around a code that stay empty, so that cameras find it.
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

pub(super) async fn page(State(app): State<Dashboard>, myself: Myself) -> Result<Response, PageError> {
    Ok(render(&SecondFactorPage::of(&app, &myself).await?))
}

pub(super) async fn begin(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let (resumed, current) = (&myself.signed_in().session.resumed, fields.raw("current").to_owned());
    match app.people.begin_second_factor(resumed, current, &device).await {
        Ok(()) => Ok(render(&SecondFactorPage::of(&app, &myself).await?)),
        Err(error) => refuse(&app, &myself, "current", error).await,
    }
}

pub(super) async fn confirm(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &myself.signed_in().session.resumed;
    match app.people.confirm_second_factor(resumed, fields.text("code"), &device).await {
        Ok(codes) => show(&app, &myself, codes).await,
        Err(error) => refuse(&app, &myself, "code", error).await,
    }
}

pub(super) async fn renew_codes(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &myself.signed_in().session.resumed;
    match app.people.renew_recovery_codes(resumed, fields.text("renewing"), &device).await {
        Ok(codes) => show(&app, &myself, codes).await,
        Err(error) => refuse(&app, &myself, "renewing", error).await,
    }
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    myself: Myself,
    From(device): From,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &myself.signed_in().session.resumed;
    match app.people.remove_second_factor(resumed, fields.text("removing"), &device).await {
        Ok(()) => Ok(Flash::SecondFactorOff.then(&myself.path("/profile"))),
        Err(error) => refuse(&app, &myself, "removing", error).await,
    }
}

async fn show(app: &Dashboard, myself: &Myself, codes: Vec<String>) -> Result<Response, PageError> {
    Ok(render(&SecondFactorPage { codes, ..SecondFactorPage::of(app, myself).await? }))
}

async fn refuse(
    app: &Dashboard,
    myself: &Myself,
    field: &'static str,
    error: SignInError,
) -> Result<Response, PageError> {
    let problems = match error {
        SignInError::Refusal(refusal) => Problems::of(refusal)?,
        SignInError::Wrong => Problems::one(field, &t("profile-wrong-password").to_string()),
        other => Problems::one(field, &sentence(&other.to_string())),
    };
    let page = SecondFactorPage { problems, ..SecondFactorPage::of(app, myself).await? };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

impl SecondFactorPage {
    async fn of(app: &Dashboard, myself: &Myself) -> Result<Self, PageError> {
        let person = myself.signed_in().person();
        let enrolment = app.people.enrolment(person).await?.and_then(|Enrolment { uri, secret }| {
            let groups: Vec<&str> =
                (0..secret.len() / 4).filter_map(|at| secret.get(at * 4..at * 4 + 4)).collect();
            Some((groups.join(" "), Qr::new(&uri)?))
        });
        Ok(Self {
            frame: myself.frame(t("profile-second-factor"), Section::Profile),
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
