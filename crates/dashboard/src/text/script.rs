//! The texts of scripts, as modules that they import.

use std::collections::BTreeMap;

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use serde::Serialize;
use serde_json::Value;
use tonearm_domain::Language;

/// One file of `locales/<language>` for each language.
type Sources = [&'static str; Language::ALL.len()];

/// The texts of the dashboard's scripts.
const SCRIPTS: Sources = [
    include_str!("../../locales/en/script.ftl"),
    include_str!("../../locales/de/script.ftl"),
    include_str!("../../locales/fr/script.ftl"),
    include_str!("../../locales/es/script.ftl"),
];

/// The texts of the player.
const PLAYER: Sources = [
    include_str!("../../locales/en/player.ftl"),
    include_str!("../../locales/de/player.ftl"),
    include_str!("../../locales/fr/player.ftl"),
    include_str!("../../locales/es/player.ftl"),
];

/// The prefix of the ids of messages for scripts of public pages.
const PUBLIC: &str = "script-copy-";

/// The module `texts-table.js` of a language: its tag, and its messages by id. A message with plural forms is an object
/// of them, by the names of `Intl.PluralRules`; arguments are written `{name}`.
pub(crate) fn table(language: Language) -> String {
    let messages = json(&messages(language));
    format!("export const language = \"{language}\";\nexport const messages = {messages};\n")
}

/// The module `texts-<language>.js` beside the player: its texts by the English ones, which are in its modules.
pub(crate) fn player_table(language: Language) -> String {
    let mut own = player_sentences(language);
    let sentences: BTreeMap<String, Value> = player_sentences(Language::English)
        .into_iter()
        .filter_map(|(id, english)| Some((english.as_str()?.to_owned(), own.remove(&id)?)))
        .collect();
    format!("export default {};\n", json(&sentences))
}

/// The module `texts.js` of public pages. Their scripts have few texts, so it contains all languages.
pub(crate) fn public_table() -> String {
    let languages: BTreeMap<&str, BTreeMap<String, Value>> = Language::ALL
        .into_iter()
        .map(|language| {
            let public = messages(language).into_iter().filter(|(id, _)| id.starts_with(PUBLIC)).collect();
            (language.as_str(), public)
        })
        .collect();
    let languages = json(&languages);
    format!(
        "const languages = {languages};\nconst messages = languages[document.documentElement.lang] ?? languages.en;\n\
         export const t = (id) => messages[id];\n"
    )
}

/// JSON is JavaScript.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The messages of scripts, by id.
pub(super) fn messages(language: Language) -> BTreeMap<String, Value> {
    read(SCRIPTS[language as usize])
}

/// The texts of the player, by id.
pub(super) fn player_sentences(language: Language) -> BTreeMap<String, Value> {
    read(PLAYER[language as usize])
}

fn read(source: &str) -> BTreeMap<String, Value> {
    let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(resource, _)| resource);
    let mut messages = BTreeMap::new();
    for entry in resource.entries() {
        let Entry::Message(message) = entry else { continue };
        let value = match &message.value {
            Some(pattern) => Value::String(text_of(pattern)),
            None => message
                .attributes
                .iter()
                .map(|form| (form.id.name.to_owned(), Value::String(text_of(&form.value))))
                .collect(),
        };
        messages.insert(message.id.name.to_owned(), value);
    }
    messages
}

/// Converts a pattern of texts and arguments. Selectors are not supported in scripts, which use plural forms instead:
/// they are left out, and a test detects them.
fn text_of(pattern: &Pattern<&str>) -> String {
    let mut text = String::new();
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => text.push_str(value),
            PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::VariableReference { id }),
            } => {
                text.push('{');
                text.push_str(id.name);
                text.push('}');
            }
            PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::StringLiteral { value }),
            } => text.push_str(value),
            PatternElement::Placeable { .. } => {}
        }
    }
    text
}
