//! Forms that change a record. They change only the fields that a person changed, and replace no value that the person
//! has not seen: for each field `x`, the form also sends the value that the record had when it was opened, as JSON in
//! `opened_with_x`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tonearm_domain::{AllowedOrigins, Colour, PageOrigin, Patch, Timestamp};

use crate::form::{Fields, Problems};
use crate::text::t;

/// A value that people change in a field of a form.
pub(crate) trait Shown: Serialize + DeserializeOwned + PartialEq {
    /// The text of the field.
    fn shown(&self) -> String;
}

impl Shown for String {
    /// A field of one line has no line breaks.
    fn shown(&self) -> String {
        self.replace(['\r', '\n'], "").trim().to_owned()
    }
}

/// A checkbox.
impl Shown for bool {
    fn shown(&self) -> String {
        if *self { "on".to_owned() } else { String::new() }
    }
}

impl Shown for Colour {
    fn shown(&self) -> String {
        self.to_string()
    }
}

/// To the minute, in UTC.
impl Shown for Timestamp {
    fn shown(&self) -> String {
        self.to_string().chars().take(16).collect()
    }
}

/// One origin in each line.
impl Shown for AllowedOrigins {
    fn shown(&self) -> String {
        let list = self.only().map(|list| &**list).unwrap_or_default();
        list.iter().map(PageOrigin::as_str).collect::<Vec<_>>().join("\n")
    }
}

fn text_of<T: Shown>(value: Option<&T>) -> String {
    value.map(T::shown).unwrap_or_default()
}

/// A field of a form that changes a record.
pub(crate) struct Edited<T> {
    stored: Option<T>,
    /// What the field shows: the stored value, or what was typed into a form that was refused.
    pub(crate) text: String,
}

impl<T: Shown> Edited<T> {
    pub(crate) fn new(stored: impl Into<Option<T>>) -> Self {
        let stored = stored.into();
        Self { text: text_of(stored.as_ref()), stored }
    }

    /// Whether the checkbox is ticked.
    pub(crate) fn is_ticked(&self) -> bool {
        !self.text.is_empty()
    }

    /// The value of the hidden field.
    pub(crate) fn opened_with(&self) -> String {
        serde_json::to_string(&self.stored).unwrap_or_default()
    }

    /// With what was typed into a form that was refused. If the stored value changed meanwhile, too, it is a problem
    /// that names the value; a field in which nothing was changed shows the value.
    pub(crate) fn sent(self, name: &'static str, fields: &Fields, problems: &mut Problems) -> Self {
        let typed = fields.text(name).replace("\r\n", "\n");
        let opened_with = fields.opened_with::<T>(name);
        if opened_with.as_ref().is_some_and(|before| text_of(before.as_ref()) == typed) {
            return self;
        }
        self.warn((name, opened_with.as_ref()), &typed, problems);
        Self { text: typed, ..self }
    }

    /// Adds a problem if the stored value is neither the one that the field was opened with nor the one that was typed.
    pub(crate) fn warn(
        &self,
        (name, opened_with): (&'static str, Option<&Option<T>>),
        typed: &str,
        problems: &mut Problems,
    ) {
        let now = text_of(self.stored.as_ref());
        if opened_with.is_some_and(|before| *before != self.stored) && typed != now {
            let problem =
                if now.is_empty() { t("field-cleared") } else { t("field-changed").with("value", now) };
            problems.add(name, &problem.to_string());
        }
    }
}

impl Fields {
    /// The value that a field was opened with; `None` if the form does not say.
    pub(crate) fn opened_with<T: Shown>(&self, name: &str) -> Option<Option<T>> {
        serde_json::from_str(self.raw(&format!("opened_with_{name}"))).ok()
    }

    /// What a form changes of a field. A form that does not say what it was opened with sets what it was sent with.
    pub(crate) fn change<T: Shown>(&self, name: &str, sent: Option<T>) -> Patch<T> {
        match self.opened_with(name) {
            Some(from) if text_of(from.as_ref()) == text_of(sent.as_ref()) => Patch::Keep,
            Some(from) => Patch::Change { from, to: sent },
            None => sent.map_or(Patch::Clear, Patch::Set),
        }
    }

    /// What a form changes of a text.
    pub(crate) fn text_change(&self, name: &str) -> Patch<String> {
        self.change(name, Some(self.text(name).to_owned()).filter(|text| !text.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(opened_with: &str, sent: &str) -> Fields {
        let fields = [("opened_with_title", opened_with), ("title", sent)];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec().into()
    }

    #[test]
    fn what_a_field_cannot_show_is_not_changed() {
        for (opened_with, sent) in [("null", ""), (r#"" A\r\n b\n ""#, "A b"), (r#""""#, "")] {
            assert_eq!(form(opened_with, sent).text_change("title"), Patch::Keep, "{opened_with}");
        }
        let cleared = Patch::Change { from: Some("\u{1} A ".to_owned()), to: None };
        assert_eq!(form(r#""\u0001 A ""#, " ").text_change("title"), cleared);
        let at: Timestamp = "2030-01-31T12:00:59.123Z".parse().unwrap();
        let minute = "2030-01-31T12:00:00Z".parse().ok();
        assert_eq!(form(&format!("\"{at}\""), "").change::<Timestamp>("title", minute), Patch::Keep);
        assert_eq!(form("", "A").text_change("title"), Patch::Set("A".to_owned()));
    }

    #[test]
    fn a_refused_form_shows_what_was_typed_beside_what_is_stored() {
        let shown = |stored: &str, form: Fields| {
            let mut problems = Problems::default();
            let edited = Edited::new(stored.to_owned()).sent("title", &form, &mut problems);
            (edited.text, !problems.is_none())
        };
        assert_eq!(shown("Now", form(r#""Then""#, "Then")), ("Now".to_owned(), false), "left as it was");
        assert_eq!(
            shown("Then", form(r#""Then""#, "Mine")),
            ("Mine".to_owned(), false),
            "nobody else changed it"
        );
        assert_eq!(shown("Now", form(r#""Then""#, "Mine")), ("Mine".to_owned(), true));
        assert_eq!(shown("Mine", form(r#""Then""#, "Mine")), ("Mine".to_owned(), false), "the same change");
    }
}
