//! Themes: the colours of an organization, a collection or a track. They are set manually, or found in its cover.

use serde::{Deserialize, Serialize};

use crate::colour::{Colour, ThemeColour};
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

/// The record that a change may contain: clients may send back a whole record as it was returned, with the values that were
/// derived then. They are not set by that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SentRecord {
    /// The change is not a record.
    #[default]
    None,
    /// A record whose player colour was changed, or whose shades are missing.
    Recoloured,
    /// A record with the player colour that it was returned with.
    Coloured(Option<Colour>),
}

/// The player colour of a record before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerColour {
    /// The one that was set.
    pub set: Option<Colour>,
    /// The one in use.
    pub shown: Option<Colour>,
}

impl PlayerColour {
    /// Sets or clears the colour, unless it is the derived one of a record.
    pub fn apply(
        self,
        patch: Patch<Colour>,
        record: SentRecord,
        own: &mut Option<Colour>,
    ) -> Result<(), ChangedMeanwhile> {
        let is_of_record = match record {
            SentRecord::None => false,
            SentRecord::Recoloured => self.shown.is_some_and(|shown| patch == Patch::Set(shown)),
            SentRecord::Coloured(_) => true,
        };
        if self.set.is_none() && is_of_record { Ok(()) } else { patch.apply(own) }
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
    pub fn apply(
        &mut self,
        patch: Patch<Palette>,
        record: SentRecord,
        player: PlayerColour,
    ) -> Result<(), ChangedMeanwhile> {
        let is_of_record = |palette: &Palette| match record {
            SentRecord::None => false,
            _ if self.shows(palette) => true,
            // Derived colours tell whether the record is from before others were found.
            SentRecord::Coloured(colour) if player.set.is_none() => {
                let vibrant = ThemeColour::most_vibrant(palette.colours());
                colour != player.shown && (vibrant.is_none() || vibrant == colour)
            }
            // Otherwise, no colours are those from before some were found.
            _ => palette.colours().is_empty(),
        };
        match patch {
            Patch::Set(palette) if self.set.is_none() && is_of_record(&palette) => Ok(()),
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
        let vibrant = ThemeColour::most_vibrant(&colours(2));
        let player = PlayerColour { set: None, shown: vibrant };
        let mut theme = Theme { set: None, found: colours(2) };
        let is_set = |theme: &mut Theme, patch, record, player| {
            theme.set = None;
            theme.apply(patch, record, player).unwrap();
            theme.set.is_some()
        };
        let shown = SentRecord::Coloured(vibrant);
        assert!(!is_set(&mut theme, palette(2), shown, player));
        assert!(is_set(&mut theme, palette(2), SentRecord::None, player));
        assert!(is_set(&mut theme, palette(1), shown, player));
        assert!(is_set(&mut theme, palette(0), shown, player), "the colours were taken out of the record");
        // From before these colours were found: there were none, or others.
        for (older, colour) in
            [(0, Some(Colour::DEFAULT)), (0, None), (5, ThemeColour::most_vibrant(&colours(5)))]
        {
            assert!(!is_set(&mut theme, palette(older), SentRecord::Coloured(colour), player), "{older}");
        }
        assert!(is_set(&mut theme, palette(5), SentRecord::Coloured(Some(Colour::DEFAULT)), player));
        // A colour that was set says nothing about the theme.
        let own = Some(Colour::DEFAULT);
        let player = PlayerColour { set: own, shown: own };
        for record in [SentRecord::Coloured(own), SentRecord::Recoloured] {
            assert!(!is_set(&mut theme, palette(0), record, player));
            assert!(is_set(&mut theme, palette(1), record, player));
        }
        assert!(is_set(&mut theme, palette(0), SentRecord::None, player));
    }

    #[test]
    fn a_derived_player_colour_is_not_set() {
        let (shown, other) = (Colour::new(9, 9, 9), Colour::new(1, 2, 3));
        let after = |set, sent, record| {
            let mut own = set;
            PlayerColour { set, shown: Some(shown) }.apply(Patch::Set(sent), record, &mut own).unwrap();
            own
        };
        assert_eq!(after(None, shown, SentRecord::None), Some(shown));
        assert_eq!(after(None, shown, SentRecord::Recoloured), None);
        assert_eq!(after(None, other, SentRecord::Recoloured), Some(other));
        assert_eq!(after(None, other, SentRecord::Coloured(Some(other))), None);
        assert_eq!(after(Some(shown), other, SentRecord::Coloured(Some(other))), Some(other));
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
