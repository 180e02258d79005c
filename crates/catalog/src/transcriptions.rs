//! Transcription settings of organizations, and the transcriptions of tracks.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, Set,
};
use serde::{Deserialize, Serialize};
use tonearm_domain::{
    JobId, OrganizationId, Timestamp, TrackId, Transcription, TranscriptionSettings, TranscriptionState,
    Utterance,
};

use crate::catalog::Catalog;
use crate::column::{decoded, encoded, foreign_text};
use crate::entity::{organization, track_words, transcription, transcription_settings};
use crate::error::CatalogError;
use crate::living::names_living_track;
use crate::query::{TO_CHANGE, first_readable, one};
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
            .order_by_desc(transcription::Column::UpdatedAt);
        first_readable(self.reader(), select, limit).await
    }
}

/// The column with the pieces that have arrived, which no list reads.
const PIECES: &str = "pieces";

/// The transcription of a track if it waits for this job. Those that an earlier version queued wait for any.
fn awaiting(track: TrackId, job: JobId) -> Select<transcription::Entity> {
    use transcription::{Column, Entity};
    Entity::find_by_id(track.uuid())
        .filter(Column::State.eq(TranscriptionState::Pending.as_str()))
        .filter(Column::JobId.is_null().or(Column::JobId.eq(job.uuid())))
}

impl Catalog {
    /// Whether a track that is not deleted waits for what this job transcribes, and its organization has transcription
    /// on.
    pub async fn awaits_transcription(
        &self,
        organization: OrganizationId,
        track: TrackId,
        job: JobId,
    ) -> Result<bool, CatalogError> {
        use organization::{Column, Entity};
        let is_on = Query::select()
            .expr(Expr::val(1))
            .from(Entity)
            .and_where(Column::Id.eq(organization.uuid()))
            .and_where(Column::IsTranscriptionEnabled.eq(true))
            .take();
        let wanted = awaiting(track, job)
            .filter(Expr::exists(is_on))
            .filter(names_living_track(Expr::col((transcription::Entity, transcription::Column::TrackId))));
        Ok(wanted.count(self.reader()).await? > 0)
    }

    /// The pieces of a track's transcription that have arrived, as they were written.
    pub async fn transcription_pieces(&self, track: TrackId) -> Result<Option<String>, CatalogError> {
        let select = Query::select()
            .column(PIECES)
            .from(transcription::Entity)
            .and_where(transcription::Column::TrackId.eq(track.uuid()))
            .take();
        let row = self.reader().query_one(&select).await?;
        Ok(row.map(|row| row.try_get::<Option<String>>("", PIECES)).transpose()?.flatten())
    }

    /// Writes the pieces of a transcription that have arrived. `false`: the track does not wait for this job any more.
    pub async fn put_transcription_pieces(
        &self,
        track: TrackId,
        job: JobId,
        pieces: &str,
    ) -> Result<bool, CatalogError> {
        use transcription::{Column, Entity};
        let awaiting = awaiting(track, job).select_only().column(Column::TrackId).into_query();
        let update = Query::update()
            .table(Entity)
            .value(PIECES, pieces)
            .and_where(Expr::col(Column::TrackId).in_subquery(awaiting))
            .take();
        Ok(self.writer().execute(&update).await?.rows_affected() > 0)
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

impl Catalog {
    /// Whether utterances of a track are stored.
    pub async fn has_track_words(&self, track: TrackId) -> Result<bool, CatalogError> {
        Ok(track_words::Entity::find_by_id(track.uuid()).count(self.reader()).await? > 0)
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

    /// Whether a track still waits for what this job transcribes, locked until the end of the transaction. Otherwise its
    /// transcript was edited, requested again, or is not wanted any more.
    pub async fn awaits_transcription(&self, track: TrackId, job: JobId) -> Result<bool, CatalogError> {
        let row = awaiting(track, job).lock(TO_CHANGE).one(self.db()).await?;
        Ok(row.is_some())
    }

    /// Lets a pending transcription wait for this job and no other.
    pub async fn await_transcription(&self, track: TrackId, job: JobId) -> Result<(), CatalogError> {
        use transcription::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::JobId, Expr::value(job.uuid()))
            .filter(Column::TrackId.eq(track.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Records why a pending transcription is retried. Its state is as old as before.
    pub async fn note_transcription_retry(&self, track: TrackId, reason: &str) -> Result<(), CatalogError> {
        use transcription::{Column, Entity};
        Entity::update_many()
            .col_expr(Column::Reason, Expr::value(foreign_text(reason)))
            .filter(Column::TrackId.eq(track.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Ends all pending transcriptions of an organization.
    pub async fn end_transcriptions(
        &self,
        organization: OrganizationId,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        use transcription::{ActiveModel, Column, Entity};
        let failed = ActiveModel {
            state: Set(TranscriptionState::Failed.as_str().to_owned()),
            reason: Set(Some(reason.to_owned())),
            updated_at: Set(now.unix_millis()),
            job_id: Set(None),
            ..Default::default()
        };
        Entity::update_many()
            .set(failed)
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::State.eq(TranscriptionState::Pending.as_str()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// The state of a track's transcription.
    pub async fn transcription(&self, track: TrackId) -> Result<Option<Transcription>, CatalogError> {
        one(self.db(), transcription::Entity::find_by_id(track.uuid())).await
    }

    /// Writes the state of a track's transcription, which then waits for no job in particular. Pieces that have arrived
    /// are kept until it is done.
    pub async fn put_transcription(&self, written: &Transcription) -> Result<(), CatalogError> {
        use transcription::{ActiveModel, Column, Entity};
        let mut replace = OnConflict::column(Column::TrackId)
            .update_columns([Column::State, Column::Reason, Column::UpdatedAt, Column::JobId])
            .to_owned();
        if written.state == TranscriptionState::Done {
            replace.value(PIECES, None::<String>);
        }
        Entity::insert(ActiveModel::from(written))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }
}
