//! Metadata in SQL: entities, migrations, named queries, transactions and the jobs table.
