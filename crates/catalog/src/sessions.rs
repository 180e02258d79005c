//! Play sessions and upload sessions.

use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use tonearm_domain::{
    ApiKeyId, OrganizationId, PlaySession, PlaySessionId, SessionHandle, Timestamp, UploadSession,
    UploadSessionId,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::ending::one_to_end;
use crate::entity::{api_key, play_session, upload_session};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, change, first_read, first_readable, one};
use crate::selections::RecipeNames;
use crate::transaction::Transaction;

/// The columns that the tables of both kinds of sessions have.
struct SessionColumns<C> {
    id: C,
    organization_id: C,
    api_key_id: C,
    handle: C,
    expires_at: C,
}

const PLAY: SessionColumns<play_session::Column> = SessionColumns {
    id: play_session::Column::Id,
    organization_id: play_session::Column::OrganizationId,
    api_key_id: play_session::Column::ApiKeyId,
    handle: play_session::Column::Handle,
    expires_at: play_session::Column::ExpiresAt,
};

const UPLOAD: SessionColumns<upload_session::Column> = SessionColumns {
    id: upload_session::Column::Id,
    organization_id: upload_session::Column::OrganizationId,
    api_key_id: upload_session::Column::ApiKeyId,
    handle: upload_session::Column::Handle,
    expires_at: upload_session::Column::ExpiresAt,
};

/// A page of the organization's sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionPage {
    /// Only sessions that are older than the one with this handle.
    pub before: Option<SessionHandle>,
    /// The maximum number of rows.
    pub limit: u64,
}

impl<C: ColumnTrait> SessionColumns<C> {
    /// The sessions that are valid at `now`, the newest first.
    fn page<E: EntityTrait<Column = C>>(
        &self,
        organization: OrganizationId,
        page: SessionPage,
        now: Timestamp,
    ) -> Select<E> {
        let revoked = Query::select()
            .expr(Expr::val(1))
            .from(api_key::Entity)
            .and_where(
                Expr::col((api_key::Entity, api_key::Column::Id)).equals((E::default(), self.api_key_id)),
            )
            .and_where(Expr::col((api_key::Entity, api_key::Column::RevokedAt)).is_not_null())
            .take();
        E::find()
            .filter(self.organization_id.eq(organization.uuid()))
            .filter(self.handle.is_not_null())
            .filter(self.expires_at.gt(now.unix_millis()))
            .filter(Condition::all().not().add(Expr::exists(revoked)))
            .apply_if(page.before, |select, before| select.filter(self.handle.lt(before.uuid())))
            .order_by_desc(self.handle)
    }

    /// The session with this id or handle.
    fn named<E: EntityTrait<Column = C>>(&self, organization: OrganizationId, name: Uuid) -> Select<E> {
        E::find()
            .filter(self.organization_id.eq(organization.uuid()))
            .filter(Condition::any().add(self.id.eq(name)).add(self.handle.eq(name)))
            .lock(TO_CHANGE)
    }
}

impl Catalog {
    /// One play session, even if it has expired.
    pub async fn play_session(&self, id: PlaySessionId) -> Result<Option<PlaySession>, CatalogError> {
        let row = play_session::Entity::find_by_id(id.uuid()).one(self.reader()).await?;
        let Some(row) = row else { return Ok(None) };
        if row.recipes.is_none() {
            return PlaySession::try_from(row).map(Some);
        }
        let organization = OrganizationId::from_uuid(row.organization_id);
        RecipeNames::read(self.reader(), organization).await?.session(row).map(Some)
    }

    /// One upload session, even if it has expired.
    pub async fn upload_session(&self, id: UploadSessionId) -> Result<Option<UploadSession>, CatalogError> {
        one(self.reader(), upload_session::Entity::find_by_id(id.uuid())).await
    }

    /// The organization's play sessions that are valid at `now`, the newest first.
    pub async fn play_sessions(
        &self,
        organization: OrganizationId,
        page: SessionPage,
        now: Timestamp,
    ) -> Result<Vec<PlaySession>, CatalogError> {
        let select = PLAY.page::<play_session::Entity>(organization, page, now);
        let names = RecipeNames::read(self.reader(), organization).await?;
        first_read(self.reader(), select, page.limit, |row| names.session(row)).await
    }

