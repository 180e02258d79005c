//! Themes: the colours of an organization, a collection or a track. They are set manually, or found in its cover.

use serde::{Deserialize, Serialize};

use crate::colour::ThemeColour;
use crate::patch::{ChangedMeanwhile, Patch};

/// Colours that were set manually: at most 8, each with shares from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ThemeColour>", into = "Vec<ThemeColour>")]
pub struct Palette(Vec<ThemeColour>);

/// Colours outside the rules of a palette.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaletteError {
    /// Too many colours.
    #[error("must have at most {} colours", ThemeColour::MOST)]
    TooMany,
    /// A share outside 0..=1.
    #[error("must have only colours with an area, lightness and saturation from 0 to 1")]
    Share,
}

impl Palette {
    /// The colours, in the order they were set.
    pub fn colours(&self) -> &[ThemeColour] {
        &self.0
    }
}

impl TryFrom<Vec<ThemeColour>> for Palette {
    type Error = PaletteError;

    fn try_from(colours: Vec<ThemeColour>) -> Result<Self, PaletteError> {
        if colours.len() > ThemeColour::MOST {
            Err(PaletteError::TooMany)
        } else if !colours.iter().all(ThemeColour::is_valid) {
            Err(PaletteError::Share)
        } else {
            Ok(Self(colours))
        }
    }
}

impl From<Palette> for Vec<ThemeColour> {
    fn from(palette: Palette) -> Self {
        palette.0
    }
}

/// The colours of an organization, a collection or a track. Colours that were set and colours that were found are
/// stored separately. So a new cover does not overwrite the set colours, and the found colours apply again once the set
/// colours are cleared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Theme {
    /// The colours that were set; columns `own_theme`.
    pub set: Option<Palette>,
    /// The colours found in the cover, sorted by area; columns `theme`.
    pub found: Vec<ThemeColour>,
}

impl Theme {
    /// The colours in use: those that were set, otherwise those found.
    pub fn colours(&self) -> &[ThemeColour] {
        self.set.as_ref().map_or(&self.found, Palette::colours)
    }

    /// Sets or clears the colours. If a client sends a whole record back unchanged, found colours in it do not become
    /// set colours.
    pub fn apply(&mut self, patch: Patch<Palette>, is_record: bool) -> Result<(), ChangedMeanwhile> {
        match patch {
            Patch::Set(palette) if is_record && self.set.is_none() && self.shows(&palette) => Ok(()),
            patch => patch.apply(&mut self.set),
        }
    }

    /// Whether a palette has the same colours as those in use. Shares may differ in the last digits, because they are
    /// converted to decimal numbers and back.
    pub fn shows(&self, palette: &Palette) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let alike = |a: &ThemeColour, b: &ThemeColour| {
            a.hex == b.hex
                && near(a.area, b.area)
                && near(a.lightness, b.lightness)
                && near(a.saturation, b.saturation)
        };
        let (own, other) = (self.colours(), palette.colours());
        own.len() == other.len() && own.iter().zip(other).all(|(a, b)| alike(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    fn colours(count: u8) -> Vec<ThemeColour> {
        (0..count).map(|red| ThemeColour::of(Colour::new(red, 0, 0), 0.1)).collect()
    }

    #[test]
    fn palettes_have_bounds() {
        assert!(Palette::try_from(colours(8)).is_ok());
        assert_eq!(Palette::try_from(colours(9)), Err(PaletteError::TooMany));
        for share in [-0.1, 1.1, f64::NAN] {
            let colour = ThemeColour { area: share, ..ThemeColour::of(Colour::DEFAULT, 0.0) };
            assert_eq!(Palette::try_from(vec![colour]), Err(PaletteError::Share));
        }
    }

    #[test]
    fn what_was_set_wins_and_what_was_found_stays() {
        let mut theme = Theme { set: None, found: colours(2) };
        assert_eq!(theme.colours(), colours(2));
        theme.set = Palette::try_from(colours(1)).ok();
        theme.found = colours(3);
        assert_eq!(theme.colours(), colours(1));
        theme.set = None;
        assert_eq!(theme.colours(), colours(3));
        theme.set = Palette::try_from(Vec::new()).ok();
        assert_eq!(theme.colours(), []);
    }

    #[test]
    fn a_record_sent_back_sets_nothing() {
        let palette = |count| Patch::Set(Palette::try_from(colours(count)).unwrap());
        let mut theme = Theme { set: None, found: colours(2) };
        theme.apply(palette(2), true).unwrap();
        assert_eq!(theme.set, None);
        theme.apply(palette(2), false).unwrap();
        assert!(theme.set.is_some());
        theme.apply(Patch::Clear, true).unwrap();
        theme.apply(palette(1), true).unwrap();
        assert_eq!(theme.colours(), colours(1));
    }

    #[test]
    fn the_last_digits_do_not_make_another_theme() {
        let theme = Theme { set: None, found: colours(2) };
        let palette = |colours| Palette::try_from(colours).unwrap();
        let mut near = colours(2);
        near[0].area += 1e-15;
        assert!(theme.shows(&palette(near)));
        assert!(!theme.shows(&palette(colours(1))));
        let mut other = colours(2);
        other[0].area += 0.01;
        assert!(!theme.shows(&palette(other)));
    }
}
