//! The positions of channels, and their weights in loudness.

/// Layouts by ffmpeg's names for them, including the names of later versions.
const LAYOUTS: &[(&str, &str)] = &[
    ("mono", "FC"),
    ("stereo", "FL+FR"),
    ("downmix", "DL+DR"),
    ("2.1", "FL+FR+LFE"),
    ("3.0", "FL+FR+FC"),
    ("3.0(back)", "FL+FR+BC"),
    ("4.0", "FL+FR+FC+BC"),
    ("quad", "FL+FR+BL+BR"),
    ("quad(side)", "FL+FR+SL+SR"),
    ("3.1", "FL+FR+FC+LFE"),
    ("5.0", "FL+FR+FC+BL+BR"),
    ("5.0(side)", "FL+FR+FC+SL+SR"),
    ("4.1", "FL+FR+FC+LFE+BC"),
    ("5.1", "FL+FR+FC+LFE+BL+BR"),
    ("5.1(side)", "FL+FR+FC+LFE+SL+SR"),
    ("6.0", "FL+FR+FC+BC+SL+SR"),
    ("6.0(front)", "FL+FR+FLC+FRC+SL+SR"),
    ("hexagonal", "FL+FR+FC+BL+BR+BC"),
    ("3.1.2", "FL+FR+FC+LFE+TFL+TFR"),
    ("6.1", "FL+FR+FC+LFE+BC+SL+SR"),
    ("6.1(back)", "FL+FR+FC+LFE+BL+BR+BC"),
    ("6.1(front)", "FL+FR+LFE+FLC+FRC+SL+SR"),
    ("7.0", "FL+FR+FC+BL+BR+SL+SR"),
    ("7.0(front)", "FL+FR+FC+FLC+FRC+SL+SR"),
    ("7.1", "FL+FR+FC+LFE+BL+BR+SL+SR"),
    ("7.1(wide)", "FL+FR+FC+LFE+BL+BR+FLC+FRC"),
    ("7.1(wide-side)", "FL+FR+FC+LFE+FLC+FRC+SL+SR"),
    ("5.1.2", "FL+FR+FC+LFE+SL+SR+TFL+TFR"),
    ("5.1.2(back)", "FL+FR+FC+LFE+BL+BR+TFL+TFR"),
    ("octagonal", "FL+FR+FC+BL+BR+BC+SL+SR"),
    ("cube", "FL+FR+BL+BR+TFL+TFR+TBL+TBR"),
    ("5.1.4", "FL+FR+FC+LFE+BL+BR+TFL+TFR+TBL+TBR"),
    ("5.1.4(back)", "FL+FR+FC+LFE+BL+BR+TFL+TFR+TBL+TBR"),
    ("7.1.2", "FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR"),
    ("7.1.4", "FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR"),
    ("7.1.4(back)", "FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR"),
    ("7.2.3", "FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBC+LFE2"),
    ("9.1.4", "FL+FR+FC+LFE+BL+BR+FLC+FRC+SL+SR+TFL+TFR+TBL+TBR"),
    ("9.1.6", "FL+FR+FC+LFE+BL+BR+FLC+FRC+SL+SR+TFL+TFR+TBL+TBR+TSL+TSR"),
    ("hexadecagonal", "FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR"),
    ("22.2", "FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR"),
];

/// The layout that ffmpeg assumes for a number of channels if none is declared.
const ASSUMED: [(usize, &str); 10] = [
    (1, "mono"),
    (2, "stereo"),
    (3, "2.1"),
    (4, "4.0"),
    (5, "5.0"),
    (6, "5.1"),
    (7, "6.1"),
    (8, "7.1"),
    (16, "hexadecagonal"),
    (24, "22.2"),
];

/// Weight of channels at the listener's sides (ITU-R BS.1770-5, table 3): +1.5 dB, as a factor of power.
const BESIDE: f64 = 1.41;
/// The longest name of a position.
const LONGEST_NAME: usize = 4;

/// The positions of a sound's channels, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    channels: usize,
    /// ffmpeg's name of the layout; `None` if the file declares none that is known.
    name: Option<String>,
    /// `FL`, `LFE`, …; empty if the positions are unknown.
    places: Vec<String>,
}

impl Layout {
    /// The layout of this many channels that ffprobe calls `name`: one of the known names, or `3 channels (FL+FR+TC)`.
    pub fn new(channels: u32, name: Option<&str>) -> Self {
        let channels = channels.max(1) as usize;
        let named =
            |name: &str| LAYOUTS.iter().find(|(layout, _)| *layout == name).map(|(_, places)| *places);
        let described =
            name.and_then(|name| named(name).map(|places| (name, places)).or_else(|| listed(name)));
        if let Some((name, places)) = described {
            let places = split(places);
            if places.len() == channels {
                return Self { channels, name: Some(name.to_owned()), places };
            }
        }
        let assumed = ASSUMED.iter().find(|(count, _)| *count == channels).filter(|_| is_silent(name));
        let places = assumed.and_then(|(_, name)| named(name)).map(split).unwrap_or_default();
        Self { channels, name: None, places }
    }

