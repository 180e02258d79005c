//! When people edited transcripts, which later transcriptions must not overwrite.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{Timestamp, TrackId};

use crate::catalog::Catalog;
use crate::column::moment_if_set;
use crate::entity::transcription::{Column, Entity};
use crate::error::CatalogError;
use crate::transaction::Transaction;

async fn edited_at<C: ConnectionTrait>(db: &C, track: TrackId) -> Result<Option<Timestamp>, CatalogError> {
    let select = Entity::find_by_id(track.uuid()).select_only().column(Column::EditedAt);
    let found: Option<Option<i64>> = select.into_tuple().one(db).await?;
    moment_if_set("transcription.edited_at", found.flatten())
}

impl Catalog {
    /// When a person last edited the transcript of a track; `None` if it is as it was transcribed.
    pub async fn transcript_edited_at(&self, track: TrackId) -> Result<Option<Timestamp>, CatalogError> {
        edited_at(self.reader(), track).await
    }
}

impl Transaction {
    /// The same in the transaction. A caller that bases a decision on it must have locked the track.
    pub async fn transcript_edited_at(&self, track: TrackId) -> Result<Option<Timestamp>, CatalogError> {
        edited_at(self.db(), track).await
    }

    /// Writes when a person edited the transcript of a track; with `None`, transcriptions may overwrite it. The track
    /// must have a transcription.
    pub async fn put_transcript_edited_at(
        &self,
        track: TrackId,
        at: Option<Timestamp>,
    ) -> Result<(), CatalogError> {
        Entity::update_many()
            .col_expr(Column::EditedAt, Expr::value(at.map(|at| at.unix_millis())))
            .filter(Column::TrackId.eq(track.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }
}
