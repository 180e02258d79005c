//! Rows of `transcription`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{OrganizationId, TrackId, Transcription};

use crate::column::{foreign_text, moment, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "transcription")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub track_id: Uuid,
    pub organization_id: Uuid,
    pub state: String,
    pub reason: Option<String>,
    pub updated_at: i64,
    pub edited_at: Option<i64>,
    pub job_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Transcription {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            track_id: TrackId::from_uuid(row.track_id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            state: parsed("transcription.state", &row.state)?,
            reason: row.reason,
            updated_at: moment("transcription.updated_at", row.updated_at)?,
        })
    }
}

impl From<&Transcription> for ActiveModel {
    fn from(transcription: &Transcription) -> Self {
        Self {
            track_id: Set(transcription.track_id.uuid()),
            organization_id: Set(transcription.organization_id.uuid()),
            state: Set(transcription.state.as_str().to_owned()),
            reason: Set(transcription.reason.as_deref().map(foreign_text)),
            updated_at: Set(transcription.updated_at.unix_millis()),
            // Only edits by people write this column.
            edited_at: NotSet,
            job_id: Set(None),
        }
    }
}
