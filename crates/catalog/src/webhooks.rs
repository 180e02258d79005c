//! Endpoints that events are sent to: the `webhook` table.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set};
use tonearm_domain::{
    Collection, CollectionId, EndpointHealth, Organization, OrganizationId, Timestamp, Webhook, WebhookId,
    WebhookKind,
};

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::deliveries::is_next_of_record;
use crate::ending::one_to_end;
use crate::entity::webhook::{ActiveModel, Column, Entity};
use crate::entity::{collection, organization, webhook_delivery};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, change, one, readable};
use crate::transaction::Transaction;

/// Deliveries that are deleted in one transaction. Each may have a payload of 64 KiB.
const DELETED_AT_ONCE: u64 = 200;

fn of_kind(organization: OrganizationId, kind: WebhookKind) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::Kind.eq(kind.as_str()))
}

/// Whether a delivery to the endpoint of the row can be claimed.
fn has_due(now: SimpleExpr) -> Condition {
    use webhook_delivery::{Column as Delivery, Entity as Deliveries};
    let due = Query::select()
        .expr(Expr::val(1))
        .from(Deliveries)
        .and_where(Expr::col((Deliveries, Delivery::WebhookId)).equals((Entity, Column::Id)))
        .and_where(Expr::col((Deliveries, Delivery::DueAt)).lte(now))
        .and_where(is_next_of_record())
        .take();
    Condition::all().add(Expr::exists(due))
}

impl Catalog {
    /// The endpoints of an organization.
    pub async fn webhooks(&self, organization: OrganizationId) -> Result<Vec<Webhook>, CatalogError> {
        let own = Entity::find().filter(Column::OrganizationId.eq(organization.uuid()));
        readable(self.reader(), own.order_by_asc(Column::Id)).await
    }

    /// Every endpoint that is not paused and has a delivery that can be claimed.
    pub async fn due_webhooks(&self, now: Timestamp) -> Result<Vec<Webhook>, CatalogError> {
        let now = self.due_clock().now(now);
        let awake = Condition::any()
            .add(Column::PausedUntil.is_null())
            .add(Expr::col((Entity, Column::PausedUntil)).lte(now.clone()));
        let select = Entity::find().filter(awake).filter(has_due(now)).order_by_asc(Column::Id);
        readable(self.reader(), select).await
    }

    /// Deletes the deliveries to an endpoint that is to be removed, in batches, so that others write in between.
    pub async fn delete_deliveries_to(&self, id: WebhookId) -> Result<(), CatalogError> {
        use webhook_delivery::{Column as Delivery, Entity as Deliveries};
        let some = Query::select()
            .column(Delivery::Id)
            .from(Deliveries)
            .and_where(Delivery::WebhookId.eq(id.uuid()))
            .limit(DELETED_AT_ONCE)
            .take();
        loop {
            let tx = self.begin().await?;
            let delete = Deliveries::delete_many().filter(Delivery::Id.in_subquery(some.clone()));
            // The rest is left to the transaction that removes the endpoint, so that it can be run again.
            if delete.exec(tx.db()).await?.rows_affected < DELETED_AT_ONCE {
                return Ok(());
            }
            tx.commit().await?;
        }
    }
}

impl Transaction {
    /// The endpoint of a kind, not locked.
    pub async fn webhook(
        &self,
        organization: OrganizationId,
        kind: WebhookKind,
    ) -> Result<Option<Webhook>, CatalogError> {
        one(self.db(), of_kind(organization, kind)).await
    }

    /// The endpoint of a kind, locked for a change.
    pub async fn webhook_of_kind_to_change(
        &self,
        organization: OrganizationId,
        kind: WebhookKind,
    ) -> Result<Option<Webhook>, CatalogError> {
        one(self.db(), of_kind(organization, kind).lock(TO_CHANGE)).await
    }

