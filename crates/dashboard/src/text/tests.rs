use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use tonearm_domain::{Language, Outage};

use super::messages::{FILES, sources};
use super::{in_language, script, service, t};

/// The messages of a source: their ids, and the arguments that each needs.
type Arguments = BTreeMap<String, BTreeSet<String>>;

fn read(source: &str) -> Arguments {
    let resource = FluentResource::try_new(source.to_owned())
        .unwrap_or_else(|(_, errors)| panic!("{errors:?} in {source}"));
    let mut messages = Arguments::new();
    for entry in resource.entries() {
        let Entry::Message(message) = entry else { continue };
        let mut arguments = BTreeSet::new();
        let forms = message.attributes.iter().map(|form| &form.value);
        for pattern in message.value.iter().chain(forms) {
            collect(pattern, &mut arguments);
        }
        let before = messages.insert(message.id.name.to_owned(), arguments);
        assert!(before.is_none(), "{} is there twice", message.id.name);
    }
    messages
}

fn collect(pattern: &Pattern<&str>, arguments: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        match expression {
            Expression::Inline(InlineExpression::VariableReference { id }) => {
                arguments.insert(id.name.to_owned());
            }
            Expression::Select { selector, variants } => {
                if let InlineExpression::VariableReference { id } = selector {
                    arguments.insert(id.name.to_owned());
                }
                for variant in variants {
                    collect(&variant.value, arguments);
                }
            }
            Expression::Inline(_) => {}
        }
    }
}

fn all(language: Language) -> Arguments {
    let mut messages = Arguments::new();
    for source in sources(language) {
        for (id, arguments) in read(source) {
            assert!(messages.insert(id.clone(), arguments).is_none(), "{id} is in two files");
        }
    }
    messages
}

fn script_source(language: Language) -> String {
    source_of(language, "script.ftl")
}

fn source_of(language: Language, file: &str) -> String {
    fs::read_to_string(folder("locales").join(language.as_str()).join(file)).unwrap()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The texts of all files below a folder with one of these endings.
fn texts(of: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(of).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path, endings));
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

#[test]
fn every_language_has_every_message_with_the_same_arguments() {
    let english = all(Language::English);
    for language in Language::ALL {
        assert_eq!(all(language), english, "{language}");
        for file in ["player.ftl", "script.ftl"] {
            assert_eq!(
                read(&source_of(language, file)),
                read(&source_of(Language::English, file)),
                "{file} in {language}"
            );
        }
    }
}

#[test]
fn every_file_is_read() {
    for language in Language::ALL {
        let names: BTreeSet<_> = fs::read_dir(folder("locales").join(language.as_str()))
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let expected: BTreeSet<_> =
            FILES.iter().copied().chain(["player", "script"]).map(str::to_owned).collect();
        assert_eq!(names, expected, "{language}");
    }
}

#[test]
fn every_message_is_used_and_every_used_message_exists() {
    let messages = all(Language::English);
    let mut code = texts(&folder("src"), &["rs"]);
    code.extend(texts(&folder("templates"), &["html"]));
    for (path, text) in &code {
        if path.ends_with("text/tests.rs") {
            continue;
        }
        for id in named(text) {
            assert!(messages.contains_key(id), "{} names {id}, which is no message", path.display());
        }
    }
    for id in messages.keys().filter(|id| !id.starts_with("service-")) {
        let name = format!("\"{id}\"");
        assert!(code.iter().any(|(_, text)| text.contains(&name)), "nobody says {id}");
    }
}

#[test]
fn scripts_say_every_message_of_theirs_and_no_other() {
    let messages = read(&script_source(Language::English));
    let scripts = texts(&folder("assets"), &["js"]);
    for (path, text) in &scripts {
        if path.components().any(|part| part.as_os_str() == "player") {
            continue;
        }
        for id in named(text) {
            assert!(messages.contains_key(id), "{} names {id}, which is no message", path.display());
        }
    }
    for id in messages.keys() {
        let name = format!("\"{id}\"");
        assert!(scripts.iter().any(|(_, text)| text.contains(&name)), "no script says {id}");
    }
}

