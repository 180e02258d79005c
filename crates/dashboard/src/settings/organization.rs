//! Name, colours and cover of an organization.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{Colour, CoverOwner, Patch};
use tonearm_service::{Refusal, UpdateOrganization};

use crate::app::Dashboard;
use crate::cover;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, FileForm, Problems};
use crate::library::Shades;
use crate::page::{Frame, Section, render, render_with};
use crate::quota::QuotaBar;
use crate::session::{Member, Owner};
use crate::text::t;

#[derive(Template)]
#[template(path = "settings/organization.html")]
struct OrganizationPage {
    frame: Frame,
    id: String,
    name: String,
    subtitle: String,
    colour: String,
    shades: Shades,
    is_cover_overridable: bool,
    is_theme_overridable: bool,
    theme: Vec<String>,
    cover: String,
    most_megabytes: u64,
    quotas: Vec<QuotaBar>,
    problems: Problems,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    Ok(render(&OrganizationPage::of(&app, &member).await?))
}

pub(super) async fn save(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    let saved = match fields.text("player_color").parse::<Colour>() {
        Err(error) => Err(Refusal::invalid("player_color", error.to_string())),
        Ok(colour) => {
            let update = UpdateOrganization {
                name: Patch::Set(fields.text("name").to_owned()),
                player_colour: Patch::Set(colour),
                player_subtitle: Patch::Set(fields.text("player_subtitle").to_owned()),
                is_cover_overridable: Patch::Set(fields.is_ticked("is_cover_overridable")),
                is_theme_overridable: Patch::Set(fields.is_ticked("is_theme_overridable")),
                ..UpdateOrganization::default()
            };
            app.library.update_organization(&member.caller(), member.organization.id, update).await
        }
    };
    let Err(refusal) = saved else { return Ok(Flash::Saved.then(&member.path("/organization"))) };
    let problems = Problems::of(refusal)?;
    let page = OrganizationPage { problems, ..OrganizationPage::of(&app, &member).await?.sent(&fields) };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

pub(super) async fn save_cover(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    form: FileForm,
) -> Result<Response, PageError> {
    let Err(problems) = cover::save(&app, &member, CoverOwner::Organization, form).await? else {
        return Ok(Flash::CoverSaved.then(&member.path("/organization")));
    };
    let page = OrganizationPage { problems, ..OrganizationPage::of(&app, &member).await? };
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

pub(super) async fn remove_cover(
    State(app): State<Dashboard>,
    member: Member<Owner>,
) -> Result<Response, PageError> {
    app.library.reset_cover(&member.caller(), CoverOwner::Organization).await?;
    Ok(Flash::CoverRemoved.then(&member.path("/organization")))
}

impl OrganizationPage {
    /// With the submitted form.
    fn sent(self, fields: &Fields) -> Self {
        let page = Self {
            name: fields.text("name").to_owned(),
            subtitle: fields.text("player_subtitle").to_owned(),
            is_cover_overridable: fields.is_ticked("is_cover_overridable"),
            is_theme_overridable: fields.is_ticked("is_theme_overridable"),
            ..self
        };
        match fields.text("player_color").parse::<Colour>() {
            Ok(colour) => Self { colour: colour.to_string(), shades: colour.companions().into(), ..page },
            Err(_) => page,
        }
    }

    async fn of(app: &Dashboard, member: &Member<Owner>) -> Result<Self, PageError> {
        let organization = &member.organization;
        let colours = organization.player_colour.companions();
        Ok(Self {
            frame: member.frame(t("base-organization"), Section::Organization),
            id: organization.id.to_string(),
            name: organization.name.clone(),
            subtitle: organization.player_subtitle.clone(),
            colour: colours.base.to_string(),
            shades: colours.into(),
            is_cover_overridable: organization.is_cover_overridable,
            is_theme_overridable: organization.is_theme_overridable,
            theme: organization.theme.colours().iter().map(|colour| colour.hex.to_string()).collect(),
            cover: app.links.organization_cover(organization).unwrap_or_default(),
            quotas: QuotaBar::all(app.library.quotas(&member.caller()).await?),
            most_megabytes: app.uploads.max_cover_bytes() / 1_000_000,
            problems: Problems::default(),
        })
    }
}