    /// The organization's upload sessions that are valid at `now`, the newest first.
    pub async fn upload_sessions(
        &self,
        organization: OrganizationId,
        page: SessionPage,
        now: Timestamp,
    ) -> Result<Vec<UploadSession>, CatalogError> {
        let select = UPLOAD.page::<upload_session::Entity>(organization, page, now);
        first_readable(self.reader(), select, page.limit).await
    }
}

impl Transaction {
    /// Adds play sessions in one statement; at most a few hundred, because databases limit its parameters.
    pub async fn insert_play_sessions(&self, sessions: &[PlaySession]) -> Result<(), CatalogError> {
        let rows = sessions.iter().map(play_session::ActiveModel::try_from).collect::<Result<Vec<_>, _>>()?;
        play_session::Entity::insert_many(rows)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::PlaySession))?;
        Ok(())
    }

    /// The organization's play session with this id or handle, locked and to be ended.
    pub async fn play_session_to_end(
        &self,
        organization: OrganizationId,
        name: Uuid,
    ) -> Result<Option<PlaySession>, CatalogError> {
        one_to_end(self.db(), PLAY.named::<play_session::Entity>(organization, name)).await
    }

    /// Sets the end of a play session.
    pub async fn end_play_session(&self, id: PlaySessionId, now: Timestamp) -> Result<(), CatalogError> {
        self.note(Change::PlaySession(id));
        let update = play_session::Entity::update_many()
            .col_expr(play_session::Column::ExpiresAt, Expr::value(now.unix_millis()))
            .filter(play_session::Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::PlaySession).await
    }

    /// One upload session, even if it has expired.
    pub async fn upload_session(&self, id: UploadSessionId) -> Result<Option<UploadSession>, CatalogError> {
        one(self.db(), upload_session::Entity::find_by_id(id.uuid())).await
    }

    /// The organization's upload session with this id or handle, locked and to be ended.
    pub async fn upload_session_to_end(
        &self,
        organization: OrganizationId,
        name: Uuid,
    ) -> Result<Option<UploadSession>, CatalogError> {
        one_to_end(self.db(), UPLOAD.named::<upload_session::Entity>(organization, name)).await
    }

    /// Sets the end of an upload session, and ends its imports.
    pub async fn end_upload_session(
        &self,
        organization: OrganizationId,
        id: UploadSessionId,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        self.end_imports_of_session(organization, id).await?;
        let update = upload_session::Entity::update_many()
            .col_expr(upload_session::Column::ExpiresAt, Expr::value(now.unix_millis()))
            .filter(upload_session::Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::UploadSession).await
    }

    /// Ends the sessions that a key opened, and the uploads and imports in them.
    pub async fn end_sessions_of_key(
        &self,
        organization: OrganizationId,
        key: ApiKeyId,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        self.note(Change::PlaySessions);
        self.end_of_key::<play_session::Entity>(&PLAY, organization, key, now).await?;
        self.end_of_key::<upload_session::Entity>(&UPLOAD, organization, key, now).await?;
        self.end_uploads_of_key(organization, key, now).await
    }

    async fn end_of_key<E: EntityTrait>(
        &self,
        columns: &SessionColumns<E::Column>,
        organization: OrganizationId,
        key: ApiKeyId,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        E::update_many()
            .col_expr(columns.expires_at, Expr::value(now.unix_millis()))
            .filter(columns.organization_id.eq(organization.uuid()))
            .filter(columns.api_key_id.eq(key.uuid()))
            .filter(columns.expires_at.gt(now.unix_millis()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Adds an upload session.
    pub async fn insert_upload_session(&self, session: &UploadSession) -> Result<(), CatalogError> {
        upload_session::Entity::insert(upload_session::ActiveModel::from(session))
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::UploadSession))?;
        Ok(())
    }
}