/// The ids in calls of `t`.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("t(\"").filter_map(|(at, call)| {
        let is_call =
            !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '.');
        let id = text[at + call.len()..].split('"').next()?;
        (is_call && !id.is_empty()).then_some(id)
    })
}

#[test]
fn the_player_has_the_english_sentences_of_its_messages_and_no_other() {
    let said = texts(&folder("assets/player"), &["js"]);
    let said = said.iter().filter(|(path, _)| !path.components().any(|part| part.as_os_str() == "built"));
    let said: String = said.map(|(_, text)| text.as_str()).collect();
    let english = script::player_sentences(Language::English);
    let sentences: BTreeSet<_> = english.values().map(|sentence| sentence.as_str().unwrap()).collect();
    assert_eq!(sentences.len(), english.len(), "a sentence is there twice");
    for sentence in &sentences {
        assert!(said.contains(&format!("\"{sentence}\"")), "the player does not say “{sentence}”");
    }
    for sentence in named(&said) {
        assert!(sentences.contains(sentence), "“{sentence}” is no message");
    }
}

#[test]
fn scripts_have_texts_and_plural_forms_only() {
    for language in Language::ALL {
        let source = script_source(language) + &source_of(language, "player.ftl");
        assert!(!source.contains("->"), "selections have no place in scripts ({language})");
        for (id, message) in script::messages(language) {
            if let Some(forms) = message.as_object() {
                assert!(forms.contains_key("other"), "{id} in {language} has no form `other`");
            }
        }
    }
}

/// Names, which are the same in every language.
const NAMES: &[&str] = &["Tonearm"];

#[test]
fn templates_have_no_texts_of_their_own() {
    for (path, text) in texts(&folder("templates"), &["html"]) {
        for word in words_between_tags(&text) {
            assert!(NAMES.contains(&word.as_str()), "{} says “{word}” in English", path.display());
        }
        for name in ["aria-label", "placeholder", "title", "alt", "data-confirm", "data-confirm-button"] {
            for value in text.split(&format!(" {name}=\"")).skip(1) {
                let written = value.split(['"', '{']).next().unwrap_or_default();
                let is_sample = name == "placeholder" && written.contains(['.', '@', ':']);
                let has_words = written.chars().any(char::is_alphabetic);
                assert!(is_sample || !has_words, "{} has {name}=\"{written}…\"", path.display());
            }
        }
    }
}

/// The words of a template without tags, expressions and other parts that are not text.
fn words_between_tags(template: &str) -> Vec<String> {
    let mut text = template.to_owned();
    let left_out = [
        ("{#", "#}"),
        ("{%", "%}"),
        ("{{", "}}"),
        ("=\"", "\""),
        ("<code", "</code>"),
        ("<pre", "</pre>"),
        ("<", ">"),
    ];
    for (open, close) in left_out {
        let mut left = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(open) {
            left.push_str(before);
            left.push(' ');
            rest = after.split_once(close).map_or("", |(_, after)| after);
        }
        left.push_str(rest);
        text = left;
    }
    let entity = |word: &&str| word.starts_with('&') && word.ends_with(';');
    // Macros write attributes outside of the elements that have them.
    let attribute = |word: &&str| word.starts_with("aria-");
    text.split_whitespace()
        .filter(|word| !entity(word) && !attribute(word))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
        .collect()
}

/// The crates whose messages are shown, below the folder of all crates.
const SAYING: &[&str] =
    &["service/src", "domain/src", "catalog/src", "dashboard/src", "media/src", "outbound/src"];

#[test]
fn sentences_of_the_service_are_those_of_its_code() {
    let crates = folder("..");
    let code: String = SAYING
        .iter()
        .flat_map(|name| texts(&crates.join(name), &["rs"]))
        // A long sentence continues on the next line.
        .map(|(_, text)| text.split("\\\n").map(str::trim_start).collect::<String>())
        .collect();
    for (id, parts) in service::SENTENCES.iter() {
        for part in parts {
            let service::Part::Text(text) = part else { continue };
            assert!(code.contains(text.as_str()), "nobody says “{text}” of {id}");
        }
    }
}

