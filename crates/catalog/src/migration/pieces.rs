//! Helpers for steps.

use super::prelude::*;

/// Adds one column, because SQLite adds one column at a time.
pub(super) async fn add(
    db: &DatabaseTransaction,
    table: &'static str,
    column: ColumnDef,
) -> Result<(), DbErr> {
    db.execute(&Table::alter().table(table).add_column(column).take()).await.map(drop)
}

/// An index that is named after its table and columns.
pub(super) fn index(table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(format!("{table}_by_{}", columns.join("_"))).table(table);
    for column in columns {
        index.col(*column);
    }
    index
}
