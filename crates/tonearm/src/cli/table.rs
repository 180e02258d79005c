//! Lists: a line of JSON for each item for programs, columns for people.

use serde_json::Value;

use super::print;

/// The columns of a list.
pub(super) struct Table<const N: usize> {
    /// The names of the columns. An empty column has an empty name.
    pub(super) columns: [&'static str; N],
    /// The sentence for a list without items.
    pub(super) empty: &'static str,
}

impl<const N: usize> Table<N> {
    /// Prints each item as a line of JSON or as a row.
    pub(super) fn list<T>(
        &self,
        items: &[T],
        as_json: bool,
        json: impl Fn(&T) -> Value,
        row: impl Fn(&T) -> [String; N],
    ) {
        match as_json {
            true => items.iter().for_each(|item| print::json(&json(item))),
            false => self.print(&items.iter().map(row).collect::<Vec<_>>()),
        }
    }

    /// Prints rows as aligned columns, under their names.
    pub(super) fn print(&self, rows: &[[String; N]]) {
        if rows.is_empty() {
            return print::outln!("{}", self.empty);
        }
        for line in self.lines(rows) {
            print::outln!("{line}");
        }
    }

    fn lines(&self, rows: &[[String; N]]) -> Vec<String> {
        let mut widths = self.columns.map(str::len);
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let line = |cells: [&str; N]| {
            let padded: Vec<String> =
                cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            padded.join("  ").trim_end().to_owned()
        };
        let body = rows.iter().map(|row| line(std::array::from_fn(|column| row[column].as_str())));
        [line(self.columns)].into_iter().chain(body).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let table = Table { columns: ["KEY", "TITLE"], empty: "There are no keys." };
        let rows = [["a", "Ä long title"], ["longer", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(table.lines(&rows), ["KEY     TITLE", "a       Ä long title", "longer"]);
    }
}
