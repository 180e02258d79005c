//! Player colours: parsing, variants with enough contrast, and the choice between the levels.
//!
//! Contrast and relative luminance follow WCAG 2.2 (`https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio`).

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// An opaque sRGB colour; as text `#rrggbb`, lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour {
    /// Red, green and blue, 0..=255.
    pub rgb: [u8; 3],
}

/// Text that is not a hex colour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a hex colour such as #1a2b3c")]
pub struct ColourError;

/// One colour of a palette.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThemeColour {
    /// The colour.
    pub hex: Colour,
    /// Its share of the picture, 0..=1.
    pub area: f64,
    /// HSL lightness, 0..=1.
    pub lightness: f64,
    /// HSL saturation, 0..=1.
    pub saturation: f64,
}

impl ThemeColour {
    /// Maximum number of colours of a palette.
    pub const MOST: usize = 8;

    /// Whether area, lightness and saturation are within 0..=1.
    pub fn is_valid(&self) -> bool {
        [self.area, self.lightness, self.saturation].iter().all(|share| (0.0..=1.0).contains(share))
    }

    /// Builds an entry from a colour and its share of the picture, 0..=1. Lightness and saturation are computed from
    /// the colour.
    pub fn of(hex: Colour, area: f64) -> Self {
        let [r, g, b] = hex.rgb.map(|channel| f64::from(channel) / 255.0);
        let (most, least) = (r.max(g).max(b), r.min(g).min(b));
        let lightness = (most + least) / 2.0;
        let room = 1.0 - (2.0 * lightness - 1.0).abs();
        // Black and white have no room for saturation.
        let saturation = if room > 0.0 { ((most - least) / room).min(1.0) } else { 0.0 };
        Self { hex, area, lightness, saturation }
    }

    /// The most vibrant colour of a palette: the one with the most HSL chroma; ties go to the larger area.
    pub fn most_vibrant(theme: &[Self]) -> Option<Colour> {
        let chroma = |c: &Self| c.saturation * (1.0 - (2.0 * c.lightness - 1.0).abs());
        theme
            .iter()
            .max_by(|a, b| chroma(a).total_cmp(&chroma(b)).then(a.area.total_cmp(&b.area)))
            .map(|colour| colour.hex)
    }
}

/// A colour with two companions, one readable on a light background and one on a dark background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerColours {
    /// The colour itself.
    pub base: Colour,
    /// For a light background.
    pub light: Colour,
    /// For a dark background.
    pub dark: Colour,
}

const LIGHT_BACKGROUND: Colour = Colour::new(0xF4, 0xF4, 0xF5);
const DARK_BACKGROUND: Colour = Colour::new(0, 0, 0);
const MINIMUM_CONTRAST: f64 = 3.0;
/// Steps of brightness and saturation: fiftieths, that is 0.02 each.
const STEPS: u32 = 50;

/// A lookup table from sRGB channel values to linear light: a list of thousands of tracks needs it a million times.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|channel| {
        let value = channel as f64 / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
});

impl Colour {
    /// The colour a new organization starts with.
    pub const DEFAULT: Self = Self::new(0xE8, 0x59, 0x0C);

    /// A colour from red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue] }
    }

    /// WCAG relative luminance, 0..=1.
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.rgb.map(|channel| LINEAR[usize::from(channel)]);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// WCAG contrast ratio with another colour, 1..=21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Whether white text is more readable on it than black text: relative luminance at most 0.179.
    pub fn is_dark(self) -> bool {
        self.luminance() <= 0.179
    }

    /// The colour with its companions.
    pub fn companions(self) -> PlayerColours {
        PlayerColours {
            base: self,
            light: self.readable_on(LIGHT_BACKGROUND, false),
            dark: self.readable_on(DARK_BACKGROUND, true),
        }
    }

    /// Moves the HSV brightness away from the background, then reduces the saturation, until the contrast is
    /// sufficient. Black and white, where these steps end, have enough contrast on their background.
    fn readable_on(self, background: Self, brighter: bool) -> Self {
        let passes = |colour: &Self| colour.contrast(background) >= MINIMUM_CONTRAST;
        if passes(&self) {
            return self;
        }
        let (hue, saturation, value) = self.to_hsv();
        let limit = if brighter { 1.0 } else { 0.0 };
        let sign = if brighter { 1.0 } else { -1.0 };
        let by_value = (1..=STEPS).map(|step| {
            let moved = (value + sign * f64::from(step) / f64::from(STEPS)).clamp(0.0, 1.0);
            Self::from_hsv(hue, saturation, moved)
        });
        let by_saturation = (1..=STEPS).map(|step| {
            let less = (saturation - f64::from(step) / f64::from(STEPS)).max(0.0);
            Self::from_hsv(hue, less, limit)
        });
        by_value.chain(by_saturation).find(passes).unwrap_or_else(|| Self::from_hsv(hue, 0.0, limit))
    }

    /// Hue in degrees 0..360, saturation and value 0..=1 (A. R. Smith 1978).
    fn to_hsv(self) -> (f64, f64, f64) {
        let [r, g, b] = self.rgb.map(|channel| f64::from(channel) / 255.0);
        let value = r.max(g).max(b);
        let chroma = value - r.min(g).min(b);
        let hue = if chroma == 0.0 {
            0.0
        } else if value == r {
            60.0 * ((g - b) / chroma).rem_euclid(6.0)
        } else if value == g {
            60.0 * ((b - r) / chroma + 2.0)
        } else {
            60.0 * ((r - g) / chroma + 4.0)
        };
        let saturation = if value == 0.0 { 0.0 } else { chroma / value };
        (hue, saturation, value)
    }

    fn from_hsv(hue: f64, saturation: f64, value: f64) -> Self {
        let channel = |offset: f64| {
            let k = (offset + hue / 60.0).rem_euclid(6.0);
            let level = value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0);
            (level * 255.0).round() as u8
        };
        Self::new(channel(5.0), channel(3.0), channel(1.0))
    }
}

