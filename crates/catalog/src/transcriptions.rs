//! Transcription: settings of organizations, and what became of tracks.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonearm_domain::{OrganizationId, TrackId, Transcription, TranscriptionSettings, TranscriptionState};

use crate::entity::{transcription, transcription_settings};
use crate::query::{TO_CHANGE, all, one};
use crate::{Catalog, CatalogError, Transaction};

impl Catalog {
    /// How an organization has its sound transcribed, if it was ever set.
    pub async fn transcription_settings(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<TranscriptionSettings>, CatalogError> {
        one(self.reader(), transcription_settings::Entity::find_by_id(organization.uuid())).await
    }

    /// What became of transcribing a track.
    pub async fn transcription(
        &self,
        organization: OrganizationId,
        track: TrackId,
    ) -> Result<Option<Transcription>, CatalogError> {
        let own = transcription::Column::OrganizationId.eq(organization.uuid());
        one(self.reader(), transcription::Entity::find_by_id(track.uuid()).filter(own)).await
    }

    /// The transcriptions of an organization in a state, the latest first, at most `limit`.
    pub async fn transcriptions(
        &self,
        organization: OrganizationId,
        state: TranscriptionState,
        limit: u64,
    ) -> Result<Vec<Transcription>, CatalogError> {
        let select = transcription::Entity::find()
            .filter(transcription::Column::OrganizationId.eq(organization.uuid()))
            .filter(transcription::Column::State.eq(state.as_str()))
            .order_by_desc(transcription::Column::UpdatedAt)
            .limit(limit);
        all(self.reader(), select).await
    }
}

impl Transaction {
    /// How an organization has its sound transcribed, if it was ever set; locked for a change.
    pub async fn transcription_settings_to_change(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<TranscriptionSettings>, CatalogError> {
        let own = transcription_settings::Entity::find_by_id(organization.uuid());
        one(self.db(), own.lock(TO_CHANGE)).await
    }

    /// Writes the settings of an organization.
    pub async fn put_transcription_settings(
        &self,
        settings: &TranscriptionSettings,
    ) -> Result<(), CatalogError> {
        use transcription_settings::{ActiveModel, Column, Entity};
        let replace = OnConflict::column(Column::OrganizationId)
            .update_columns([Column::BaseUrl, Column::Key, Column::Model, Column::Language])
            .to_owned();
        Entity::insert(ActiveModel::from(settings))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }

    /// What became of transcribing a track.
    pub async fn transcription(&self, track: TrackId) -> Result<Option<Transcription>, CatalogError> {
        one(self.db(), transcription::Entity::find_by_id(track.uuid())).await
    }

    /// Writes what became of transcribing a track.
    pub async fn put_transcription(&self, written: &Transcription) -> Result<(), CatalogError> {
        use transcription::{ActiveModel, Column, Entity};
        let replace = OnConflict::column(Column::TrackId)
            .update_columns([Column::State, Column::Reason, Column::UpdatedAt])
            .to_owned();
        Entity::insert(ActiveModel::from(written))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }
}
