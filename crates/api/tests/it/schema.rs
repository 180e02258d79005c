//! Checks responses against the schemas of `/openapi.json`. Only the keywords that this document uses are supported.

use serde_json::Value;

/// The violations of the schema, each with its place; empty if the value is valid.
pub(crate) fn problems(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    Check { document, problems: &mut problems }.value(schema, value, "");
    problems
}

struct Check<'a> {
    document: &'a Value,
    problems: &'a mut Vec<String>,
}

impl Check<'_> {
    fn say(&mut self, place: &str, problem: impl std::fmt::Display) {
        self.problems.push(format!("{place}: {problem}"));
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        problems(self.document, schema, value).is_empty()
    }

    fn value(&mut self, schema: &Value, value: &Value, place: &str) {
        if let Some(reference) = schema["$ref"].as_str() {
            let document = self.document;
            return self.value(document.pointer(&reference[1..]).unwrap(), value, place);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.value(part, value, place);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(parts) = schema[keyword].as_array() {
                let fitting = parts.iter().filter(|part| self.fits(part, value)).count();
                if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
                    self.say(place, format!("{fitting} schemas of {keyword} fit {value}"));
                }
            }
        }
        self.kind(schema, value, place);
        match value {
            Value::Object(fields) => self.object(schema, fields, place),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    if schema.get("items").is_some() {
                        self.value(&schema["items"], item, &format!("{place}/{at}"));
                    }
                }
                self.bounds(schema, items.len() as f64, ["minItems", "maxItems"], place);
            }
            Value::String(text) => self.text(schema, text, place),
            Value::Number(number) => {
                self.bounds(schema, number.as_f64().unwrap(), ["minimum", "maximum"], place);
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn kind(&mut self, schema: &Value, value: &Value, place: &str) {
        let is = |kind: &Value| match kind.as_str().unwrap() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("an unknown type: {other}"),
        };
        let fits = match &schema["type"] {
            Value::Null => true,
            Value::Array(kinds) => kinds.iter().any(is),
            kind => is(kind),
        };
        if !fits {
            self.say(place, format!("{value} is not of type {}", schema["type"]));
        }
        if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
            self.say(place, format!("{value} is not among {}", schema["enum"]));
        }
    }

    fn object(&mut self, schema: &Value, fields: &serde_json::Map<String, Value>, place: &str) {
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            if !fields.contains_key(name) {
                self.say(place, format!("{name} is missing"));
            }
        }
        for (name, value) in fields {
            let inner = format!("{place}/{name}");
            if let Some(property) = schema["properties"].get(name) {
                self.value(property, value, &inner);
            } else if schema["additionalProperties"].is_object() {
                self.value(&schema["additionalProperties"], value, &inner);
            }
        }
    }

    fn text(&mut self, schema: &Value, text: &str, place: &str) {
        self.bounds(schema, text.chars().count() as f64, ["minLength", "maxLength"], place);
        if let Some(pattern) = schema["pattern"].as_str()
            && !matches(pattern, text)
        {
            self.say(place, format!("{text:?} does not match {pattern}"));
        }
        let fits = match schema["format"].as_str() {
            Some("uuid") => text.parse::<uuid::Uuid>().is_ok() && text.len() == 36,
            Some("date-time") => text.parse::<tonearm_domain::Timestamp>().is_ok(),
            Some("date") => text.parse::<tonearm_domain::Day>().is_ok(),
            _ => true,
        };
        if !fits {
            self.say(place, format!("{text:?} is not of the format {}", schema["format"]));
        }
    }

    fn bounds(&mut self, schema: &Value, number: f64, [least, most]: [&str; 2], place: &str) {
        if schema[least].as_f64().is_some_and(|least| number < least) {
            self.say(place, format!("{number} is below {}", schema[least]));
        }
        if schema[most].as_f64().is_some_and(|most| number > most) {
            self.say(place, format!("{number} is above {}", schema[most]));
        }
    }
}

/// Whether a text matches a pattern of the description. There are few, so each is implemented by hand.
fn matches(pattern: &str, text: &str) -> bool {
    let of = |is: fn(u8) -> bool| text.bytes().all(is);
    match pattern {
        "^[a-z0-9]{12}$" => text.len() == 12 && of(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
        "^[a-z0-9_-]{2,64}$" => text.parse::<tonearm_domain::VariantIndex>().is_ok(),
        "^#([0-9a-fA-F]{3}){1,2}$" => text.parse::<tonearm_domain::Colour>().is_ok(),
        "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$" => text.parse::<tonearm_domain::BucketName>().is_ok(),
        "^[a-zA-Z0-9_-]{1,64}$" => text.parse::<tonearm_domain::BucketRegion>().is_ok(),
        "^[!-+\\-.0-<>-~]+$" => text.parse::<tonearm_domain::AccessKeyId>().is_ok(),
        "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(,[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}){0,99}$" => {
            text.split(',').count() <= 100 && text.split(',').all(|id| id.parse::<uuid::Uuid>().is_ok())
        }
        "^[^\\u0000]*$" => !text.contains('\0'),
        "^(day|track|collection|share_link|referrer|country)$" => {
            ["day", "track", "collection", "share_link", "referrer", "country"].contains(&text)
        }
        "^(day|track|variant)$" => ["day", "track", "variant"].contains(&text),
        other => panic!("the pattern {other} is not known here"),
    }
}

/// The fields of an object that no schema describes, each with its place.
pub(crate) fn undescribed(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(document, &[schema], value, "", &mut found);
    found
}

fn look(document: &Value, schemas: &[&Value], value: &Value, place: &str, found: &mut Vec<String>) {
    let mut flat = Vec::new();
    schemas.iter().for_each(|schema| flatten(document, schema, &mut flat));
    match value {
        Value::Array(items) => {
            let inner: Vec<&Value> = flat.iter().filter_map(|schema| schema.get("items")).collect();
            if !inner.is_empty() {
                items.iter().for_each(|item| look(document, &inner, item, place, found));
            }
        }
        Value::Object(fields) => {
            // Free objects, such as metadata.
            if flat.iter().any(|schema| schema.get("additionalProperties").is_some()) {
                return;
            }
            for (name, value) in fields {
                let inner: Vec<&Value> =
                    flat.iter().filter_map(|schema| schema["properties"].get(name)).collect();
                let place = format!("{place}/{name}");
                if inner.is_empty() {
                    found.push(place);
                } else {
                    look(document, &inner, value, &place, found);
                }
            }
        }
        _ => {}
    }
}

/// Collects a schema and all schemas that it is composed of.
fn flatten<'a>(document: &'a Value, schema: &'a Value, flat: &mut Vec<&'a Value>) {
    if let Some(reference) = schema["$ref"].as_str() {
        return flatten(document, document.pointer(&reference[1..]).unwrap(), flat);
    }
    flat.push(schema);
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for part in schema[keyword].as_array().into_iter().flatten() {
            flatten(document, part, flat);
        }
    }
}
