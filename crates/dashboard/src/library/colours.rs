//! A colour with its companions, as it is chosen.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{Colour, Patch, PlayerColours};
use tonearm_service::Refusal;

use crate::error::PageError;
use crate::form::Fields;
use crate::page::render;
use crate::session::{Member, Viewer};

/// What templates show of a colour; they have it as `shades`.
pub(crate) struct Shades {
    pub(crate) light: String,
    pub(crate) dark: String,
}

impl From<PlayerColours> for Shades {
    fn from(colours: PlayerColours) -> Self {
        Self { light: colours.light.to_string(), dark: colours.dark.to_string() }
    }
}

/// The fields in which a collection or a track is given a colour of its own; templates have it as `colour`.
pub(crate) struct ColourField {
    /// Whether the box is ticked that asks for one.
    pub(crate) is_own: bool,
    pub(crate) colour: String,
    /// The colour that the form was opened with.
    pub(crate) opened_with: String,
    pub(crate) shades: Shades,
    /// Whether players show colours of collections and tracks.
    pub(crate) is_allowed: bool,
}

impl ColourField {
    /// `inherited` is shown where there is none of its own.
    pub(super) fn new(own: Option<Colour>, inherited: Colour, is_allowed: bool) -> Self {
        let colour = own.unwrap_or(inherited);
        Self {
            is_own: own.is_some(),
            colour: colour.to_string(),
            opened_with: colour.to_string(),
            shades: colour.companions().into(),
            is_allowed,
        }
    }

    /// As it was sent, for a form that is shown again.
    pub(super) fn sent(self, fields: &Fields) -> Self {
        let Ok(colour) = fields.text("player_color").parse::<Colour>() else { return self };
        Self {
            is_own: asks_for_own(fields),
            colour: colour.to_string(),
            shades: colour.companions().into(),
            ..self
        }
    }
}

/// Whether a form asks for a colour of its own: the box is ticked, or another colour was chosen than the form was opened
/// with. A script ticks the box then; without one, people may forget it.
fn asks_for_own(fields: &Fields) -> bool {
    let colour = |name| fields.text(name).parse::<Colour>().ok();
    let opened_with = colour("opened_with_color");
    fields.is_ticked("own_color") || opened_with.is_some() && colour("player_color") != opened_with
}

/// The colour that a form sets or clears.
pub(super) fn chosen_colour(fields: &Fields) -> Result<Patch<Colour>, Refusal> {
    if !asks_for_own(fields) {
        return Ok(Patch::Clear);
    }
    let colour = fields.text("player_color").parse::<Colour>();
    colour.map(Patch::Set).map_err(|error| Refusal::invalid("player_color", error.to_string()))
}

#[derive(Template)]
#[template(path = "library/companions.html")]
struct Companions {
    shades: Shades,
}

#[derive(Deserialize)]
pub(super) struct ColourForm {
    colour: String,
}

/// The companions of a colour as part of a page.
pub(super) async fn companions(
    _: Member<Viewer>,
    Query(form): Query<ColourForm>,
) -> Result<Response, PageError> {
    let colour = form.colour.parse::<Colour>();
    let colour = colour.map_err(|error| Refusal::invalid("colour", error.to_string()))?;
    Ok(render(&Companions { shades: colour.companions().into() }))
}
