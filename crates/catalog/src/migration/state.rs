//! Reads which steps were applied to a database, without changing anything.

use std::collections::{BTreeSet, HashMap};

use sea_orm::sea_query::Query;
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement};

use super::MOVED;
use super::first::{self, FirstStep, first_steps};
use super::record::{self, Record};
use super::step::Step;
use crate::error::{CatalogError, SchemaError};

/// The version of this build.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The state of a database, compared with what this version needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// No step was applied.
    Empty,
    /// These steps are missing, in the order in which they are to be applied.
    Behind(Vec<String>),
    /// All steps that this version needs were applied.
    Current,
}

/// The steps that were applied.
pub(super) struct Applied {
    first: Vec<String>,
    records: HashMap<String, Record>,
}

/// Compares a database with what this version needs. Fails if a newer version changed the tables so that this one
/// cannot use them.
pub(crate) async fn look(db: &DatabaseConnection) -> Result<Tables, CatalogError> {
    look_for(db, &super::steps(), VERSION).await
}

/// The names of the steps that were applied completely, sorted.
pub(crate) async fn applied_steps(db: &DatabaseTransaction) -> Result<Vec<String>, CatalogError> {
    let applied = Applied::read_in(db).await?;
    let own = applied.records.into_values().filter(|record| record.applied_at.is_some());
    let names: BTreeSet<String> = applied.first.into_iter().chain(own.map(|record| record.name)).collect();
    Ok(names.into_iter().collect())
}

pub(super) async fn look_for(
    db: &DatabaseConnection,
    steps: &[Step],
    version: &str,
) -> Result<Tables, CatalogError> {
    let applied = Applied::read(db).await?;
    match applied.compare(steps, version)? {
        // Both tables are filled in one transaction, which may have been committed between the two reads.
        Tables::Behind(_) => Applied::read(db).await?.compare(steps, version),
        found => Ok(found),
    }
}

impl Applied {
    pub(super) async fn read_in(db: &DatabaseTransaction) -> Result<Self, DbErr> {
        Self::read(db).await
    }

    async fn read(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let mut first = Vec::new();
        if has_table(db, first::TABLE).await? {
            let select = Query::select().column("version").from(first::TABLE).take();
            let rows = db.query_all(&select).await?;
            first = rows.iter().map(|row| row.try_get("", "version")).collect::<Result<_, _>>()?;
        }
        let mut records = HashMap::new();
        if has_table(db, record::TABLE).await? {
            records =
                record::all(db).await?.into_iter().map(|record| (record.name.clone(), record)).collect();
        }
        Ok(Self { first, records })
    }

    pub(super) fn compare(&self, steps: &[Step], version: &str) -> Result<Tables, CatalogError> {
        if self.first.is_empty() && self.records.is_empty() {
            return Ok(Tables::Empty);
        }
        let known = first_steps();
        let is_first = |name: &str| known.iter().any(|step| step.name == name) || MOVED.contains(&name);
        if self.first.iter().any(|name| !is_first(name) && !self.records.contains_key(name)) {
            return Err(SchemaError::Newer { oldest: None }.into());
        }
        let unknown =
            self.records.values().filter(|record| steps.iter().all(|step| step.name != record.name));
        for oldest in unknown.filter_map(|record| record.oldest_version.clone()) {
            if !is_at_least(version, &oldest) {
                return Err(SchemaError::Newer { oldest: Some(oldest) }.into());
            }
        }
        let first = self.missing_first().into_iter().map(|step| step.name.to_owned());
        let own = steps.iter().filter(|step| !self.is_applied(step)).map(|step| step.name.to_owned());
        let missing: Vec<String> = first.chain(own).collect();
        Ok(if missing.is_empty() { Tables::Current } else { Tables::Behind(missing) })
    }

    /// The first steps that are missing.
    pub(super) fn missing_first(&self) -> Vec<FirstStep> {
        first_steps().into_iter().filter(|step| self.first.iter().all(|name| name != step.name)).collect()
    }

    pub(super) fn is_applied(&self, step: &Step) -> bool {
        self.records.get(step.name).is_some_and(|record| record.applied_at.is_some())
    }

    /// How many parts of a step are done, and where the next batch of the running part begins.
    pub(super) fn progress(&self, step: &Step) -> (usize, Option<String>) {
        self.records.get(step.name).map_or((0, None), |record| {
            (usize::try_from(record.parts_done).unwrap_or(0), record.position.clone())
        })
    }
}

/// Whether a table exists; on PostgreSQL, in the schema in which new tables are created.
pub(crate) async fn has_table(db: &impl ConnectionTrait, name: &str) -> Result<bool, DbErr> {
    let backend = db.get_database_backend();
    let select = match backend {
        DbBackend::Postgres => {
            "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
        }
        _ => "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
    };
    let select = Statement::from_sql_and_values(backend, select, [name.into()]);
    Ok(db.query_one_raw(select).await?.is_some())
}

/// Whether a version is `oldest` or newer. False if either cannot be parsed.
fn is_at_least(version: &str, oldest: &str) -> bool {
    let parts = |text: &str| -> Option<Vec<u64>> {
        let release = text.split(['-', '+']).next().unwrap_or_default();
        release.split('.').map(|part| part.parse().ok()).collect()
    };
    match (parts(version), parts(oldest)) {
        (Some(version), Some(oldest)) => version >= oldest,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, oldest, expected) in [
            ("1.10.0", "1.9.9", true),
            ("1.9.9", "1.10.0", false),
            ("0.1.0", "0.1.0", true),
            ("2.0.0-beta.1", "2.0.0", true),
            ("1.0.0", "of another time", false),
        ] {
            assert_eq!(is_at_least(version, oldest), expected, "{version} {oldest}");
        }
    }
}
