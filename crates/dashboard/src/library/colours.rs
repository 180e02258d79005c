//! A colour and its derived shades, in forms.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{Colour, Patch, PlayerColours};
use tonearm_service::Refusal;

use crate::edited::Edited;
use crate::error::PageError;
use crate::form::{Fields, Problems};
use crate::page::render;
use crate::session::{Member, Viewer};

/// The shades of a colour, which templates show as `shades`.
pub(crate) struct Shades {
    pub(crate) light: String,
    pub(crate) dark: String,
}

impl From<PlayerColours> for Shades {
    fn from(colours: PlayerColours) -> Self {
        Self { light: colours.light.to_string(), dark: colours.dark.to_string() }
    }
}

/// The fields that give a collection or a track its own colour; templates have it as `colour`.
pub(crate) struct ColourField {
    /// The own colour.
    pub(crate) own: Edited<Colour>,
    /// Whether the checkbox for an own colour is ticked.
    pub(crate) is_own: bool,
    pub(crate) colour: String,
    /// The colour with which the form was opened.
    pub(crate) opened_with: String,
    pub(crate) shades: Shades,
    /// Whether players show colours of collections and tracks.
    pub(crate) is_allowed: bool,
}

impl ColourField {
    /// `inherited` is shown if there is no own colour.
    pub(super) fn new(own: Option<Colour>, inherited: Colour, is_allowed: bool) -> Self {
        let colour = own.unwrap_or(inherited);
        Self {
            own: Edited::new(own),
            is_own: own.is_some(),
            colour: colour.to_string(),
            opened_with: colour.to_string(),
            shades: colour.companions().into(),
            is_allowed,
        }
    }

    /// The own colour if there is one.
    pub(crate) fn own_colour(&self) -> Option<&str> {
        self.is_own.then_some(&*self.colour)
    }

    /// The field as it was sent, for a form that is shown again.
    pub(super) fn sent(self, fields: &Fields, problems: &mut Problems) -> Self {
        let Ok(colour) = fields.text("player_color").parse::<Colour>() else { return self };
        let before = fields.opened_with::<Colour>("own_color");
        let typed = Some(colour).filter(|_| asks_for_own(fields));
        if before == Some(typed) {
            return self;
        }
        let typed = typed.map(|colour| colour.to_string()).unwrap_or_default();
        self.own.warn(("player_color", before.as_ref()), &typed, problems);
        Self {
            is_own: asks_for_own(fields),
            colour: colour.to_string(),
            shades: colour.companions().into(),
            ..self
        }
    }
}

/// Whether a form requests an own colour: the checkbox is ticked, or the colour differs from the one with which the
/// form was opened. A script ticks the checkbox in that case; without a script, people may forget it.
fn asks_for_own(fields: &Fields) -> bool {
    let colour = |name| fields.text(name).parse::<Colour>().ok();
    let opened_with = colour("opened_with_color");
    fields.is_ticked("own_color") || opened_with.is_some() && colour("player_color") != opened_with
}

/// What a form changes of the own colour.
pub(super) fn chosen_colour(fields: &Fields) -> Result<Patch<Colour>, Refusal> {
    let own = asks_for_own(fields).then(|| sent_colour(fields)).transpose()?;
    Ok(fields.change("own_color", own))
}

/// The colour in a form.
pub(crate) fn sent_colour(fields: &Fields) -> Result<Colour, Refusal> {
    let colour = fields.text("player_color").parse::<Colour>();
    colour.map_err(|error| Refusal::invalid("player_color", error.to_string()))
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

/// Renders the shades of a colour as a part of a page.
pub(super) async fn companions(
    _: Member<Viewer>,
    Query(form): Query<ColourForm>,
) -> Result<Response, PageError> {
    let colour = form.colour.parse::<Colour>();
    let colour = colour.map_err(|error| Refusal::invalid("colour", error.to_string()))?;
    Ok(render(&Companions { shades: colour.companions().into() }))
}
