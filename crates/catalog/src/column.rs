//! How domain values are stored in columns: times as Unix milliseconds, enums as their text, structures as JSON.

use std::str::FromStr;

use sea_orm::sea_query::{self, ArrayType, ColumnType, Value, ValueTypeErr};
use sea_orm::{ActiveValue, ColIdx, JsonValue, QueryResult, TryGetError, TryGetable};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonearm_domain::{Cover, Metadata, Selection, Theme, Timestamp, TraceContext};
use uuid::Uuid;

use crate::error::CatalogError;

/// The error for a value that cannot be parsed. `column` is `table.column`; the message does not contain the value.
pub(crate) fn corrupt(column: &'static str) -> CatalogError {
    CatalogError::Corrupt(format!("a row contains an invalid value in {column}"))
}

pub(crate) fn moment(column: &'static str, millis: i64) -> Result<Timestamp, CatalogError> {
    Timestamp::from_unix_millis(millis).ok_or_else(|| corrupt(column))
}

pub(crate) fn moment_if_set(
    column: &'static str,
    millis: Option<i64>,
) -> Result<Option<Timestamp>, CatalogError> {
    millis.map(|millis| moment(column, millis)).transpose()
}

pub(crate) fn parsed<T: FromStr>(column: &'static str, text: &str) -> Result<T, CatalogError> {
    text.parse().map_err(|_| corrupt(column))
}

/// The trace that a row belongs to. Invalid text is ignored, since it must not block the work.
pub(crate) fn trace_context(text: Option<&str>) -> Option<TraceContext> {
    text.and_then(|text| text.parse().ok())
}

pub(crate) fn parsed_if_set<T: FromStr>(
    column: &'static str,
    text: Option<&str>,
) -> Result<Option<T>, CatalogError> {
    text.map(|text| parsed(column, text)).transpose()
}

/// The two columns of a cover are always set together. `column` is the column of its origin.
pub(crate) fn cover(
    column: &'static str,
    version: Option<&str>,
    origin: Option<&str>,
) -> Result<Option<Cover>, CatalogError> {
    match (version, origin) {
        (None, None) => Ok(None),
        (Some(version), Some(origin)) => {
            Ok(Some(Cover { version: parsed(column, version)?, origin: parsed(column, origin)? }))
        }
        _ => Err(corrupt(column)),
    }
}

/// Version and origin of a cover, for their columns.
pub(crate) fn cover_columns(cover: Option<Cover>) -> (Option<String>, Option<String>) {
    let cover = cover.map(|cover| (cover.version.to_string(), cover.origin.as_str().to_owned()));
    cover.unzip()
}

/// The colours found in a cover, and those that a user set. `column` is the column of the colours found.
pub(crate) fn theme(
    column: &'static str,
    found: JsonValue,
    set: Option<JsonValue>,
) -> Result<Theme, CatalogError> {
    // SQL NULL and JSON null mean the same.
    let set = set.filter(|set| !set.is_null()).map(|set| decoded(column, set)).transpose()?;
    Ok(Theme { set, found: decoded(column, found)? })
}

/// The colours that a user set, for their column.
pub(crate) fn own_theme(column: &'static str, theme: &Theme) -> Result<Option<JsonValue>, CatalogError> {
    theme.set.as_ref().map(|set| encoded(column, set)).transpose()
}

pub(crate) fn decoded<T: DeserializeOwned>(column: &'static str, json: JsonValue) -> Result<T, CatalogError> {
    serde_json::from_value(json).map_err(|_| corrupt(column))
}

/// A selection is NULL for all variants, otherwise an array of their names. An empty array selects no variant; it must
/// never be read as "all".
pub(crate) fn selection(column: &'static str, json: Option<JsonValue>) -> Result<Selection, CatalogError> {
    json.map_or(Ok(Selection::All), |json| decoded(column, json).map(Selection::Only))
}

/// A selection for its column.
pub(crate) fn selection_json(
    column: &'static str,
    selection: &Selection,
) -> Result<Option<JsonValue>, CatalogError> {
    selection.only().map(|list| encoded(column, list)).transpose()
}

pub(crate) fn encoded<T: Serialize>(column: &'static str, value: &T) -> Result<JsonValue, CatalogError> {
    serde_json::to_value(value).map_err(|_| corrupt(column))
}

/// The JSON of a column that callers fill. If it cannot be read, the other columns of its row still can.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerJson(Option<JsonValue>);

impl TryGetable for CallerJson {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        match JsonValue::try_get_by(row, index) {
            Ok(json) => Ok(Self(Some(json))),
            Err(TryGetError::DbErr(_)) => Ok(Self(None)),
            Err(missing) => Err(missing),
        }
    }
}

impl From<CallerJson> for Value {
    fn from(CallerJson(json): CallerJson) -> Self {
        json.into()
    }
}

impl sea_query::ValueType for CallerJson {
    fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
        <JsonValue as sea_query::ValueType>::try_from(value).map(|json| Self(Some(json)))
    }

    fn type_name() -> String {
        "CallerJson".to_owned()
    }

    fn array_type() -> ArrayType {
        <JsonValue as sea_query::ValueType>::array_type()
    }

    fn column_type() -> ColumnType {
        <JsonValue as sea_query::ValueType>::column_type()
    }
}

/// Metadata for its column. What could not be read is left as it is.
pub(crate) fn metadata_json(metadata: &Metadata) -> ActiveValue<CallerJson> {
    match metadata.is_damaged() {
        true => ActiveValue::NotSet,
        false => ActiveValue::Set(CallerJson(Some(JsonValue::Object(metadata.as_map().clone())))),
    }
}

/// The metadata of a row. `column` is `table.column`. `id` is for the log, and `None` if it is a credential.
pub(crate) fn metadata(column: &'static str, id: Option<Uuid>, json: CallerJson) -> Metadata {
    match json.0 {
        Some(JsonValue::Object(map)) => Metadata::from_stored(map),
        _ => {
            let id = id.map(tracing::field::display);
            tracing::error!(column, id, "the metadata of a row cannot be read; it is shown as damaged");
            Metadata::damaged()
        }
    }
}

/// The size of an object in bytes. Both databases store integers up to 2^63 - 1, which no object reaches.
pub(crate) fn byte_count(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

pub(crate) fn size(column: &'static str, bytes: i64) -> Result<u64, CatalogError> {
    u64::try_from(bytes).map_err(|_| corrupt(column))
}

/// Text from files and programs, such as tags and error messages, with NUL replaced: PostgreSQL cannot store it.
pub(crate) fn foreign_text(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}
