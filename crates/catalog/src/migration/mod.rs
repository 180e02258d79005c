//! How the tables came to be, step by step. A step that was released is never changed.

mod m0001_initial;

use std::collections::HashSet;

use sea_orm::DatabaseTransaction;
use sea_orm_migration::{MigrationTrait, MigratorTrait, async_trait};

use crate::CatalogError;

struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_initial::Migration)]
    }
}

/// Applies what has not been applied yet. The caller sees to it that nobody else does the same now.
pub(crate) async fn run(transaction: &DatabaseTransaction) -> Result<(), CatalogError> {
    let known: HashSet<String> = Migrator::migrations().iter().map(|step| step.name().to_owned()).collect();
    let applied = Migrator::get_migration_models(transaction).await?;
    if applied.iter().any(|step| !known.contains(&step.version)) {
        let sentence =
            "the database has been changed by a newer version of Tonearm, which this one cannot read";
        return Err(CatalogError::Corrupt(sentence.to_owned()));
    }
    Ok(Migrator::up(transaction, None).await?)
}
