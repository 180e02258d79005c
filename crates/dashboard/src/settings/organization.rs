//! Name, colours and cover of an organization.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{Colour, CoverOwner};
use tonearm_service::{Refusal, UpdateOrganization};

use crate::app::Dashboard;
use crate::cover;
use crate::edited::Edited;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, FileForm, Problems};
use crate::library::{Shades, sent_colour};
use crate::page::{Frame, Section, render, render_with};
use crate::quota::QuotaBar;
use crate::session::{Member, Owner};
use crate::text::t;

#[derive(Template)]
#[template(path = "settings/organization.html")]
struct OrganizationPage {
    frame: Frame,
    id: String,
    name: Edited<String>,
    subtitle: Edited<String>,
    colour: Edited<Colour>,
    shades: Shades,
    is_cover_overridable: Edited<bool>,
    is_theme_overridable: Edited<bool>,
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
    let Err(refusal) = change(&app, &member, &fields).await else {
        return Ok(Flash::Saved.then(&member.path("/organization")));
    };
    let problems = Problems::of(refusal)?;
    let page = OrganizationPage::of(&app, &member).await?.sent(&fields, problems);
    Ok(render_with(page.problems.status(), &page))
}

async fn change(app: &Dashboard, member: &Member<Owner>, fields: &Fields) -> Result<(), Refusal> {
    let ticked = |name| fields.change(name, Some(fields.is_ticked(name)));
    let update = UpdateOrganization {
        name: fields.text_change("name"),
        player_colour: fields.change("player_color", Some(sent_colour(fields)?)),
        player_subtitle: fields.text_change("player_subtitle"),
        is_cover_overridable: ticked("is_cover_overridable"),
        is_theme_overridable: ticked("is_theme_overridable"),
        ..UpdateOrganization::default()
    };
    app.library.update_organization(&member.caller(), member.organization.id, update).await?;
    Ok(())
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
    fn sent(self, fields: &Fields, mut problems: Problems) -> Self {
        let colour = self.colour.sent("player_color", fields, &mut problems);
        Self {
            name: self.name.sent("name", fields, &mut problems),
            subtitle: self.subtitle.sent("player_subtitle", fields, &mut problems),
            is_cover_overridable: self.is_cover_overridable.sent(
                "is_cover_overridable",
                fields,
                &mut problems,
            ),
            is_theme_overridable: self.is_theme_overridable.sent(
                "is_theme_overridable",
                fields,
                &mut problems,
            ),
            shades: colour.text.parse().map_or(self.shades, |colour: Colour| colour.companions().into()),
            colour,
            problems,
            ..self
        }
    }

    async fn of(app: &Dashboard, member: &Member<Owner>) -> Result<Self, PageError> {
        let view = app.library.organization(&member.caller(), member.organization.id).await?;
        let (organization, colours) = (view.organization, view.colours);
        let cover = app.links.organization_cover(&organization).unwrap_or_default();
        Ok(Self {
            frame: member.frame(t("base-organization"), Section::Organization),
            id: organization.id.to_string(),
            name: Edited::new(organization.name),
            subtitle: Edited::new(organization.player_subtitle),
            colour: Edited::new(organization.player_colour),
            shades: colours.into(),
            is_cover_overridable: Edited::new(organization.is_cover_overridable),
            is_theme_overridable: Edited::new(organization.is_theme_overridable),
            theme: organization.theme.colours().iter().map(|colour| colour.hex.to_string()).collect(),
            cover,
            quotas: QuotaBar::all(app.library.quotas(&member.caller()).await?),
            most_megabytes: app.uploads.max_cover_bytes() / 1_000_000,
            problems: Problems::default(),
        })
    }
}
