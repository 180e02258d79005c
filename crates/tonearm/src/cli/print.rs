//! Printing results: a line of JSON for programs, words for people.

use serde_json::Value;

/// Prints one JSON value on one line.
pub(super) fn json(value: &Value) {
    println!("{value}");
}

/// Prints rows as columns that line up, under their names.
pub(super) fn table<const N: usize>(names: [&str; N], rows: &[[String; N]]) {
    let mut widths = names.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: [&str; N]| {
        let padded: Vec<String> =
            cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        println!("{}", padded.join("  ").trim_end());
    };
    line(names);
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
}
