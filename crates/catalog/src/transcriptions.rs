//! Transcription settings of organizations, and the transcriptions of tracks.

use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use serde::{Deserialize, Serialize};
use tonearm_domain::{
    OrganizationId, TrackId, Transcription, TranscriptionSettings, TranscriptionState, Utterance,
};

use crate::catalog::Catalog;
use crate::column::{decoded, encoded, foreign_text};
use crate::entity::{track_words, transcription, transcription_settings};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, all, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The transcription settings of an organization, if they were ever set.
    pub async fn transcription_settings(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<TranscriptionSettings>, CatalogError> {
        one(self.reader(), transcription_settings::Entity::find_by_id(organization.uuid())).await
    }

    /// The state of a track's transcription.
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

/// An utterance in the JSON column: start and end in seconds, and its text.
#[derive(Serialize, Deserialize)]
struct UtteranceRow(f64, f64, String);

impl Catalog {
    /// The utterances in a track, with times. Empty if it was never transcribed, or was transcribed before times were
    /// stored.
    pub async fn track_words(&self, track: TrackId) -> Result<Vec<Utterance>, CatalogError> {
        let Some(row) = track_words::Entity::find_by_id(track.uuid()).one(self.reader()).await? else {
            return Ok(Vec::new());
        };
        let rows: Vec<UtteranceRow> = decoded("track_words.utterances", row.utterances)?;
        Ok(rows.into_iter().map(|UtteranceRow(start, end, text)| Utterance { start, end, text }).collect())
    }
}

impl Transaction {
    /// Writes the utterances in a track, with times, replacing the earlier ones. An empty list removes them.
    pub async fn put_track_words(
        &self,
        track: TrackId,
        utterances: &[Utterance],
    ) -> Result<(), CatalogError> {
        use track_words::{ActiveModel, Column, Entity};
        if utterances.is_empty() {
            return self.delete_track_words(track).await;
        }
        let rows: Vec<UtteranceRow> =
            utterances.iter().map(|it| UtteranceRow(it.start, it.end, foreign_text(&it.text))).collect();
        let row = ActiveModel {
            track_id: Set(track.uuid()),
            utterances: Set(encoded("track_words.utterances", &rows)?),
        };
        let replace = OnConflict::column(Column::TrackId).update_column(Column::Utterances).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Removes the words of a track and the state of its transcription.
    pub async fn forget_words(&self, track: TrackId) -> Result<(), CatalogError> {
        self.delete_track_words(track).await?;
        self.delete_transcription(track).await
    }

    pub(crate) async fn delete_track_words(&self, track: TrackId) -> Result<(), CatalogError> {
        track_words::Entity::delete_by_id(track.uuid()).exec(self.db()).await?;
        Ok(())
    }
}

impl Transaction {
    pub(crate) async fn delete_transcription(&self, track: TrackId) -> Result<(), CatalogError> {
        transcription::Entity::delete_by_id(track.uuid()).exec(self.db()).await?;
        Ok(())
    }

    /// The transcription settings of an organization, if they were ever set, locked for a change.
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

    /// The state of a track's transcription.
    pub async fn transcription(&self, track: TrackId) -> Result<Option<Transcription>, CatalogError> {
        one(self.db(), transcription::Entity::find_by_id(track.uuid())).await
    }

    /// Writes the state of a track's transcription.
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
