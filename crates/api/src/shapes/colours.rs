//! Player colours.

use serde::Serialize;
use tonearm_domain::{Colour, PlayerColours};
use utoipa::ToSchema;

/// A player colour, with its variants for light and dark backgrounds.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct Colours {
    player_color: Option<Colour>,
    /// Derived from `player_color`, for light backgrounds.
    #[schema(read_only)]
    player_color_light: Option<Colour>,
    /// Derived from `player_color`, for dark backgrounds.
    #[schema(read_only)]
    player_color_dark: Option<Colour>,
}

impl From<PlayerColours> for Colours {
    fn from(colours: PlayerColours) -> Self {
        Some(colours).into()
    }
}

impl From<Option<PlayerColours>> for Colours {
    fn from(colours: Option<PlayerColours>) -> Self {
        Self {
            player_color: colours.map(|c| c.base),
            player_color_light: colours.map(|c| c.light),
            player_color_dark: colours.map(|c| c.dark),
        }
    }
}
