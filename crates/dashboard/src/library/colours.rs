//! A colour with its companions, as it is chosen.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{Colour, PlayerColours};
use tonearm_service::Refusal;

use crate::error::PageError;
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
    Query(asked): Query<ColourForm>,
) -> Result<Response, PageError> {
    let colour = asked.colour.parse::<Colour>();
    let colour = colour.map_err(|error| Refusal::invalid("colour", error.to_string()))?;
    Ok(render(&Companions { shades: colour.companions().into() }))
}
