//! The form of a new share link.

use tonearm_domain::Timestamp;
use tonearm_service::CreateShareLink;

use crate::form::{Choice, Fields, Problems};
use crate::text::t;

/// The most characters of a name.
const LONGEST_TITLE: usize = 200;

const DAY: i64 = 24 * 3600;

/// Expiries of a new link: the value, its message, and seconds from now.
const EXPIRIES: [(&str, &str, i64); 4] = [
    ("day", "library-expires-day", DAY),
    ("week", "library-expires-week", 7 * DAY),
    ("month", "library-expires-month", 30 * DAY),
    ("year", "library-expires-year", 365 * DAY),
];
const NEVER: &str = "never";
const AT: &str = "date";

/// The form as it was filled in.
pub(super) struct ShareForm {
    pub(super) title: String,
    pub(super) variant: String,
    expires: String,
    pub(super) expires_at: String,
    pub(super) is_downloadable: bool,
}

impl Default for ShareForm {
    fn default() -> Self {
        Self {
            title: String::new(),
            variant: String::new(),
            expires: NEVER.to_owned(),
            expires_at: String::new(),
            is_downloadable: false,
        }
    }
}

impl ShareForm {
    pub(super) fn read(fields: &Fields) -> Self {
        Self {
            title: fields.text("title").to_owned(),
            variant: fields.text("variant").to_owned(),
            expires: fields.text("expires").to_owned(),
            expires_at: fields.text("expires_at").to_owned(),
            is_downloadable: fields.is_ticked("is_downloadable"),
        }
    }

    /// The choices for the expiry of the link.
    pub(super) fn expiries(&self) -> Vec<Choice> {
        let known = EXPIRIES.iter().map(|&(value, id, _)| (value, id));
        let all = std::iter::once((NEVER, "library-expires-never"))
            .chain(known)
            .chain([(AT, "library-expires-date")]);
        all.map(|(value, id)| Choice::new(value, t(id).to_string(), value == self.expires)).collect()
    }

    /// The share link to create, or all problems.
    pub(super) fn parse(&self, now: Timestamp) -> Result<CreateShareLink, Problems> {
        let mut problems = Problems::default();
        if self.title.chars().count() > LONGEST_TITLE {
            problems.add("title", &t("library-name-too-long").to_string());
        }
        let variant = self.variant.parse();
        if variant.is_err() {
            problems.add("variant", &t("library-choose-variant").to_string());
        }
        let expires_at = self.expiry(now);
        if let Err(problem) = expires_at {
            problems.add("expires_at", &t(problem).to_string());
        }
        match (variant, expires_at) {
            (Ok(variant), Ok(expires_at)) if problems.is_none() => Ok(CreateShareLink {
                title: if self.title.is_empty() {
                    t("library-share-link").into()
                } else {
                    self.title.clone()
                },
                variant,
                expires_at,
                is_downloadable: self.is_downloadable,
            }),
            _ => Err(problems),
        }
    }

    /// When the link expires, or the message of the problem.
    fn expiry(&self, now: Timestamp) -> Result<Option<Timestamp>, &'static str> {
        if self.expires == NEVER {
            return Ok(None);
        }
        if let Some((.., seconds)) = EXPIRIES.iter().find(|(value, ..)| *value == self.expires) {
            return Ok(Some(now.plus_seconds(*seconds)));
        }
        // A browser sends `2030-01-31T12:00`, with or without seconds.
        let text = &self.expires_at;
        let at = [format!("{text}Z"), format!("{text}:00Z")].iter().find_map(|text| text.parse().ok());
        match at {
            None => Err("library-enter-date"),
            Some(at) if at <= now => Err("library-enter-future"),
            at => Ok(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(expires: &str, expires_at: &str) -> ShareForm {
        ShareForm {
            variant: "hq".to_owned(),
            expires: expires.to_owned(),
            expires_at: expires_at.to_owned(),
            ..ShareForm::default()
        }
    }

    #[test]
    fn a_link_expires_when_it_was_chosen() {
        let now: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
        let at = |expires, expires_at| form(expires, expires_at).parse(now).map(|link| link.expires_at);
        let text = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        assert_eq!(at("never", "nonsense").unwrap(), None);
        assert_eq!(at("week", "").unwrap(), text("2026-11-30T12:00:00Z"));
        assert_eq!(at("date", "2030-01-31T12:00").unwrap(), text("2030-01-31T12:00:00Z"));
        assert_eq!(at("date", "2030-01-31T12:00:30").unwrap(), text("2030-01-31T12:00:30Z"));
        // A missing or unknown value never means "never".
        for (expires, expires_at) in [("date", ""), ("", ""), ("century", ""), ("date", "2026-11-23T12:00")] {
            let problems = at(expires, expires_at).unwrap_err();
            assert!(problems.with("expires_at").is_some(), "{expires} {expires_at}");
        }
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let now: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
        let wrong = ShareForm { title: "x".repeat(201), variant: "<script>".to_owned(), ..form("date", "") };
        let problems = wrong.parse(now).unwrap_err();
        for field in ["title", "variant", "expires_at"] {
            assert!(problems.with(field).is_some(), "{field}");
        }
    }
}
