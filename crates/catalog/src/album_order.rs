//! The order of uploads: tracks of one upload session and one album are sorted by disc and track number.
//!
//! The files of a session arrive in any order. Sorting an album only exchanges the positions that its tracks already
//! have in the collection, so orders stay without gaps and all other tracks keep their positions.

use sea_orm::sea_query::{CaseStatement, Expr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{AlbumPosition, CollectionId, OrganizationId, TrackId, UploadSessionId, arranged};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::entity::track::{Column, Entity};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, checked};
use crate::transaction::Transaction;

/// The largest number of tracks that counts as an album. A larger group keeps the order of its upload. Each new track
/// may move all others, so the work grows with the square of this number.
const LARGEST_ALBUM: u64 = 300;

/// The columns that determine the order: id, order and place.
type Placed = (Uuid, i64, i64);

/// The tracks of one album in one upload session.
#[derive(Debug, Clone, Copy)]
pub struct UploadedAlbum<'a> {
    /// The collection that the session fills.
    pub collection: CollectionId,
    /// The session.
    pub session: UploadSessionId,
    /// As in [`AlbumPosition`].
    pub album: &'a str,
}

fn placed(album: UploadedAlbum<'_>) -> Select<Entity> {
    Entity::find()
        .filter(Column::UploadSessionId.eq(album.session.uuid()))
        .filter(Column::Album.eq(album.album))
        .filter(checked(Column::CollectionId.eq(album.collection.uuid())))
        .filter(Column::AlbumPlace.is_not_null())
        .filter(Column::DeletedAt.is_null())
        .order_by_asc(Column::Id)
        .limit(LARGEST_ALBUM + 1)
        .select_only()
        .columns([Column::Id, Column::TrackOrder, Column::AlbumPlace])
}

/// The tracks whose order changes, each with its new order.
fn moves(tracks: &[Placed]) -> Vec<(Uuid, i64)> {
    if tracks.len() as u64 > LARGEST_ALBUM {
        return Vec::new();
    }
    let places: Vec<(i64, i64)> = tracks.iter().map(|(_, order, place)| (*order, *place)).collect();
    let new = tracks.iter().zip(arranged(&places));
    new.filter(|((_, order, _), new)| order != new).map(|((id, _, _), new)| (*id, new)).collect()
}

impl Catalog {
    /// Whether the tracks of an uploaded album are sorted by place. They stay sorted until another track gets a
    /// place.
    pub async fn album_is_in_order(&self, album: UploadedAlbum<'_>) -> Result<bool, CatalogError> {
        let tracks: Vec<Placed> = placed(album).into_tuple().all(self.reader()).await?;
        Ok(moves(&tracks).is_empty())
    }
}

impl Transaction {
    /// Records the position of a track on its album. `false`: the track does not exist or is deleted.
    ///
    /// Commit this before calling [`Transaction::put_album_in_order`]: that locks all tracks of the album in the order
    /// of their ids, so its transaction must not hold a lock on one of them already.
    pub async fn put_album_place(
        &self,
        organization: OrganizationId,
        id: TrackId,
        place: &AlbumPosition,
    ) -> Result<bool, CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::Album, Expr::value(place.album.as_str()))
            .col_expr(Column::AlbumPlace, Expr::value(place.place))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null());
        Ok(update.exec(self.db()).await?.rows_affected > 0)
    }

    /// Sorts the tracks of an uploaded album by place; of two tracks with the same place, the older comes first. An
    /// album of more than 300 tracks is left unchanged. Returns the number of tracks moved.
    pub async fn put_album_in_order(&self, album: UploadedAlbum<'_>) -> Result<usize, CatalogError> {
        let tracks: Vec<Placed> = placed(album).lock(TO_CHANGE).into_tuple().all(self.db()).await?;
        let moves = moves(&tracks);
        if moves.is_empty() {
            return Ok(0);
        }
        let mut order = CaseStatement::new();
        for (id, new) in &moves {
            order = order.case(Column::Id.eq(*id), Expr::value(*new));
        }
        Entity::update_many()
            .col_expr(Column::TrackOrder, order.into())
            .filter(Column::Id.is_in(moves.iter().map(|(id, _)| *id)))
            .exec(self.db())
            .await?;
        for (id, _) in &moves {
            self.note(Change::Track(TrackId::from_uuid(*id)));
        }
        self.note(Change::TracksOf(album.collection));
        Ok(moves.len())
    }
}
