//! Schemas on the page: a list of fields, each with its type, bounds and own fields.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::html::{escape, prose};

/// Maximum depth, greater than that of any response. Recursive schemas end here.
const DEEPEST: usize = 12;

/// A schema in its document.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    document: &'a Value,
    /// The schema as its owner has it, such as a reference with a description beside it.
    written: &'a Value,
    schema: &'a Value,
    depth: usize,
}

impl<'a> Shape<'a> {
    pub(super) fn new(document: &'a Value, written: &'a Value) -> Self {
        Self { document, written, schema: resolve(document, written), depth: 0 }
    }

    fn inner(self, written: &'a Value) -> Self {
        Self { depth: self.depth + 1, ..Self::new(self.document, written) }
    }

    fn options(self, keyword: &str) -> impl Iterator<Item = Self> {
        self.schema[keyword].as_array().into_iter().flatten().map(move |schema| self.inner(schema))
    }

    /// The schema without null, and whether it allows null.
    fn nullable(self) -> (Self, bool) {
        let is_null = |option: &Self| option.schema["type"] == "null";
        let mut others = self.options("oneOf").filter(|option| !is_null(option));
        match (others.next(), others.next(), self.options("oneOf").any(|option| is_null(&option))) {
            (Some(only), None, true) => (only, true),
            _ => (self, names_of_types(self.schema).contains(&"null")),
        }
    }

    /// The description where the schema is used, else that of the first of its branches that has one, else its own.
    fn description(self) -> Option<&'a str> {
        let of = |schema: &'a Value| schema["description"].as_str();
        let written = self.written;
        let branches =
            ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|keyword| written[keyword].as_array());
        of(written)
            .or_else(|| branches.flatten().find_map(of))
            .or_else(|| of(self.schema))
            .or_else(|| of(self.nullable().0.schema))
    }

    /// Whether the field must be there: an `allOf` part requires it, or each of the `oneOf` schemas.
    fn requires(self, name: &str) -> bool {
        let own = self.schema["required"].as_array().into_iter().flatten().any(|required| required == name);
        let mut choices = self.options("oneOf").peekable();
        own || self.options("allOf").any(|part| part.requires(name))
            || (choices.peek().is_some() && choices.all(|choice| choice.requires(name)))
    }

    /// The name, the schema and whether it is required, of every field, once, including the fields of all `allOf` parts and
    /// `oneOf` schemas.
    fn fields(self) -> Vec<(&'a str, Self, bool)> {
        if self.depth > DEEPEST {
            return Vec::new();
        }
        let own = self.schema["properties"].as_object().into_iter().flatten();
        let own = own.map(|(name, schema)| (name.as_str(), self.inner(schema)));
        let parts = self.options("allOf").chain(self.options("oneOf")).flat_map(Self::fields);
        let mut seen = BTreeSet::new();
        parts
            .map(|(name, shape, _)| (name, shape))
            .chain(own)
            .filter(|(name, _)| seen.insert(*name))
            .map(|(name, shape)| (name, shape, self.requires(name)))
            .collect()
    }

    /// `array of string`, `object`, `string (uuid)` and so on.
    fn type_name(self) -> String {
        let (shape, is_nullable) = self.nullable();
        let mut names = names_of_types(shape.schema);
        names.retain(|name| *name != "null");
        let mut name = match names[..] {
            ["array"] => format!("array of {}", shape.inner(&shape.schema["items"]).type_name()),
            [] if !shape.fields().is_empty() => "object".to_owned(),
            [] => "any".to_owned(),
            _ => names.join(" or "),
        };
        if let Some(format) = shape.schema["format"].as_str() {
            let _ = write!(name, " ({format})");
        }
        if is_nullable {
            name.push_str(" or null");
        }
        name
    }

    /// The bounds of its values, in words.
    fn bounds(self) -> Option<String> {
        let schema = self.nullable().0.schema;
        let number = |keyword: &str| schema[keyword].as_f64();
        let mut bounds = Vec::new();
        if let Some(values) = schema["enum"].as_array() {
            bounds.push(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "));
        }
        for (least, most, unit) in [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", " characters"),
            ("minItems", "maxItems", " items"),
        ] {
            match (number(least), number(most)) {
                (Some(least), Some(most)) => bounds.push(format!("{least} to {most}{unit}")),
                (Some(least), None) => bounds.push(format!("at least {least}{unit}")),
                (None, Some(most)) => bounds.push(format!("at most {most}{unit}")),
                (None, None) => {}
            }
        }
        (!bounds.is_empty()).then(|| bounds.join("; "))
    }

    /// Type and bounds, in HTML.
    pub(super) fn type_line(self) -> String {
        let mut line = format!(r#"<span class="type">{}</span>"#, escape(&self.type_name()));
        if let Some(bounds) = self.bounds() {
            let _ = write!(line, r#" <span class="bounds">{}</span>"#, escape(&bounds));
        }
        line
    }

    /// The names of its fields.
    pub(super) fn names(self) -> impl Iterator<Item = &'a str> {
        self.fields().into_iter().map(|(name, ..)| name)
    }

    /// The required fields, each with its name.
    pub(super) fn required(self) -> impl Iterator<Item = (&'a str, Self)> {
        self.fields()
            .into_iter()
            .filter_map(|(name, shape, is_required)| is_required.then_some((name, shape)))
    }

    /// A value of its type, for people to replace.
    pub(super) fn sample(self) -> Value {
        match (&self.schema["enum"][0], names_of_types(self.schema).first()) {
            (Value::String(first), _) => json!(first),
            (_, Some(&"boolean")) => json!(true),
            (_, Some(&("number" | "integer"))) => json!(0),
            (_, Some(&"array")) => json!([self.inner(&self.schema["items"]).sample()]),
            (_, Some(&"object")) => json!({}),
            _ => json!("…"),
        }
    }

    /// The fields as a list. Empty if there are no fields.
    pub(super) fn list(self) -> String {
        let mut items = String::new();
        for (name, shape, is_required) in self.fields() {
            let required = if is_required { r#" <span class="required">required</span>"# } else { "" };
            let line = shape.type_line();
            let _ = write!(items, "<li><code>{}</code> {line}{required}", escape(name));
            let inner = shape.nullable().0;
            if let Some(text) = shape.description() {
                let _ = write!(items, "<p>{}</p>", prose(text));
            }
            let element =
                if inner.schema["type"] == "array" { inner.inner(&inner.schema["items"]) } else { inner };
            let list = element.nullable().0.list();
            if !list.is_empty() {
                let _ = write!(items, "<details><summary>Fields</summary>{list}</details>");
            }
            items.push_str("</li>");
        }
        if items.is_empty() { items } else { format!(r#"<ul class="fields">{items}</ul>"#) }
    }
}

/// Resolves a reference to the value that it refers to.
pub(super) fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    target.unwrap_or(value)
}

fn names_of_types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
