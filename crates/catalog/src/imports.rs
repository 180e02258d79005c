//! Sources that are fetched from a URL: the `source_import` table.

use std::collections::HashMap;
use std::time::Duration;

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};
use tonearm_domain::{ApiKeyId, Import, OrganizationId, PersonId, TrackId, UploadSessionId};

use crate::catalog::Catalog;
use crate::column::byte_count;
use crate::entity::source_import::{ActiveModel, Column, Entity, spent_millis};
use crate::entity::{track, upload_session};
use crate::error::CatalogError;
use crate::living::names_living_track;
use crate::query::{one, readable};
use crate::transaction::Transaction;

/// The maximum number of imports listed at once.
const MOST: u64 = 200;

impl Catalog {
    /// The pending import of a track, even if the track is deleted.
    pub async fn import(&self, track: TrackId) -> Result<Option<Import>, CatalogError> {
        one(self.reader(), Entity::find_by_id(track.uuid())).await
    }

    /// Like [`Catalog::import`] for several tracks, by track.
    pub async fn imports_of_tracks(
        &self,
        tracks: &[TrackId],
    ) -> Result<HashMap<TrackId, Import>, CatalogError> {
        if tracks.is_empty() {
            return Ok(HashMap::new());
        }
        let ids = tracks.iter().map(|id| id.uuid());
        let found: Vec<Import> =
            readable(self.reader(), Entity::find().filter(Column::TrackId.is_in(ids))).await?;
        Ok(found.into_iter().map(|import| (import.track_id, import)).collect())
    }

    /// The organization's waiting and running imports, oldest first, at most 200. With `among`, only those of these
    /// tracks.
    pub async fn imports(
        &self,
        organization: OrganizationId,
        among: Option<&[TrackId]>,
    ) -> Result<Vec<Import>, CatalogError> {
        let among = among.map(|ids| Column::TrackId.is_in(ids.iter().map(|id| id.uuid())));
        let select = Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Condition::all().add_option(among))
            .filter(names_living_track(Expr::col((Entity, Column::TrackId))))
            .order_by_asc(Column::TrackId)
            .limit(MOST);
        readable(self.reader(), select).await
    }

    /// Whether a track exists, is not deleted and is still to be imported, on a right that has not ended.
    pub async fn import_is_wanted(&self, track: TrackId) -> Result<bool, CatalogError> {
        let select = Entity::find_by_id(track.uuid())
            .filter(Column::Url.ne(Vec::<u8>::new()))
            .filter(names_living_track(Expr::col((Entity, Column::TrackId))));
        Ok(select.count(self.reader()).await? > 0)
    }

    /// Records how much of a source has arrived, and how long it has been fetched in all runs. Runs in a statement of its own, since it is called often and a lost
    /// update does no harm.
    pub async fn note_import_progress(
        &self,
        track: TrackId,
        received: u64,
        size: Option<u64>,
        spent: Duration,
    ) -> Result<(), CatalogError> {
        let row = ActiveModel {
            spent_millis: Set(spent_millis(spent)),
            received: Set(byte_count(received)),
            size: Set(size.map(byte_count)),
            ..Default::default()
        };
        Entity::update_many().set(row).filter(Column::TrackId.eq(track.uuid())).exec(self.writer()).await?;
        Ok(())
    }
}

impl Transaction {
    /// Adds the import of a track.
    pub async fn insert_import(&self, import: &Import) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::from(import)).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// The pending import of a track.
    pub async fn import(&self, track: TrackId) -> Result<Option<Import>, CatalogError> {
        one(self.db(), Entity::find_by_id(track.uuid())).await
    }

    /// Deletes the import of a track, once its source has arrived or cannot be fetched. Returns whether there was one.
    pub async fn delete_import(&self, track: TrackId) -> Result<bool, CatalogError> {
        Ok(Entity::delete_by_id(track.uuid()).exec(self.db()).await?.rows_affected > 0)
    }

    /// Ends the imports of a key's tracks, and of the tracks in its upload sessions.
    pub(crate) async fn end_imports_of_key(
        &self,
        organization: OrganizationId,
        key: ApiKeyId,
    ) -> Result<(), CatalogError> {
        let own = Expr::col((track::Entity, track::Column::ApiKeyId)).eq(key.uuid());
        let sessions = upload_session::Column::ApiKeyId.eq(key.uuid());
        self.end_imports(Some(organization), of_tracks(own.or(in_sessions(sessions)))).await
    }

    /// Ends the imports that a person requested, and those of the tracks in the person's upload sessions; with an
    /// organization, only there.
    pub(crate) async fn end_imports_of_person(
        &self,
        organization: Option<OrganizationId>,
        person: PersonId,
    ) -> Result<(), CatalogError> {
        let sessions = upload_session::Column::PersonId.eq(person.uuid());
        let own = Column::PersonId.eq(person.uuid());
        self.end_imports(organization, own.or(of_tracks(in_sessions(sessions)))).await
    }

    /// Ends the imports of the tracks in an upload session.
    pub(crate) async fn end_imports_of_session(
        &self,
        organization: OrganizationId,
        session: UploadSessionId,
    ) -> Result<(), CatalogError> {
        let own = Expr::col((track::Entity, track::Column::UploadSessionId)).eq(session.uuid());
        self.end_imports(Some(organization), of_tracks(own)).await
    }

    /// Forgets the URLs of imports. Their jobs then record that they have ended.
    async fn end_imports(
        &self,
        organization: Option<OrganizationId>,
        which: SimpleExpr,
    ) -> Result<(), CatalogError> {
        let there = organization.map(|organization| Column::OrganizationId.eq(organization.uuid()));
        Entity::update_many()
            .col_expr(Column::Url, Expr::value(Vec::<u8>::new()))
            .filter(Condition::all().add_option(there).add(which))
            .exec(self.db())
            .await?;
        Ok(())
    }
}

/// The track of an import is one of these.
fn of_tracks(which: SimpleExpr) -> SimpleExpr {
    let track = Query::select()
        .expr(Expr::val(1))
        .from(track::Entity)
        .and_where(Expr::col((track::Entity, track::Column::Id)).equals((Entity, Column::TrackId)))
        .and_where(which)
        .take();
    Expr::exists(track)
}

/// The upload session of a track is one of these.
pub(crate) fn in_sessions(which: SimpleExpr) -> SimpleExpr {
    let sessions = Query::select()
        .column(upload_session::Column::Id)
        .from(upload_session::Entity)
        .and_where(which)
        .take();
    Expr::col((track::Entity, track::Column::UploadSessionId)).in_subquery(sessions)
}
