//! Rows of `quota`. An organization without limits has no row.

use sea_orm::entity::prelude::*;
use tonearm_domain::Quotas;

use crate::column::size;
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "quota")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub bytes: Option<i64>,
    pub tracks: Option<i64>,
    pub minutes: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Quotas {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let limit = |column, value: Option<i64>| value.map(|value| size(column, value)).transpose();
        Ok(Self {
            bytes: limit("quota.bytes", row.bytes)?,
            tracks: limit("quota.tracks", row.tracks)?,
            minutes: limit("quota.minutes", row.minutes)?,
        })
    }
}
