//! Records that cannot be read, or only without their metadata.

use sea_orm::sea_query::{Expr, ExprTrait, Value};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Iterable, PrimaryKeyToColumn, QueryFilter,
    QueryOrder, QueryResult, QuerySelect, QueryTrait, Select,
};
use serde::Serialize;
use tonearm_domain::{
    AnsweredJob, ApiKey, AuditRecord, CertificateState, Collection, Creator, DeliveryAttempt, Import,
    ImportBucket, Invitation, Membership, Organization, Person, PersonIdentity, Quotas, Recipe, Rendering,
    Replacement, SecondFactor, SigningKey, Track, TrackFile, Transcription, TranscriptionSettings, UndoEntry,
    Webhook, WebhookDelivery,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::track_file::OfRecipe;
use crate::entity::{
    acme_certificate, answered_job, api_key, audit_entry, collection, creator, import_bucket, invitation,
    job, membership, organization, person, person_identity, quota, rendering, second_factor, signing_key,
    source_import, source_replacement, track, transcription, transcription_settings, undo_entry, variant,
    webhook, webhook_attempt, webhook_delivery,
};
use crate::error::CatalogError;
use crate::files::of_recipes;
use crate::jobs::PendingJob;
use crate::query::ListedRow;

/// Rows that are read at once.
const BATCH: u64 = 500;

/// A record that cannot be read, or only without its metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedRow {
    /// Its table.
    pub table: &'static str,
    /// Its id. If several columns identify a row, their values, separated by slashes.
    pub id: String,
    /// Whether only its metadata cannot be read.
    pub is_metadata: bool,
}

/// What is called with each damaged row.
type Each<'a> = dyn FnMut(DamagedRow) + Send + 'a;

impl Catalog {
    /// Reads all records, also those that were deleted, and calls `each` with the damaged ones. Sessions, sign-ins and
    /// uploads are left out: they end soon, and the ids of some are credentials.
    pub async fn each_damaged_row(
        &self,
        mut each: impl FnMut(DamagedRow) + Send,
    ) -> Result<(), CatalogError> {
        let each: &mut Each<'_> = &mut each;
        let is_damaged = |track: &Track| track.metadata.is_damaged();
        self.damaged_in::<track::Model, _, _>(track::Entity::find(), is_damaged, each).await?;
        let is_damaged = |collection: &Collection| collection.metadata.is_damaged();
        self.damaged_in::<collection::Model, _, _>(collection::Entity::find(), is_damaged, each).await?;
        let is_damaged = |creator: &Creator| creator.metadata.is_damaged();
        self.damaged_in::<creator::Model, _, _>(creator::Entity::find(), is_damaged, each).await?;
        self.damaged_in::<OfRecipe, TrackFile, _>(of_recipes(), |_| false, each).await?;
        self.damaged::<Organization, organization::Entity>(each).await?;
        self.damaged::<Quotas, quota::Entity>(each).await?;
        self.damaged::<Recipe, variant::Entity>(each).await?;
        self.damaged::<Rendering, rendering::Entity>(each).await?;
        self.damaged::<Replacement, source_replacement::Entity>(each).await?;
        self.damaged::<Import, source_import::Entity>(each).await?;
        self.damaged::<ImportBucket, import_bucket::Entity>(each).await?;
        self.damaged::<Transcription, transcription::Entity>(each).await?;
        self.damaged::<TranscriptionSettings, transcription_settings::Entity>(each).await?;
        self.damaged::<ApiKey, api_key::Entity>(each).await?;
        self.damaged::<SigningKey, signing_key::Entity>(each).await?;
        self.damaged::<Webhook, webhook::Entity>(each).await?;
        self.damaged::<WebhookDelivery, webhook_delivery::Entity>(each).await?;
        self.damaged::<DeliveryAttempt, webhook_attempt::Entity>(each).await?;
        self.damaged::<Person, person::Entity>(each).await?;
        self.damaged::<PersonIdentity, person_identity::Entity>(each).await?;
        self.damaged::<SecondFactor, second_factor::Entity>(each).await?;
        self.damaged::<Membership, membership::Entity>(each).await?;
        self.damaged::<Invitation, invitation::Entity>(each).await?;
        self.damaged::<UndoEntry, undo_entry::Entity>(each).await?;
        self.damaged::<AuditRecord, audit_entry::Entity>(each).await?;
        self.damaged::<PendingJob, job::Entity>(each).await?;
        self.damaged::<AnsweredJob, answered_job::Entity>(each).await?;
        self.damaged::<CertificateState, acme_certificate::Entity>(each).await
    }

    async fn damaged<T, E>(&self, each: &mut Each<'_>) -> Result<(), CatalogError>
    where
        E: EntityTrait,
        T: TryFrom<E::Model, Error = CatalogError>,
    {
        self.damaged_in::<E::Model, T, E>(E::find(), |_| false, each).await
    }

    /// `lacks_metadata` tells of a record that can be read whether its metadata cannot.
    async fn damaged_in<M, T, E>(
        &self,
        select: Select<E>,
        lacks_metadata: impl Fn(&T) -> bool + Send,
        each: &mut Each<'_>,
    ) -> Result<(), CatalogError>
    where
        M: FromQueryResult,
        E: EntityTrait,
        T: TryFrom<M, Error = CatalogError>,
    {
        let columns: Vec<E::Column> = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
        let sorted = columns.iter().fold(select, |select, column| select.order_by_asc(*column));
        let own = || Expr::tuple(columns.iter().map(|column| column.into_expr()).collect::<Vec<_>>());
        let mut after: Option<Key> = None;
        loop {
            let beyond =
                after.as_ref().map(|key| own().gt(Expr::tuple(key.values.iter().cloned().map(Expr::value))));
            let select = sorted.clone().apply_if(beyond, |select, beyond| select.filter(beyond)).limit(BATCH);
            let rows = self.reader().query_all(&select.into_query()).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(key_of(last, &columns)?);
            for row in &rows {
                let is_metadata = match ListedRow::<M>::of::<E>(row).readable(T::try_from) {
                    Some(record) if !lacks_metadata(&record) => continue,
                    record => record.is_some(),
                };
                let id = key_of(row, &columns)?.text;
                each(DamagedRow { table: E::default().table_name(), id, is_metadata });
            }
        }
    }
}

/// What identifies a row.
pub(crate) struct Key {
    pub(crate) values: Vec<Value>,
    text: String,
}

pub(crate) fn key_of(row: &QueryResult, columns: &[impl ColumnTrait]) -> Result<Key, CatalogError> {
    let mut key = Key { values: Vec::new(), text: String::new() };
    for column in columns {
        let name = column.as_str();
        let (value, text): (Value, String) = if let Ok(text) = row.try_get::<String>("", name) {
            (text.clone().into(), text)
        } else if let Ok(number) = row.try_get::<i32>("", name) {
            (number.into(), number.to_string())
        } else {
            let id: Uuid = row.try_get("", name)?;
            (id.into(), id.to_string())
        };
        if !key.text.is_empty() {
            key.text.push('/');
        }
        key.text.push_str(&text);
        key.values.push(value);
    }
    Ok(key)
}
