//! One operation on the page.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::html::{escape, prose};
use super::shape::{Shape, resolve};

/// The schema of the body of every error, which the page shows once.
pub(super) const ERROR: &str = "#/components/schemas/ErrorBody";

/// An operation of the OpenAPI document.
pub(super) struct Operation<'a> {
    pub(super) tag: &'a str,
    method: &'a str,
    path: &'a str,
    id: &'a str,
    described: &'a Value,
    document: &'a Value,
}

impl<'a> Operation<'a> {
    /// All operations, in the order of their paths.
    pub(super) fn all(document: &'a Value) -> Vec<Self> {
        Self::of(document, "paths", |_, described| described["operationId"].as_str().unwrap_or_default())
    }

    /// All events that webhooks are sent, in the order of their names.
    pub(super) fn events(document: &'a Value) -> Vec<Self> {
        Self::of(document, "webhooks", |name, _| name)
    }

    fn of(
        document: &'a Value,
        section: &str,
        id: impl Fn(&'a str, &'a Value) -> &'a str + Copy,
    ) -> Vec<Self> {
        let paths = document[section].as_object().into_iter().flatten();
        let of_path = |(path, item): (&'a String, &'a Value)| {
            let methods = item.as_object().into_iter().flatten();
            methods.map(move |(method, described)| Self {
                tag: described["tags"][0].as_str().unwrap_or_default(),
                method,
                path,
                id: id(path, described),
                described,
                document,
            })
        };
        paths.flat_map(of_path).collect()
    }

