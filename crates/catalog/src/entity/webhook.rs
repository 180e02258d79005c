//! Rows of `webhook`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{ApiKeyId, EndpointHealth, OrganizationId, Webhook, WebhookId};

use crate::column::{corrupt, moment, moment_if_set, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub kind: String,
    pub url: String,
    pub secret: Vec<u8>,
    pub old_secret: Option<Vec<u8>>,
    pub rotated_at: Option<i64>,
    pub failures: i32,
    pub paused_until: Option<i64>,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub made_by_key: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Webhook {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: WebhookId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            kind: parsed("webhook.kind", &row.kind)?,
            url: row.url,
            secret: row.secret,
            old_secrets: row.old_secret,
            rotated_at: moment_if_set("webhook.rotated_at", row.rotated_at)?,
            health: EndpointHealth {
                failures: u32::try_from(row.failures).map_err(|_| corrupt("webhook.failures"))?,
                paused_until: moment_if_set("webhook.paused_until", row.paused_until)?,
            },
            created_at: moment("webhook.created_at", row.created_at)?,
            expires_at: moment_if_set("webhook.expires_at", row.expires_at)?,
            made_by: row.made_by_key.map(ApiKeyId::from_uuid),
        })
    }
}

impl From<&Webhook> for ActiveModel {
    fn from(webhook: &Webhook) -> Self {
        Self {
            id: Set(webhook.id.uuid()),
            organization_id: Set(webhook.organization_id.uuid()),
            kind: Set(webhook.kind.as_str().to_owned()),
            url: Set(webhook.url.clone()),
            secret: Set(webhook.secret.clone()),
            old_secret: Set(webhook.old_secrets.clone()),
            rotated_at: Set(webhook.rotated_at.map(|at| at.unix_millis())),
            failures: Set(i32::try_from(webhook.health.failures).unwrap_or(i32::MAX)),
            paused_until: Set(webhook.health.paused_until.map(|at| at.unix_millis())),
            created_at: Set(webhook.created_at.unix_millis()),
            expires_at: Set(webhook.expires_at.map(|at| at.unix_millis())),
            made_by_key: Set(webhook.made_by.map(ApiKeyId::uuid)),
        }
    }
}