    /// One endpoint, locked for a change.
    pub async fn webhook_to_change(&self, id: WebhookId) -> Result<Option<Webhook>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// One endpoint of the organization, locked and to be removed.
    pub async fn webhook_to_end(
        &self,
        organization: OrganizationId,
        id: WebhookId,
    ) -> Result<Option<Webhook>, CatalogError> {
        let own = Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()));
        one_to_end(self.db(), own.lock(TO_CHANGE)).await
    }

    /// The same, for the endpoint of a kind.
    pub async fn webhook_of_kind_to_end(
        &self,
        organization: OrganizationId,
        kind: WebhookKind,
    ) -> Result<Option<Webhook>, CatalogError> {
        one_to_end(self.db(), of_kind(organization, kind).lock(TO_CHANGE)).await
    }

    /// Adds an endpoint, or updates the existing one, and shows its URL on the organization.
    pub async fn put_webhook(&self, webhook: &Webhook) -> Result<(), CatalogError> {
        let (mut row, id) = (ActiveModel::from(webhook), webhook.id.uuid());
        let known = Entity::find_by_id(id).one(self.db()).await?.is_some();
        if known {
            (row.id, row.organization_id) = (sea_orm::NotSet, sea_orm::NotSet);
            (row.kind, row.created_at) = (sea_orm::NotSet, sea_orm::NotSet);
            Entity::update_many().set(row).filter(Column::Id.eq(id)).exec(self.db()).await?;
        } else {
            Entity::insert(row)
                .exec_without_returning(self.db())
                .await
                .map_err(CatalogError::or_taken(Record::Webhook))?;
        }
        self.show_webhook_url(webhook.organization_id, webhook.kind).await
    }

    /// Writes the health of an endpoint.
    pub async fn update_webhook_health(
        &self,
        id: WebhookId,
        health: EndpointHealth,
    ) -> Result<(), CatalogError> {
        let row = ActiveModel {
            failures: Set(i32::try_from(health.failures).unwrap_or(i32::MAX)),
            ..Default::default()
        };
        let paused_until = health.paused_until.map_or(Expr::value(None::<i64>), |at| self.due_clock().at(at));
        Entity::update_many()
            .set(row)
            .col_expr(Column::PausedUntil, paused_until)
            .filter(Column::Id.eq(id.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Removes an endpoint and its deliveries.
    pub async fn delete_webhook(&self, webhook: &Webhook) -> Result<(), CatalogError> {
        Entity::delete_by_id(webhook.id.uuid()).exec(self.db()).await?;
        self.show_webhook_url(webhook.organization_id, webhook.kind).await
    }

    /// Shows the URL of its endpoint of a kind on the organization.
    async fn show_webhook_url(&self, id: OrganizationId, kind: WebhookKind) -> Result<(), CatalogError> {
        let select = of_kind(id, kind).select_only().column(Column::Url);
        let url: Option<String> = select.into_tuple().one(self.db()).await?;
        let mut row = organization::ActiveModel::default();
        match kind {
            WebhookKind::Track => row.webhook_url = Set(url),
            WebhookKind::File => row.webhook_url_file = Set(url),
            WebhookKind::Collection => row.webhook_url_collection = Set(url),
        }
        self.note(Change::Organization(id));
        let update =
            organization::Entity::update_many().set(row).filter(organization::Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Organization).await
    }

    /// An organization, not locked, for callers that only read it.
    pub async fn organization_as_it_is(
        &self,
        id: OrganizationId,
    ) -> Result<Option<Organization>, CatalogError> {
        one(self.db(), organization::Entity::find_by_id(id.uuid())).await
    }

    /// A collection, not locked and even if it is deleted, for callers that only read it.
    pub async fn collection_as_it_is(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<Collection>, CatalogError> {
        let own = collection::Column::OrganizationId.eq(organization.uuid());
        one(self.db(), collection::Entity::find_by_id(id.uuid()).filter(own)).await
    }
}
