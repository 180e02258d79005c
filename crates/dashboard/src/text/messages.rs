//! Messages, identified by an id, with arguments, in the language of the request.

use std::fmt;
use std::sync::LazyLock;

use askama::filters::Safe;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use tonearm_domain::{Direction, Language};
use unic_langid::LanguageIdentifier;

use super::language::current;
use super::number::count;

/// The message files, listed once for all languages.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The names of the files.
        #[cfg(test)]
        pub(super) const FILES: &[&str] = &[$($name),*];

        /// The texts of the files of a language.
        pub(super) const fn sources(language: Language) -> &'static [&'static str] {
            match language {
                Language::English => &[$(include_str!(concat!("../../locales/en/", $name, ".ftl"))),*],
                Language::German => &[$(include_str!(concat!("../../locales/de/", $name, ".ftl"))),*],
                Language::French => &[$(include_str!(concat!("../../locales/fr/", $name, ".ftl"))),*],
                Language::Spanish => &[$(include_str!(concat!("../../locales/es/", $name, ".ftl"))),*],
            }
        }
    };
}

files![
    "audit", "base", "common", "field", "flash", "key", "keys", "library", "people", "profile", "quota",
    "service", "settings", "share", "sign-in", "status", "track", "usage", "webhooks",
];

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<[Bundle; Language::ALL.len()]> = LazyLock::new(|| Language::ALL.map(load));

/// The messages of a language.
pub(super) fn bundle(language: Language) -> &'static Bundle {
    &BUNDLES[language as usize]
}

/// Parses the messages of a language. Invalid messages are left out; a test checks that all files are valid.
fn load(language: Language) -> Bundle {
    let tag: LanguageIdentifier = language.as_str().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![tag]);
    // Isolation marks around arguments separate text directions; left-to-right languages do not need them.
    bundle.set_use_isolating(language.direction() == Direction::RightToLeft);
    bundle.set_formatter(Some(written));
    for source in sources(language) {
        let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(resource, _)| resource);
        let _ = bundle.add_resource(resource);
    }
    bundle
}

/// Formats whole numbers like all numbers on pages.
fn written<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    let whole = number.value as u64;
    (whole as f64 == number.value).then(|| count(whole))
}

/// A message, formatted where it is shown, in the language of the request.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    id: &'static str,
    arguments: Vec<(&'static str, FluentValue<'static>)>,
}

/// The message with an id.
pub(crate) fn t(id: &'static str) -> Message {
    Message { id, arguments: Vec::new() }
}

impl Message {
    /// Adds an argument: a number, which may select the plural form, or a text.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<FluentValue<'static>>) -> Self {
        self.arguments.push((name, value.into()));
        self
    }

    /// The message as HTML, for one that contains elements. Its arguments are escaped.
    pub(crate) fn html(self) -> Safe<String> {
        let escape = |(name, value)| match value {
            FluentValue::String(text) => (name, FluentValue::from(escaped(&text))),
            other => (name, other),
        };
        let arguments = self.arguments.into_iter().map(escape).collect();
        Safe(write(current(), self.id, &arguments))
    }
}

fn escaped(text: &str) -> String {
    askama::filters::escape(text, askama::filters::Html).map(|text| text.to_string()).unwrap_or_default()
}

impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.arguments.iter().cloned().collect();
        formatter.write_str(&write(current(), self.id, &arguments))
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.to_string()
    }
}

/// Formats a message in a language, else in English, else returns its id.
pub(super) fn write(language: Language, id: &str, arguments: &FluentArgs<'_>) -> String {
    for language in [language, Language::English] {
        let bundle = bundle(language);
        if let Some(pattern) = bundle.get_message(id).and_then(|message| message.value()) {
            let mut errors = Vec::new();
            let text = bundle.format_pattern(pattern, Some(arguments), &mut errors);
            debug_assert!(errors.is_empty(), "{id} in {language}: {errors:?}");
            return text.into_owned();
        }
    }
    debug_assert!(false, "there is no message {id}");
    id.to_owned()
}