/// Chooses the player colour from the colours of the organization, the collection and the track.
///
/// The most specific colour wins, but a level below `organization` counts only if every level above it allows
/// overriding. `track_own` was set manually. `track_vibrant` was found in the cover and counts only if the track allows
/// it.
pub fn resolve_player_colour(
    organization: (Colour, bool),
    collection: (Option<Colour>, bool),
    track_own: Option<Colour>,
    track_vibrant: (Option<Colour>, bool),
) -> Colour {
    let (organization_colour, organization_allows) = organization;
    let (collection_colour, collection_allows) = collection;
    if !organization_allows {
        return organization_colour;
    }
    let collection_or_above = collection_colour.unwrap_or(organization_colour);
    if !collection_allows {
        return collection_or_above;
    }
    let (vibrant, track_allows) = track_vibrant;
    track_own.or(vibrant.filter(|_| track_allows)).unwrap_or(collection_or_above)
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.rgb;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl fmt::Debug for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Colour {
    type Err = ColourError;

    /// Parses `#rrggbb` and the short form `#rgb`, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, ColourError> {
        let digits = text.strip_prefix('#').ok_or(ColourError)?;
        let nibbles: Vec<u8> = digits
            .chars()
            .map(|c| c.to_digit(16).map(|d| d as u8).ok_or(ColourError))
            .collect::<Result<_, _>>()?;
        match nibbles[..] {
            [r, g, b] => Ok(Self::new(r * 17, g * 17, b * 17)),
            [r1, r0, g1, g0, b1, b0] => Ok(Self::new(r1 * 16 + r0, g1 * 16 + g0, b1 * 16 + b0)),
            _ => Err(ColourError),
        }
    }
}

impl TryFrom<String> for Colour {
    type Error = ColourError;
    fn try_from(text: String) -> Result<Self, ColourError> {
        text.parse()
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> String {
        colour.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn companions_are_readable(r: u8, g: u8, b: u8) {
            let colours = Colour::new(r, g, b).companions();
            prop_assert!(colours.light.contrast(LIGHT_BACKGROUND) >= MINIMUM_CONTRAST);
            prop_assert!(colours.dark.contrast(DARK_BACKGROUND) >= MINIMUM_CONTRAST);
        }

        #[test]
        fn readable_colours_stay(r: u8, g: u8, b: u8) {
            let colour = Colour::new(r, g, b);
            if colour.contrast(LIGHT_BACKGROUND) >= MINIMUM_CONTRAST {
                prop_assert_eq!(colour.companions().light, colour);
            }
            if colour.contrast(DARK_BACKGROUND) >= MINIMUM_CONTRAST {
                prop_assert_eq!(colour.companions().dark, colour);
            }
        }

        #[test]
        fn hsv_there_and_back(r: u8, g: u8, b: u8) {
            let colour = Colour::new(r, g, b);
            let (h, s, v) = colour.to_hsv();
            prop_assert_eq!(Colour::from_hsv(h, s, v), colour);
        }

        #[test]
        fn text_there_and_back(r: u8, g: u8, b: u8) {
            let colour = Colour::new(r, g, b);
            prop_assert_eq!(colour.to_string().to_uppercase().parse(), Ok(colour));
        }
    }

    #[test]
    fn pure_blue_gives_way_in_saturation_on_black() {
        let dark = Colour::new(0, 0, 255).companions().dark;
        assert_eq!(dark.rgb[2], 255);
        assert!(dark.rgb[0] > 0);
    }

    #[test]
    fn theme_colours_know_their_lightness_and_saturation() {
        for (rgb, lightness, saturation) in [
            ([0, 0, 0], 0.0, 0.0),
            ([255, 255, 255], 1.0, 0.0),
            ([255, 0, 0], 0.5, 1.0),
            ([128, 128, 128], 128.0 / 255.0, 0.0),
            ([64, 128, 191], 0.5, 127.0 / 255.0),
        ] {
            let colour = ThemeColour::of(Colour { rgb }, 0.25);
            assert!((colour.lightness - lightness).abs() < 1e-9, "{colour:?}");
            assert!((colour.saturation - saturation).abs() < 1e-9, "{colour:?}");
        }
    }

    #[test]
    fn bad_colours_are_refused() {
        for text in ["", "#", "fff", "#ffff", "#ggg", "#1234567", "#12 456", "#ééé"] {
            assert_eq!(text.parse::<Colour>(), Err(ColourError), "{text}");
        }
        assert_eq!("#FFF".parse(), Ok(Colour::new(255, 255, 255)));
    }

    #[test]
    fn the_most_specific_allowed_colour_wins() {
        let [org, collection, own, vibrant] = [1, 2, 3, 4].map(|n| Colour::new(n, n, n));
        for (org_allows, collection_colour, collection_allows, own_colour, track_allows, expected) in [
            (true, Some(collection), true, Some(own), true, own),
            (true, Some(collection), true, None, true, vibrant),
            (true, Some(collection), true, None, false, collection),
            (true, Some(collection), true, Some(own), false, own),
            (true, Some(collection), false, Some(own), true, collection),
            (true, None, false, Some(own), true, org),
            (true, None, true, None, false, org),
            (false, Some(collection), true, Some(own), true, org),
        ] {
            let resolved = resolve_player_colour(
                (org, org_allows),
                (collection_colour, collection_allows),
                own_colour,
                (Some(vibrant), track_allows),
            );
            assert_eq!(resolved, expected);
        }
    }
}
