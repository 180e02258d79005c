//! Fields that bodies have only if they are whole records, sent back as they were returned.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tonearm_domain::{Colour, Patch, SentRecord};

/// The value of a field, whatever it is, null included. Use with `#[serde(default)]`.
#[derive(Debug, Default)]
pub(crate) struct Sent(Option<Value>);

impl Sent {
    /// Whether the body has the field.
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de> Deserialize<'de> for Sent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}

/// The record in a body with this player colour, and with these shades for light and dark backgrounds.
pub(crate) fn record(colour: Patch<Colour>, [light, dark]: [&Sent; 2]) -> SentRecord {
    if !light.is_there() {
        return SentRecord::None;
    }
    let Some(colour) = colour.given() else { return SentRecord::Recoloured };
    let shades = colour.map(Colour::companions);
    let is_derived = light.0 == Some(json!(shades.map(|shades| shades.light)))
        && dark.0 == Some(json!(shades.map(|shades| shades.dark)));
    if is_derived { SentRecord::Coloured(colour) } else { SentRecord::Recoloured }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Example {
        #[serde(default)]
        colour: Patch<Colour>,
        #[serde(default)]
        light: Sent,
        #[serde(default)]
        dark: Sent,
    }

    #[test]
    fn shades_show_whether_the_colour_was_changed() {
        let of = |json: Value| {
            let Example { colour, light, dark } = serde_json::from_value(json).unwrap();
            record(colour, [&light, &dark])
        };
        let colour = Colour::new(200, 30, 40);
        let shades = colour.companions();
        let (light, dark) = (shades.light, shades.dark);
        let returned = of(json!({ "colour": colour, "light": light, "dark": dark }));
        assert_eq!(returned, SentRecord::Coloured(Some(colour)));
        let none = of(json!({ "colour": null, "light": null, "dark": null }));
        assert_eq!(none, SentRecord::Coloured(None));
        for other in [
            json!({ "colour": "#123456", "light": light, "dark": dark }),
            json!({ "colour": null, "light": light, "dark": dark }),
            json!({ "colour": colour, "light": light }),
            json!({ "light": light, "dark": dark }),
            json!({ "colour": colour, "light": { "a": [1] }, "dark": false }),
        ] {
            assert_eq!(of(other.clone()), SentRecord::Recoloured, "{other}");
        }
        assert_eq!(of(json!({ "colour": colour })), SentRecord::None);
    }
}
