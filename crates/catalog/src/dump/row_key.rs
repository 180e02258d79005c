//! What identifies a row.

use sea_orm::{QueryResult, Value};
use serde_json::Value as Json;

use super::schema::DumpTable;
use super::{DumpRow, cells};
use crate::error::CatalogError;

/// The primary key of a row. It can also be read where the database has a value of another type.
#[derive(Debug, Clone, PartialEq)]
pub struct RowKey {
    pub(super) values: Vec<Value>,
    text: String,
}

impl RowKey {
    /// The values as text, separated by slashes.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The key of a row whose columns were selected in the order of the table's.
    pub(super) fn of_result(table: &DumpTable, row: &QueryResult) -> Result<Self, CatalogError> {
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        for (place, column) in table.key_columns() {
            let (value, text) = match cells::cell(row, place, column.kind) {
                Ok(cell) => (cells::value(&table.name, column, &cell)?, text_of(&cell)),
                Err(error) => other_value(row, place).ok_or(error)?,
            };
            values.push(value);
            texts.push(text);
        }
        Ok(Self { values, text: texts.join("/") })
    }
}

/// The key of a row of a backup as text.
pub(super) fn key_text(table: &DumpTable, row: &DumpRow) -> String {
    let cells = table.key_columns().map(|(place, _)| row.get(place).map(text_of).unwrap_or_default());
    cells.collect::<Vec<_>>().join("/")
}

fn text_of(cell: &Json) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_owned)
}

/// What SQLite has in a column of another type.
fn other_value(row: &QueryResult, place: usize) -> Option<(Value, String)> {
    if let Ok(text) = row.try_get_by_index::<String>(place) {
        return Some((text.clone().into(), text));
    }
    if let Ok(number) = row.try_get_by_index::<i64>(place) {
        return Some((number.into(), number.to_string()));
    }
    if let Ok(number) = row.try_get_by_index::<f64>(place) {
        return Some((number.into(), number.to_string()));
    }
    let bytes = row.try_get_by_index::<Vec<u8>>(place).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some((bytes.into(), text))
}
