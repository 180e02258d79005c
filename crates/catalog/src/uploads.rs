//! Resumable uploads. A writer holds a lease on the row of its upload.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select, UpdateMany,
};
use tonearm_domain::{
    ApiKeyId, LeaseId, OrganizationId, PersonId, ReplacementState, SourceSlot, Timestamp, TrackStatus,
    Upload, UploadId, UploadKind,
};

use crate::catalog::Catalog;
use crate::due_clock::DueClock;
use crate::entity::upload::{ActiveModel, Column, Entity};
use crate::entity::{source_replacement, track, upload_session};
use crate::error::{CatalogError, Record};
use crate::imports::in_sessions;
use crate::query::{TO_CHANGE, first_readable, one};
use crate::transaction::Transaction;

/// Whether an upload could be leased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadLease {
    /// It is leased now.
    Held,
    /// Another writer holds it, and is asked to release it.
    Taken,
}

/// The state of a lease on an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadHold {
    /// It is held.
    Held,
    /// It is held, but another writer waits for it.
    Wanted,
    /// Another writer has it, or the upload is deleted.
    Lost,
}

impl Catalog {
    /// One upload, even if it has expired.
    pub async fn upload(&self, id: UploadId) -> Result<Option<Upload>, CatalogError> {
        one(self.reader(), Entity::find_by_id(id.uuid())).await
    }

    /// The latest upload to an upload URL, even if it has expired.
    pub async fn upload_to_url(&self, slot: SourceSlot) -> Result<Option<Upload>, CatalogError> {
        let select = to_url(slot).order_by(Column::CreatedAt, Order::Desc).limit(1);
        one(self.reader(), select).await
    }

