//! Rows of `webhook_delivery`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{EventPlace, OrganizationId, WebhookDelivery, WebhookDeliveryId, WebhookId};

use crate::column::{corrupt, moment, moment_if_set, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub webhook_id: Uuid,
    pub organization_id: Uuid,
    pub event: String,
    pub subject_id: Uuid,
    pub payload: String,
    pub state: String,
    pub attempts: i32,
    pub failures: i32,
    pub due_at: Option<i64>,
    pub lease_id: Option<Uuid>,
    pub created_at: i64,
    pub queued_at: i64,
    pub finished_at: Option<i64>,
    pub traceparent: Option<String>,
    pub record_id: Option<Uuid>,
    pub version: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for WebhookDelivery {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let count = |column, count: i32| u32::try_from(count).map_err(|_| corrupt(column));
        Ok(Self {
            id: WebhookDeliveryId::from_uuid(row.id),
            webhook_id: WebhookId::from_uuid(row.webhook_id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            event: parsed("webhook_delivery.event", &row.event)?,
            subject_id: row.subject_id,
            place: row
                .record_id
                .zip(row.version)
                .map(|(record_id, version)| EventPlace { record_id, version }),
            payload: row.payload,
            state: parsed("webhook_delivery.state", &row.state)?,
            attempts: count("webhook_delivery.attempts", row.attempts)?,
            failures: count("webhook_delivery.failures", row.failures)?,
            due_at: moment_if_set("webhook_delivery.due_at", row.due_at)?,
            created_at: moment("webhook_delivery.created_at", row.created_at)?,
            queued_at: moment("webhook_delivery.queued_at", row.queued_at)?,
            finished_at: moment_if_set("webhook_delivery.finished_at", row.finished_at)?,
        })
    }
}

pub(crate) fn small(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

impl From<&WebhookDelivery> for ActiveModel {
    fn from(delivery: &WebhookDelivery) -> Self {
        Self {
            id: Set(delivery.id.uuid()),
            webhook_id: Set(delivery.webhook_id.uuid()),
            organization_id: Set(delivery.organization_id.uuid()),
            event: Set(delivery.event.as_str().to_owned()),
            subject_id: Set(delivery.subject_id),
            payload: Set(delivery.payload.clone()),
            state: Set(delivery.state.as_str().to_owned()),
            attempts: Set(small(delivery.attempts)),
            failures: Set(small(delivery.failures)),
            due_at: Set(delivery.due_at.map(|at| at.unix_millis())),
            lease_id: Set(None),
            created_at: Set(delivery.created_at.unix_millis()),
            queued_at: Set(delivery.queued_at.unix_millis()),
            finished_at: Set(delivery.finished_at.map(|at| at.unix_millis())),
            traceparent: Set(None),
            record_id: Set(delivery.place.map(|place| place.record_id)),
            version: Set(delivery.place.map(|place| place.version)),
        }
    }
}
