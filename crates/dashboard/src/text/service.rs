//! Translates the messages of use cases, which are in English, to the language of the request.
//!
//! The API uses the same sentences, so they have no ids. The messages of `service.ftl` are identified by their English
//! text: a use case's message is matched against it, and the parts at its arguments become the arguments of the
//! translation. A sentence that matches no message stays English.

use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentResource};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, PatternElement};
use tonearm_domain::Language;

use super::language::current;
use super::messages::write;

const ENGLISH: &str = include_str!("../../locales/en/service.ftl");

/// A part of an English sentence.
pub(super) enum Part {
    Text(String),
    Argument(String),
}

/// The English sentences: their ids and their parts.
pub(super) static SENTENCES: LazyLock<Vec<(String, Vec<Part>)>> = LazyLock::new(|| {
    let resource = FluentResource::try_new(ENGLISH.to_owned()).unwrap_or_else(|(resource, _)| resource);
    let message = |entry: &Entry<&str>| {
        let Entry::Message(message) = entry else { return None };
        let elements = &message.value.as_ref()?.elements;
        Some((message.id.name.to_owned(), elements.iter().filter_map(part).collect()))
    };
    resource.entries().filter_map(message).collect()
});

fn part(element: &PatternElement<&str>) -> Option<Part> {
    match element {
        PatternElement::TextElement { value } => Some(Part::Text((*value).to_owned())),
        PatternElement::Placeable {
            expression: Expression::Inline(InlineExpression::VariableReference { id }),
        } => Some(Part::Argument(id.name.to_owned())),
        PatternElement::Placeable { .. } => None,
    }
}

/// A use case's message in the language of the request; `None` if that is English or there is no such message.
pub(crate) fn translated(message: &str) -> Option<String> {
    let language = current();
    if language == Language::English {
        return None;
    }
    let (id, arguments) = SENTENCES.iter().find_map(|(id, parts)| Some((id, arguments(message, parts)?)))?;
    Some(write(language, id, &arguments))
}

/// Arguments that are themselves messages of use cases.
const SENTENCES_WITHIN: [&str; 2] = ["problem", "reason"];

/// Why a track or a file failed. A track's reason begins with the name of the missing variant.
pub(crate) fn reason(reason: &str) -> String {
    let of_variant = || {
        let (variant, reason) = reason.split_once(": ")?;
        Some(format!("{variant}: {}", translated(reason)?))
    };
    translated(reason).or_else(of_variant).unwrap_or_else(|| reason.to_owned())
}

/// The same, or the English message where there is no translation.
pub(crate) fn translate(message: &str) -> String {
    translated(message).unwrap_or_else(|| message.to_owned())
}

/// The arguments with which a sentence yields this text, if it matches.
fn arguments(sentence: &str, parts: &[Part]) -> Option<FluentArgs<'static>> {
    let mut arguments = FluentArgs::new();
    let mut rest = sentence;
    let mut parts = parts.iter().peekable();
    while let Some(part) = parts.next() {
        match (part, parts.peek()) {
            (Part::Text(text), _) => rest = rest.strip_prefix(text.as_str())?,
            (Part::Argument(name), Some(Part::Text(next))) => {
                let end = rest.find(next.as_str()).filter(|end| *end > 0)?;
                arguments.set(name.clone(), rest[..end].to_owned());
                rest = &rest[end..];
            }
            (Part::Argument(name), _) => {
                let is_sentence = SENTENCES_WITHIN.contains(&name.as_str());
                arguments.set(name.clone(), if is_sentence { translate(rest) } else { rest.to_owned() });
                rest = "";
            }
        }
    }
    rest.is_empty().then_some(arguments)
}
