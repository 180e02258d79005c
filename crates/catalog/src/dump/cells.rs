//! Cells of rows: out of a database, and into one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sea_orm::{DbBackend, DbErr, QueryResult, TryGetable, Value};
use serde_json::Value as Json;
use uuid::Uuid;

use super::DumpRow;
use super::schema::{ColumnKind, DumpColumn, parameter, quoted};
use crate::error::CatalogError;

/// How a column is selected, so that what comes is of one of few types.
pub(super) fn selected(backend: DbBackend, column: &DumpColumn) -> String {
    let name = quoted(&column.name);
    match (backend, column.kind) {
        (DbBackend::Postgres, ColumnKind::Integer) => format!("CAST({name} AS bigint)"),
        (DbBackend::Postgres, ColumnKind::Text | ColumnKind::Json) => format!("CAST({name} AS text)"),
        _ => name,
    }
}

/// The bytes of a row in the columns that may be long, as an expression.
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

/// How a parameter stands for a cell that is inserted.
pub(super) fn inserted(backend: DbBackend, column: &DumpColumn, number: usize) -> String {
    let parameter = parameter(backend, number);
    match (backend, column.kind) {
        (DbBackend::Postgres, ColumnKind::Json) => format!("CAST({parameter} AS jsonb)"),
        _ => parameter,
    }
}

/// The cells of a row whose columns were selected in their order.
pub(super) fn read(row: &QueryResult, columns: &[DumpColumn]) -> Result<DumpRow, DbErr> {
    columns.iter().enumerate().map(|(place, column)| cell(row, place, column.kind)).collect()
}

fn cell(row: &QueryResult, place: usize, kind: ColumnKind) -> Result<Json, DbErr> {
    Ok(match kind {
        ColumnKind::Uuid => or_null::<Uuid>(row, place, |id| id.to_string().into())?,
        ColumnKind::Integer => or_null::<i64>(row, place, Json::from)?,
        // The shortest text that gives the same number again.
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

/// A cell as a parameter of a statement. It comes out of a file, so that anything may be in it.
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
