//! Answers of the service, cut down to what an assistant needs: each field costs it attention, and signed URLs are credentials.

use serde::Serialize;
use serde_json::{Map, Value};

use super::tool::Problem;

/// The longest text that is passed on, in characters.
const LONGEST_TEXT: usize = 4000;

/// These fields of an object, where it has them.
pub(super) fn pick(value: &Value, fields: &[&str]) -> Value {
    let picked = fields.iter().filter_map(|name| Some(((*name).to_owned(), shortened(value.get(*name)?))));
    Value::Object(picked.collect())
}

/// These fields of each object of a list.
pub(super) fn pick_each(list: &Value, fields: &[&str]) -> Value {
    list.as_array().into_iter().flatten().map(|value| pick(value, fields)).collect()
}

/// A value whose texts have a bounded length, at whatever depth.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]).into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect())
        }
        other => other.clone(),
    }
}

/// The arguments that were given, as a body.
pub(super) fn body(arguments: &impl Serialize) -> Result<Map<String, Value>, Problem> {
    match serde_json::to_value(arguments) {
        Ok(Value::Object(mut fields)) => {
            fields.retain(|_, value| !value.is_null());
            Ok(fields)
        }
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Problem::Arguments(error.to_string())),
    }
}

/// The arguments that were given, as a query.
pub(super) fn query(arguments: &impl Serialize) -> Result<Vec<(String, String)>, Problem> {
    let fields = body(arguments)?.into_iter();
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(fields.map(|(name, value)| (name, text(value))).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_cut_down() {
        let long = "ä".repeat(LONGEST_TEXT + 1);
        let value = json!({"a": 1, "b": {"c": [long]}, "secret": "x"});
        let picked = pick(&value, &["a", "b", "missing"]);
        assert_eq!(picked["a"], 1);
        assert_eq!(picked["b"]["c"][0].as_str().unwrap().chars().count(), LONGEST_TEXT + 1);
        assert!(picked["b"]["c"][0].as_str().unwrap().ends_with("ä…"));
        assert_eq!((picked.get("secret"), picked.get("missing")), (None, None));
        assert_eq!(pick_each(&json!([{"a": 1, "b": 2}]), &["b"]), json!([{"b": 2}]));
        assert_eq!(pick_each(&Value::Null, &["b"]), json!([]));
    }

    #[test]
    fn what_was_not_given_is_not_sent() {
        let arguments = json!({"query": "a b", "limit": 5, "cursor": null});
        let query = query(&arguments).unwrap();
        assert_eq!(query, [("limit".to_owned(), "5".to_owned()), ("query".to_owned(), "a b".to_owned())]);
    }
}
