//! Rows of `rendering`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{OrganizationId, Rendering, TrackId, VariantId};

use crate::column::{byte_count, moment, moment_if_set, size};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "rendering")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub variant_id: Uuid,
    pub organization_id: Uuid,
    pub total: i64,
    pub done: i64,
    pub failed: i64,
    pub cursor: Option<Uuid>,
    pub started_at: i64,
    pub finished_at: Option<i64>,
    pub looked_at: i64,
    pub is_at_end: bool,
    pub looked_at_run: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Rendering {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        // An earlier version, which may run at the same time, does not know these columns. They then describe the
        // previous rendering. That version processes the tracks that it examines itself, so `done` counts them.
        let is_known = row.looked_at_run == Some(row.started_at);
        let examined = if is_known { row.looked_at } else { row.done };
        Ok(Self {
            organization_id: OrganizationId::from_uuid(row.organization_id),
            variant_id: VariantId::from_uuid(row.variant_id),
            total: size("rendering.total", row.total)?,
            done: size("rendering.done", row.done)?,
            failed: size("rendering.failed", row.failed)?,
            examined: size("rendering.looked_at", examined)?,
            is_at_end: is_known && row.is_at_end,
            cursor: row.cursor.map(TrackId::from_uuid),
            started_at: moment("rendering.started_at", row.started_at)?,
            finished_at: moment_if_set("rendering.finished_at", row.finished_at)?,
        })
    }
}

impl From<&Rendering> for ActiveModel {
    fn from(rendering: &Rendering) -> Self {
        Self {
            variant_id: Set(rendering.variant_id.uuid()),
            organization_id: Set(rendering.organization_id.uuid()),
            total: Set(byte_count(rendering.total)),
            done: Set(byte_count(rendering.done)),
            failed: Set(byte_count(rendering.failed)),
            cursor: Set(rendering.cursor.map(TrackId::uuid)),
            started_at: Set(rendering.started_at.unix_millis()),
            finished_at: Set(rendering.finished_at.map(|moment| moment.unix_millis())),
            looked_at: Set(byte_count(rendering.examined)),
            is_at_end: Set(rendering.is_at_end),
            looked_at_run: Set(Some(rendering.started_at.unix_millis())),
        }
    }
}