#[test]
fn what_the_service_says_is_translated_with_its_arguments() {
    let said = |language, text| in_language(language, || service::translated(text));
    let long = "must have at most 500 characters";
    assert_eq!(said(Language::German, long).as_deref(), Some("darf höchstens 500 Zeichen haben"));
    assert_eq!(said(Language::English, long), None);
    let range = "must have 1 to 100 characters";
    assert_eq!(said(Language::Spanish, range).as_deref(), Some("debe tener de 1 a 100 caracteres"));
    for strange in ["", "must have at most  characters", "must have at most 5 characters and a hat", "line 3"]
    {
        assert_eq!(said(Language::French, strange), None, "{strange}");
    }
}

#[test]
fn reasons_are_translated_with_the_reasons_within_them() {
    let told = |text| in_language(Language::German, || super::reason(text));
    assert_eq!(told("hq: The file contains no audio."), "hq: Die Datei enthält keinen Ton.");
    assert_eq!(
        told("the import from example.com failed: there is no file at this URL (404 Not Found)"),
        "der Import von example.com ist fehlgeschlagen: unter dieser URL gibt es keine Datei (404 Not Found)"
    );
    assert_eq!(
        told("Importing the file from example.com: 40 %."),
        "Die Datei wird von example.com importiert: 40 %."
    );
    assert_eq!(told("line 2: the text must begin with WEBVTT"), "Zeile 2: der Text muss mit WEBVTT beginnen");
    assert_eq!(told("nobody: knows this"), "nobody: knows this");
    for outage in Outage::ALL {
        assert_ne!(told(outage.sentence()), outage.sentence());
    }
}

/// Prepositions that must not precede a time, because `3 minutes ago` may replace it.
const PREPOSITIONS: &[&str] =
    &["until", "since", "bis", "seit", "le", "au", "du", "jusqu’au", "el", "del", "desde"];

#[test]
fn times_within_sentences_are_exact() {
    for language in Language::ALL {
        for line in sources(language).iter().flat_map(|source| source.lines()) {
            let Some((before, time)) = line.split_once("<time") else { continue };
            let last = before.split_whitespace().next_back().unwrap_or_default();
            let is_within = PREPOSITIONS.contains(&last);
            assert!(!is_within || time.starts_with(" data-exact"), "{language}: {line}");
        }
    }
}

#[test]
fn french_punctuation_does_not_begin_a_line() {
    for file in FILES.iter().copied().chain(["player", "script"]) {
        for line in source_of(Language::French, &format!("{file}.ftl")).lines() {
            // This message names characters of URLs.
            if line.starts_with('#') || line.starts_with("service-url-query") {
                continue;
            }
            for wrong in [" ;", " !", " ?", " :", "\u{a0};", "\u{a0}!", "\u{a0}?", "« ", " »"] {
                assert!(!line.contains(wrong), "{file}.ftl: {line}");
            }
        }
    }
}

#[test]
fn numbers_of_one_have_forms_of_their_own() {
    for (language, told) in [
        (Language::English, "1 of 10 recovery codes left."),
        (Language::French, "Il reste 1 code de récupération sur 10."),
        (Language::Spanish, "Queda 1 de 10 códigos de recuperación."),
    ] {
        in_language(language, || {
            assert_eq!(t("profile-codes-left").with("count", 1).to_string(), told);
        });
    }
    let minute = "too many failed attempts; try again in 1 minute";
    let told = in_language(Language::German, || service::translated(minute));
    assert_eq!(
        told.as_deref(),
        Some("zu viele fehlgeschlagene Versuche; versuchen Sie es in einer Minute noch einmal")
    );
}

#[test]
fn arguments_are_escaped_and_numbers_are_written_as_everywhere() {
    for language in Language::ALL {
        in_language(language, || {
            let told = t("common-count-tracks").with("count", 12_345).to_string();
            assert!(told.contains("12\u{202f}345"), "{told}");
        });
    }
}