    /// Takes the lease of an upload until a moment, if it is free.
    pub async fn lease_upload(
        &self,
        id: UploadId,
        lease: LeaseId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<UploadLease, CatalogError> {
        let clock = self.due_clock();
        let leased = Entity::update_many()
            .col_expr(Column::LeaseId, Expr::value(lease.uuid()))
            .col_expr(Column::LeasedUntil, clock.at(until))
            .col_expr(Column::IsWanted, Expr::value(false))
            .filter(Column::Id.eq(id.uuid()))
            .filter(is_free(clock, now))
            .exec(self.writer())
            .await?;
        if leased.rows_affected > 0 {
            return Ok(UploadLease::Held);
        }
        let ask = Entity::update_many().col_expr(Column::IsWanted, Expr::value(true));
        ask.filter(Column::Id.eq(id.uuid())).exec(self.writer()).await?;
        Ok(UploadLease::Taken)
    }

    /// Extends the lease of an upload to a later moment.
    pub async fn renew_upload_lease(
        &self,
        id: UploadId,
        lease: LeaseId,
        until: Timestamp,
    ) -> Result<UploadHold, CatalogError> {
        let renew = Entity::update_many().col_expr(Column::LeasedUntil, self.due_clock().at(until));
        if held_by(renew, id, lease).exec(self.writer()).await?.rows_affected == 0 {
            return Ok(UploadHold::Lost);
        }
        self.upload_hold(id, lease).await
    }

    /// The state of the lease of an upload.
    pub async fn upload_hold(&self, id: UploadId, lease: LeaseId) -> Result<UploadHold, CatalogError> {
        let select = Entity::find_by_id(id.uuid()).select_only().column(Column::IsWanted);
        let is_wanted: Option<bool> =
            select.filter(Column::LeaseId.eq(lease.uuid())).into_tuple().one(self.writer()).await?;
        Ok(match is_wanted {
            Some(false) => UploadHold::Held,
            Some(true) => UploadHold::Wanted,
            None => UploadHold::Lost,
        })
    }

    /// Releases the lease of an upload, if it is still held.
    pub async fn release_upload(&self, id: UploadId, lease: LeaseId) -> Result<(), CatalogError> {
        let release = Entity::update_many()
            .col_expr(Column::LeaseId, Expr::value(None::<uuid::Uuid>))
            .col_expr(Column::LeasedUntil, Expr::value(None::<i64>))
            .col_expr(Column::IsWanted, Expr::value(false));
        held_by(release, id, lease).exec(self.writer()).await?;
        Ok(())
    }

    /// Uploads that have expired at `now` and that no writer holds, the first expired first.
    pub async fn expired_uploads(&self, now: Timestamp, most: u64) -> Result<Vec<Upload>, CatalogError> {
        let select =
            Entity::find().filter(expired(self.due_clock(), now)).order_by(Column::ExpiresAt, Order::Asc);
        first_readable(self.reader(), select, most).await
    }
}

/// Uploads that have expired at `now` and that no writer holds.
fn expired(clock: &DueClock, now: Timestamp) -> Condition {
    Condition::all().add(Column::ExpiresAt.lte(now.unix_millis())).add(is_free(clock, now))
}

/// No writer has the lease at `now`.
fn is_free(clock: &DueClock, now: Timestamp) -> SimpleExpr {
    Column::LeaseId.is_null().or(Column::LeasedUntil.into_expr().lte(clock.now(now)))
}

/// The uploads to an upload URL.
fn to_url(slot: SourceSlot) -> Select<Entity> {
    let of_slot = match slot.replacement_id {
        Some(id) => Column::ReplacementId.eq(id.uuid()),
        None => Column::ReplacementId.is_null(),
    };
    Entity::find()
        .filter(Column::TrackId.eq(slot.track_id.uuid()))
        .filter(Column::OrganizationId.eq(slot.organization_id.uuid()))
        .filter(of_slot)
        .filter(Column::Kind.eq(UploadKind::Url.as_str()))
}

fn held_by(update: UpdateMany<Entity>, id: UploadId, lease: LeaseId) -> UpdateMany<Entity> {
    update.filter(Column::Id.eq(id.uuid())).filter(Column::LeaseId.eq(lease.uuid()))
}

impl Transaction {
    /// One upload, locked for a change.
    pub async fn upload(&self, id: UploadId) -> Result<Option<Upload>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Adds an upload.
    pub async fn insert_upload(&self, upload: &Upload) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::from(upload))
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Upload))?;
        Ok(())
    }

    /// Writes the progress of an upload, its expiry and the end of its lease. Returns `false` if the lease is lost, in
    /// which case nothing was written.
    pub async fn record_upload(
        &self,
        upload: &Upload,
        lease: LeaseId,
        until: Timestamp,
    ) -> Result<bool, CatalogError> {
        let row = ActiveModel::from(upload);
        let record = Entity::update_many()
            .set(ActiveModel {
                is_complete: row.is_complete,
                length: row.length,
                offset: row.offset,
                draft: row.draft,
                object_key: row.object_key,
                expires_at: row.expires_at,
                ..Default::default()
            })
            .col_expr(Column::LeasedUntil, self.due_clock().at(until));
        let recorded = held_by(record, upload.id, lease).exec(self.db()).await?;
        Ok(recorded.rows_affected > 0)
    }

    /// An upload to an upload URL that waits for bytes and has not expired at `now`. The result is only reliable while
    /// the track is locked: beginning an upload to the URL locks it.
    pub async fn open_upload_to_url(
        &self,
        slot: SourceSlot,
        now: Timestamp,
    ) -> Result<Option<Upload>, CatalogError> {
        let select = to_url(slot)
            .filter(Column::IsComplete.eq(false))
            .filter(Column::ExpiresAt.gt(now.unix_millis()))
            .order_by(Column::CreatedAt, Order::Desc)
            .limit(1);
        one(self.db(), select).await
    }

    /// Makes an upload expire at a moment.
    pub async fn expire_upload(&self, id: UploadId, at: Timestamp) -> Result<(), CatalogError> {
        Entity::update_many()
            .col_expr(Column::ExpiresAt, Expr::value(at.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Ends the uploads and imports that depend on the right of a key.
    pub(crate) async fn end_uploads_of_key(
        &self,
        organization: OrganizationId,
        key: ApiKeyId,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let of_key = Condition::all()
            .add(Column::OrganizationId.eq(organization.uuid()))
            .add(Column::ApiKeyId.eq(key.uuid()));
        self.end_uploads(of_key, now).await?;
        let made = track::Column::ApiKeyId.eq(key.uuid());
        let tracks = Condition::all()
            .add(track::Column::OrganizationId.eq(organization.uuid()))
            .add(made.or(in_sessions(upload_session::Column::ApiKeyId.eq(key.uuid()))));
        let replacements = Condition::all()
            .add(source_replacement::Column::OrganizationId.eq(organization.uuid()))
            .add(source_replacement::Column::ApiKeyId.eq(key.uuid()));
        self.end_upload_urls(tracks, replacements).await?;
        self.end_imports_of_key(organization, key).await
    }

    /// Ends the uploads, upload URLs and imports that depend on the right of a person; with an organization, only there.
    pub(crate) async fn end_uploads_of_person(
        &self,
        person: PersonId,
        organization: Option<OrganizationId>,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let there = organization.map(|organization| Column::OrganizationId.eq(organization.uuid()));
        let of_person = Condition::all().add_option(there).add(Column::PersonId.eq(person.uuid()));
        self.end_uploads(of_person, now).await?;
        let sessions = || upload_session::Column::PersonId.eq(person.uuid());
        let uploaded_to = Query::select()
            .column(upload_session::Column::OrganizationId)
            .from(upload_session::Entity)
            .and_where(sessions())
            .take();
        let there = organization.map(|organization| track::Column::OrganizationId.eq(organization.uuid()));
        let tracks = Condition::all()
            .add(there.unwrap_or_else(|| track::Column::OrganizationId.in_subquery(uploaded_to)))
            .add(in_sessions(sessions()));
        let there = organization
            .map(|organization| source_replacement::Column::OrganizationId.eq(organization.uuid()));
        let replacements =
            Condition::all().add_option(there).add(source_replacement::Column::PersonId.eq(person.uuid()));
        self.end_upload_urls(tracks, replacements).await?;
        self.end_imports_of_person(organization, person).await
    }

    /// Ends the upload URLs of those of these tracks and replacements that wait for their bytes. As long as they wait, they
    /// count as expired when they were made, and no other right opens them again.
    async fn end_upload_urls(&self, tracks: Condition, replacements: Condition) -> Result<(), CatalogError> {
        use source_replacement::Column as Replacement;
        use track::Column as Track;
        let waiting = [TrackStatus::Initialized, TrackStatus::InitError].map(TrackStatus::as_str);
        track::Entity::update_many()
            .col_expr(Track::UploadExpiresAt, Expr::col(Track::CreatedAt))
            .filter(tracks)
            .filter(Track::TrackStatusId.is_in(waiting))
            .filter(Track::SourceKey.is_null())
            .exec(self.db())
            .await?;
        source_replacement::Entity::update_many()
            .col_expr(Replacement::ExpiresAt, Expr::col(Replacement::CreatedAt))
            .filter(replacements)
            .filter(Replacement::State.eq(ReplacementState::Waiting.as_str()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Whoever writes to one of them loses its lease, and records nothing more. Uploads that became a source stay as they
    /// are.
    async fn end_uploads(&self, which: Condition, now: Timestamp) -> Result<(), CatalogError> {
        let is_part = Column::Kind.eq(UploadKind::Partial.as_str());
        Entity::update_many()
            .col_expr(Column::ExpiresAt, Expr::value(now.unix_millis()))
            .col_expr(Column::LeaseId, Expr::value(None::<uuid::Uuid>))
            .col_expr(Column::LeasedUntil, Expr::value(None::<i64>))
            .filter(which)
            .filter(Column::IsComplete.eq(false).or(is_part))
            .filter(Column::ExpiresAt.gt(now.unix_millis()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Deletes an upload under its lease, and returns it as it was. `None` if the lease is lost: nothing is deleted, and
    /// the bytes belong to somebody else.
    pub async fn delete_held_upload(
        &self,
        id: UploadId,
        lease: LeaseId,
    ) -> Result<Option<Upload>, CatalogError> {
        self.delete_upload_if(id, Column::LeaseId.eq(lease.uuid()).into()).await
    }

    /// The same for an upload that has expired at `now` and that no writer holds. `None` if it was continued.
    pub async fn delete_expired_upload(
        &self,
        id: UploadId,
        now: Timestamp,
    ) -> Result<Option<Upload>, CatalogError> {
        self.delete_upload_if(id, expired(self.due_clock(), now)).await
    }

    async fn delete_upload_if(
        &self,
        id: UploadId,
        condition: Condition,
    ) -> Result<Option<Upload>, CatalogError> {
        let found = one(self.db(), Entity::find_by_id(id.uuid()).filter(condition).lock(TO_CHANGE)).await?;
        if found.is_some() {
            Entity::delete_by_id(id.uuid()).exec(self.db()).await?;
        }
        Ok(found)
    }
}
