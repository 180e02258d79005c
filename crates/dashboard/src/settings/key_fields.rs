//! Fields shared by the forms for new and existing keys.

use tonearm_domain::{AllowedOrigins, OriginList, PageOrigin, Timestamp};

use crate::form::Fields;
use crate::text::{t, translate};

/// Parses `2030-01-31T12:00`, with or without seconds, as browsers send it. An empty text means no expiry.
pub(super) fn read_expiry(text: &str) -> Result<Option<Timestamp>, ()> {
    if text.is_empty() {
        return Ok(None);
    }
    let read = [format!("{text}Z"), format!("{text}:00Z")].iter().find_map(|text| text.parse().ok());
    read.map(Some).ok_or(())
}

/// The origins in a form: all, or those in the lines of a text. A separate choice decides between the two, because an
/// empty text would be ambiguous.
pub(super) fn origins(fields: &Fields) -> Result<AllowedOrigins, String> {
    let lines: Vec<&str> = fields.raw("origins").split_whitespace().collect();
    match (fields.text("pages"), lines.as_slice()) {
        ("only", []) => Err(t("keys-no-origin").into()),
        ("only", lines) => {
            let read = |line: &&str| {
                let wrong = |_| t("keys-not-an-origin").with("line", (*line).to_owned()).to_string();
                line.parse::<PageOrigin>().map_err(wrong)
            };
            let origins = lines.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            let wrong =
                |problem: String| t("keys-origin-list").with("problem", translate(&problem)).to_string();
            let list = OriginList::new(origins).map_err(|error| wrong(error.to_string()))?;
            Ok(AllowedOrigins::Only(list))
        }
        (_, []) => Ok(AllowedOrigins::Any),
        (_, _) => Err(t("keys-some-origins").into()),
    }
}