    /// The name for ffmpeg's filters, if the file declares the layout.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether ffmpeg can downmix it: for up to eight channels it assumes the usual positions.
    pub fn folds(&self) -> bool {
        self.name.is_some() || (self.channels <= 8 && !self.places.is_empty())
    }

    /// The weight of each channel's power (ITU-R BS.1770-5, annexes 1 and 3): 1.41 between 60° and 120° to the side at
    /// ear height, 0 for low-frequency effects, else 1.
    pub fn weights(&self) -> Vec<f64> {
        if self.places.is_empty() {
            return vec![1.0; self.channels];
        }
        self.places.iter().map(|place| self.weight(place)).collect()
    }

    fn weight(&self, place: &str) -> f64 {
        let has = |place: &str| self.places.iter().any(|other| other == place);
        match place {
            "LFE" | "LFE2" => 0.0,
            // At 90° and 110°; wide ones at 60°.
            "SL" | "SR" | "SDL" | "SDR" | "WL" | "WR" => BESIDE,
            // If there are side channels, these are at 135°; otherwise they are the surrounds of 5.1 at 110°.
            "BL" | "BR" if !has("SL") => BESIDE,
            // Those of 22.2 are at 60° (ITU-R BS.2051, system H), since others are between them and the centre.
            "FL" | "FR" if has("FLC") && has("LFE2") => BESIDE,
            _ => 1.0,
        }
    }
}

fn split(places: &str) -> Vec<String> {
    places.split('+').map(str::to_owned).collect()
}

/// A layout without a name of its own, named by its positions.
fn listed(name: &str) -> Option<(&str, &str)> {
    let (_, places) = name.strip_suffix(')')?.split_once(" channels (")?;
    let is_place = |place: &str| {
        (2..=LONGEST_NAME).contains(&place.len()) && place.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    places.split('+').all(is_place).then_some((places, places))
}

/// Whether a file declares no layout.
fn is_silent(name: Option<&str>) -> bool {
    name.is_none_or(|name| name.is_empty() || name == "unknown")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weights(channels: u32, name: Option<&str>) -> Vec<f64> {
        Layout::new(channels, name).weights()
    }

    #[test]
    fn channels_count_by_their_place() {
        const S: f64 = BESIDE;
        for (channels, name, expected) in [
            (1, None, &[1.0][..]),
            (3, None, &[1.0, 1.0, 0.0]),
            (3, Some("3.0"), &[1.0, 1.0, 1.0]),
            (3, Some("3.0(back)"), &[1.0, 1.0, 1.0]),
            (4, Some("quad"), &[1.0, 1.0, S, S]),
            (6, Some("unknown"), &[1.0, 1.0, 1.0, 0.0, S, S]),
            (6, Some("5.1(side)"), &[1.0, 1.0, 1.0, 0.0, S, S]),
            (7, Some("6.1"), &[1.0, 1.0, 1.0, 0.0, 1.0, S, S]),
            (7, Some("6.1(back)"), &[1.0, 1.0, 1.0, 0.0, S, S, 1.0]),
            (8, Some("7.1"), &[1.0, 1.0, 1.0, 0.0, 1.0, 1.0, S, S]),
            (3, Some("3 channels (FL+LFE+TC)"), &[1.0, 0.0, 1.0]),
            (4, Some("ambisonic 1"), &[1.0, 1.0, 1.0, 1.0]),
            (2, Some("5.1"), &[1.0, 1.0]),
        ] {
            assert_eq!(weights(channels, name), expected, "{channels} {name:?}");
        }
    }

    #[test]
    fn low_effects_never_count() {
        for (name, places) in LAYOUTS {
            let places = split(places);
            let weights = weights(places.len() as u32, Some(name));
            for (place, weight) in places.iter().zip(weights) {
                assert_eq!(weight == 0.0, place.starts_with("LFE"), "{name} {place}");
            }
        }
    }

    #[test]
    fn names_are_for_filters_only_where_they_are_known() {
        assert_eq!(Layout::new(6, Some("5.1(side)")).name(), Some("5.1(side)"));
        assert_eq!(Layout::new(3, Some("3 channels (FL+FR+TC)")).name(), Some("FL+FR+TC"));
        for name in ["stereo", "3 channels (FL+FR,volume=9+TC)", "a|b", "3.0|mono", ""] {
            assert_eq!(Layout::new(3, Some(name)).name(), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_channel_has_a_weight(channels in 0..=64_u32, name in prop::option::of("\\PC{0,40}")) {
            let layout = Layout::new(channels, name.as_deref());
            prop_assert_eq!(layout.weights().len(), channels.max(1) as usize);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "+.()-".contains(c);
            prop_assert!(layout.name().is_none_or(|name| name.chars().all(is_plain)));
        }
    }
}
