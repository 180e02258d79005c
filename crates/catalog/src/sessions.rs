//! Play sessions and upload sessions.

use sea_orm::EntityTrait;
use tonearm_domain::{PlaySession, PlaySessionId, UploadSession, UploadSessionId};

use crate::catalog::Catalog;
use crate::entity::{play_session, upload_session};
use crate::error::{CatalogError, Record};
use crate::query::one;
use crate::transaction::Transaction;

impl Catalog {
    /// One play session, even if it has expired.
    pub async fn play_session(&self, id: PlaySessionId) -> Result<Option<PlaySession>, CatalogError> {
        one(self.reader(), play_session::Entity::find_by_id(id.uuid())).await
    }

    /// One upload session, even if it has expired.
    pub async fn upload_session(&self, id: UploadSessionId) -> Result<Option<UploadSession>, CatalogError> {
        one(self.reader(), upload_session::Entity::find_by_id(id.uuid())).await
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

    /// One upload session, even if it has expired.
    pub async fn upload_session(&self, id: UploadSessionId) -> Result<Option<UploadSession>, CatalogError> {
        one(self.db(), upload_session::Entity::find_by_id(id.uuid())).await
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
