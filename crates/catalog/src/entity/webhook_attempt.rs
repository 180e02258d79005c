//! Rows of `webhook_attempt`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{DeliveryAttempt, WebhookDeliveryId};

use super::webhook_delivery::small;
use crate::column::{corrupt, foreign_text, moment};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_attempt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    pub url: String,
    pub started_at: i64,
    pub duration_ms: i32,
    pub status: Option<i32>,
    pub response: String,
    pub error: Option<String>,
    /// Null in rows of earlier versions.
    pub organization_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for DeliveryAttempt {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let status = row.status.map(u16::try_from).transpose();
        Ok(Self {
            delivery_id: WebhookDeliveryId::from_uuid(row.delivery_id),
            number: u32::try_from(row.number).map_err(|_| corrupt("webhook_attempt.number"))?,
            url: row.url,
            started_at: moment("webhook_attempt.started_at", row.started_at)?,
            duration_ms: u32::try_from(row.duration_ms)
                .map_err(|_| corrupt("webhook_attempt.duration_ms"))?,
            status: status.map_err(|_| corrupt("webhook_attempt.status"))?,
            response: row.response,
            error: row.error,
        })
    }
}

impl From<&DeliveryAttempt> for ActiveModel {
    fn from(attempt: &DeliveryAttempt) -> Self {
        Self {
            delivery_id: Set(attempt.delivery_id.uuid()),
            number: Set(small(attempt.number)),
            url: Set(attempt.url.clone()),
            started_at: Set(attempt.started_at.unix_millis()),
            duration_ms: Set(small(attempt.duration_ms)),
            status: Set(attempt.status.map(i32::from)),
            response: Set(foreign_text(&attempt.response)),
            error: Set(attempt.error.as_deref().map(foreign_text)),
            organization_id: NotSet,
        }
    }
}