    fn summary(&self) -> &'a str {
        self.described["summary"].as_str().unwrap_or_default()
    }

    /// The operation's entry in the table of contents.
    pub(super) fn link(&self, page: &str) -> String {
        format!(r##"{}<a href="{page}#{}">{}</a></li>"##, self.item(), escape(self.id), escape(&self.name()))
    }

    /// The operation's entry in the index.
    pub(super) fn summary_link(&self, page: &str) -> String {
        let (id, heading, summary) = (escape(self.id), self.heading(), prose(self.summary()));
        format!(r##"{}<a href="{page}#{id}">{heading}</a><p>{summary}</p></li>"##, self.item())
    }

    /// The beginning of a list item, with the words that a search finds it by, such as the fields of the request.
    fn item(&self) -> String {
        let name = self.name();
        let mut words = vec![self.method, self.path, &name, self.tag, self.summary()];
        words.extend(self.described_parameters().filter_map(|parameter| parameter["name"].as_str()));
        let contents = self.described["requestBody"]["content"].as_object().into_iter().flatten();
        words.extend(contents.flat_map(|(_, content)| Shape::new(self.document, &content["schema"]).names()));
        format!(r#"<li data-operation="{}">"#, escape(&words.join(" ").to_lowercase()))
    }

    fn described_parameters(&self) -> impl Iterator<Item = &'a Value> {
        self.described["parameters"].as_array().into_iter().flatten()
    }

    fn name(&self) -> String {
        self.id.replace('_', " ")
    }

    /// Method and path.
    fn heading(&self) -> String {
        let (method, path) = (escape(self.method), escape(self.path));
        format!(r#"<span class="method {method}">{method}</span> <code>{path}</code>"#)
    }

    /// The full description of the operation.
    pub(super) fn article(&self) -> String {
        let (credential, command) = (self.credential(), escape(&self.command()));
        self.titled(
            &self.heading(),
            &format!(r#"<p class="credential">{credential}</p><pre>{command}</pre>"#),
        )
    }

    /// The full description of an event, which has neither command nor credential.
    pub(super) fn event(&self) -> String {
        self.titled(&format!("<code>{}</code>", escape(self.id)), "")
    }

    fn titled(&self, heading: &str, usage: &str) -> String {
        let (id, summary) = (escape(self.id), prose(self.summary()));
        let mut html =
            format!(r##"<article id="{id}"><h2><a href="#{id}">{heading}</a></h2><p>{summary}</p>"##);
        if let Some(description) = self.described["description"].as_str() {
            let _ = write!(html, "<p>{}</p>", prose(description));
        }
        html + usage + &self.parameters() + &self.body() + &self.responses() + "</article>"
    }

    /// The request as a command for a shell, with the example of its body, else with the fields that it must have.
    fn command(&self) -> String {
        let is_signed = self.described["security"][0].get("upload_signature").is_some();
        let url = if is_signed { "$upload_url".to_owned() } else { format!("$base{}", variables(self.path)) };
        let mut command = match self.method {
            "get" => format!("curl -sSf \"{url}\""),
            "head" => format!("curl -sSf -I \"{url}\""),
            method => format!("curl -sSf -X {} \"{url}\"", method.to_uppercase()),
        };
        if self.described["security"][0].get("api_key").is_some() {
            command.push_str(" -H \"Authorization: Bearer $key\"");
        }
        for parameter in self.described_parameters() {
            if parameter["in"] == "header" && parameter["required"] == true {
                let _ = write!(command, " -H '{}: …'", parameter["name"].as_str().unwrap_or_default());
            }
        }
        let content = self.described["requestBody"]["content"].as_object();
        match content.and_then(|content| content.iter().next()) {
            Some((content_type, content)) if content_type == "application/json" => {
                let body = self.sent(content).replace('\'', r"'\''");
                let _ = write!(command, " \\\n  -H 'Content-Type: application/json' -d '{body}'");
            }
            Some((content_type, _)) => {
                let _ = write!(command, " \\\n  -H 'Content-Type: {content_type}' --data-binary @FILE");
            }
            None => {}
        }
        command
    }

    /// The example of the body as JSON, else the fields that it must have, with samples.
    fn sent(&self, content: &Value) -> String {
        if let Some(example) = content.get("example") {
            return example.to_string();
        }
        let fields = Shape::new(self.document, &content["schema"]).required();
        let fields = fields.map(|(name, shape)| (name.to_owned(), shape.sample()));
        Value::Object(Map::from_iter(fields)).to_string()
    }

    fn credential(&self) -> &'static str {
        match &self.described["security"][0] {
            Value::Object(scheme) if scheme.contains_key("api_key") => {
                "Requires <code>Authorization: Bearer &lt;API_KEY&gt;</code>."
            }
            Value::Object(_) => "Requires the signature <code>verify</code>, which upload URLs contain.",
            _ => "Requires no API key: the credential is part of the path.",
        }
    }

    fn parameters(&self) -> String {
        let mut items = String::new();
        for parameter in self.described_parameters() {
            let (name, place) = (&parameter["name"], &parameter["in"]);
            let text = |value: &Value| escape(value.as_str().unwrap_or_default());
            let line = Shape::new(self.document, &parameter["schema"]).type_line();
            let _ = write!(items, "<li><code>{}</code> {line} in the {}", text(name), text(place));
            if let Some(description) = parameter["description"].as_str() {
                let _ = write!(items, "<p>{}</p>", prose(description));
            }
            items.push_str("</li>");
        }
        if items.is_empty() {
            items
        } else {
            format!(r#"<h3>Parameters</h3><ul class="fields">{items}</ul>"#)
        }
    }

    fn body(&self) -> String {
        let body = &self.described["requestBody"];
        let mut html = String::new();
        for (content_type, content) in body["content"].as_object().into_iter().flatten() {
            let optional = if body["required"] == true { "" } else { " (optional)" };
            let _ = write!(html, "<h3>Body <code>{}</code>{optional}</h3>", escape(content_type));
            html.push_str(&Shape::new(self.document, &content["schema"]).list());
            if let Some(example) = content.get("example") {
                let _ = write!(html, "<pre>{}</pre>", escape(&format!("{example:#}")));
            }
        }
        html
    }

    fn responses(&self) -> String {
        let mut html = String::from(r#"<h3>Responses</h3><ul class="answers">"#);
        let mut examples = String::new();
        for (status, response) in self.described["responses"].as_object().into_iter().flatten() {
            let response = resolve(self.document, response);
            let description = prose(response["description"].as_str().unwrap_or_default());
            let content = &response["content"]["application/json"];
            let schema = &content["schema"];
            let list = match schema["$ref"] == ERROR {
                true => String::new(),
                false => Shape::new(self.document, schema).list(),
            };
            if let Some(example) = content.get("example") {
                let (id, example) = (escape(self.id), escape(&format!("{example:#}")));
                let _ = write!(
                    examples,
                    r#"<h3 id="{id}-example">Example answer</h3><pre tabindex="0" role="region" aria-labelledby="{id}-example">{example}</pre>"#
                );
            }
            let line = format!("<b>{}</b> {description}", escape(status));
            let _ = match list.as_str() {
                "" => write!(html, "<li>{line}</li>"),
                list => write!(html, "<li><details><summary>{line}</summary>{list}</details></li>"),
            };
        }
        html + "</ul>" + &examples
    }
}

/// A path with variables of a shell in place of its parameters.
fn variables(path: &str) -> String {
    path.replace('{', "$").replace('}', "")
}
