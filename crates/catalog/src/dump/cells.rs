//! Reads cells from a database and writes them to one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sea_orm::{DbBackend, DbErr, QueryResult, TryGetable, Value};
use serde_json::Value as Json;
use uuid::Uuid;

use super::DumpRow;
use super::schema::{ColumnKind, DumpColumn, parameter, quoted};
use crate::error::CatalogError;

/// The expression that selects a column, cast so that the result has one of a few types.
pub(super) fn selected(backend: DbBackend, column: &DumpColumn) -> String {
    let name = quoted(&column.name);
    match (backend, column.kind) {
        (DbBackend::Postgres, ColumnKind::Integer) => format!("CAST({name} AS bigint)"),
        (DbBackend::Postgres, ColumnKind::Text | ColumnKind::Json) => format!("CAST({name} AS text)"),
        _ => name,
    }
}

/// An expression for the number of bytes in the columns of a row that may be long.
pub(super) fn width(backend: DbBackend, columns: &[DumpColumn]) -> String {
    let is_long =
        |column: &&DumpColumn| matches!(column.kind, ColumnKind::Text | ColumnKind::Json | ColumnKind::Bytes);
    let length = |column: &DumpColumn| {
        let cell = selected(backend, column);
        format!("COALESCE(CAST(octet_length({cell}) AS bigint), 0)")
    };
    let lengths: Vec<String> = columns.iter().filter(is_long).map(length).collect();
    if lengths.is_empty() { "CAST(0 AS bigint)".to_owned() } else { lengths.join(" + ") }
}

/// The placeholder of an inserted cell, with a cast where the column needs one.
pub(super) fn inserted(backend: DbBackend, column: &DumpColumn, number: usize) -> String {
    let parameter = parameter(backend, number);
    match (backend, column.kind) {
        (DbBackend::Postgres, ColumnKind::Json) => format!("CAST({parameter} AS jsonb)"),
        _ => parameter,
    }
}

/// Reads the cells of a row. Its columns were selected in the order of `columns`.
pub(super) fn read(row: &QueryResult, columns: &[DumpColumn]) -> Result<DumpRow, DbErr> {
    columns.iter().enumerate().map(|(place, column)| cell(row, place, column.kind)).collect()
}

pub(super) fn cell(row: &QueryResult, place: usize, kind: ColumnKind) -> Result<Json, DbErr> {
    Ok(match kind {
        ColumnKind::Uuid => or_null::<Uuid>(row, place, |id| id.to_string().into())?,
        ColumnKind::Integer => or_null::<i64>(row, place, Json::from)?,
        // The shortest text that parses back to the same number.
        ColumnKind::Real => or_null::<f64>(row, place, |number| format!("{number:?}").into())?,
        ColumnKind::Text | ColumnKind::Json => or_null::<String>(row, place, Json::from)?,
        ColumnKind::Bytes => or_null::<Vec<u8>>(row, place, |bytes| STANDARD.encode(bytes).into())?,
        ColumnKind::Boolean => or_null::<bool>(row, place, Json::from)?,
    })
}

fn or_null<T: TryGetable>(
    row: &QueryResult,
    place: usize,
    convert: impl FnOnce(T) -> Json,
) -> Result<Json, DbErr> {
    Ok(row.try_get_by_index::<Option<T>>(place)?.map_or(Json::Null, convert))
}

/// Converts a cell to a parameter of a statement. The cell comes from a file and may contain anything.
pub(super) fn value(table: &str, column: &DumpColumn, cell: &Json) -> Result<Value, CatalogError> {
    let wrong = || {
        let name = &column.name;
        CatalogError::Corrupt(format!("the backup has an invalid value in {table}.{name}"))
    };
    if cell.is_null() {
        return Ok(null(column.kind));
    }
    let text = || cell.as_str().ok_or_else(wrong);
    Ok(match column.kind {
        ColumnKind::Uuid => Value::Uuid(Some(text()?.parse().map_err(|_| wrong())?)),
        ColumnKind::Integer => Value::BigInt(Some(cell.as_i64().ok_or_else(wrong)?)),
        ColumnKind::Real => Value::Double(Some(text()?.parse().map_err(|_| wrong())?)),
        ColumnKind::Text | ColumnKind::Json => Value::String(Some(text()?.to_owned())),
        ColumnKind::Bytes => Value::Bytes(Some(STANDARD.decode(text()?).map_err(|_| wrong())?)),
        ColumnKind::Boolean => Value::Bool(Some(cell.as_bool().ok_or_else(wrong)?)),
    })
}

fn null(kind: ColumnKind) -> Value {
    match kind {
        ColumnKind::Uuid => Value::Uuid(None),
        ColumnKind::Integer => Value::BigInt(None),
        ColumnKind::Real => Value::Double(None),
        ColumnKind::Text | ColumnKind::Json => Value::String(None),
        ColumnKind::Bytes => Value::Bytes(None),
        ColumnKind::Boolean => Value::Bool(None),
    }
}
