//! How much room living files take. Covers are not among them: their sizes are recorded nowhere.

use sea_orm::sea_query::{Expr, ExprTrait, Func, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, JoinType, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, RelationDef, Select,
};
use tonearm_domain::{KeyScope, OrganizationId, Page, TrackId, shown_title};
use uuid::Uuid;

use crate::column::size;
use crate::entity::{track, track_file};
use crate::{Catalog, CatalogError};

/// The room that all files together take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageUsage {
    /// How many tracks there are.
    pub tracks: u64,
    /// Bytes of their files, sources included.
    pub bytes: u64,
}

/// The room that the files of a track take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackStorage {
    /// Which.
    pub track_id: TrackId,
    /// What people know it by.
    pub title: String,
    /// Bytes of its files, its source included.
    pub bytes: u64,
}

#[derive(FromQueryResult)]
struct Row {
    id: Uuid,
    player_title: Option<String>,
    title_tag: Option<String>,
    file_name: String,
    bytes: i64,
}

fn living(organization: OrganizationId, scope: KeyScope) -> Select<track::Entity> {
    use track::Column;
    track::Entity::find()
        .select_only()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::DeletedAt.is_null())
        .apply_if(scope.collection(), |select, id| select.filter(Column::CollectionId.eq(id.uuid())))
        .apply_if(scope.track(), |select, id| select.filter(Column::Id.eq(id.uuid())))
}

/// The files of a track that are not its source under another name, as its `original` is.
fn files() -> RelationDef {
    use track_file::Column::{DeletedAt, ObjectKey, TrackId};
    track::Entity::belongs_to(track_file::Entity)
        .from(track::Column::Id)
        .to(TrackId)
        .on_condition(|_, _| {
            let is_source =
                Expr::col((track_file::Entity, ObjectKey)).equals((track::Entity, track::Column::SourceKey));
            let own = Func::coalesce([is_source, Expr::value(false)]);
            Condition::all()
                .add(Expr::col((track_file::Entity, DeletedAt)).is_null())
                .add(SimpleExpr::from(own).not())
        })
        .into()
}

fn or_zero(expression: impl Into<SimpleExpr>) -> SimpleExpr {
    Func::coalesce([expression.into(), Expr::value(0_i64)]).into()
}

/// PostgreSQL sums to a type without bounds, which is not read as a number.
fn bounded(sum: impl ExprTrait) -> SimpleExpr {
    sum.cast_as("bigint")
}

impl Catalog {
    /// The room that the tracks of an organization take, as far as a key reaches.
    pub async fn storage_usage(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
    ) -> Result<StorageUsage, CatalogError> {
        let tracks = living(organization, scope)
            .column_as(track::Column::Id.count(), "tracks")
            .column_as(bounded(or_zero(track::Column::SourceSize.sum())), "bytes");
        let rows: Option<(i64, i64)> = tracks.into_tuple().one(self.reader()).await?;
        let (tracks, sources) = rows.unwrap_or_default();
        let made = living(organization, scope)
            .join(JoinType::InnerJoin, files())
            .column_as(bounded(or_zero(track_file::Column::Size.sum())), "bytes");
        let made: Option<i64> = made.into_tuple().one(self.reader()).await?;
        let bytes = size("track.source_size", sources)? + size("track_file.size", made.unwrap_or(0))?;
        Ok(StorageUsage { tracks: size("track.id", tracks)?, bytes })
    }

    /// How many tracks there are, and a page of them, the largest first.
    pub async fn storage_by_track(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
        window: Page,
    ) -> Result<(u64, Vec<TrackStorage>), CatalogError> {
        use track::Column;
        let total = living(organization, scope).column(Column::Id).count(self.reader()).await?;
        let bytes = || {
            let source = or_zero(Expr::col((track::Entity, Column::SourceSize)));
            bounded(source.add(or_zero(track_file::Column::Size.sum())))
        };
        let select = living(organization, scope)
            .columns([Column::Id, Column::PlayerTitle, Column::TitleTag, Column::FileName])
            .column_as(bytes(), "bytes")
            .join(JoinType::LeftJoin, files())
            .group_by(Column::Id)
            .order_by_desc(bytes())
            .order_by_asc(Column::Id)
            .limit(window.limit())
            .offset(window.offset());
        let rows = select.into_model::<Row>().all(self.reader()).await?;
        let tracks = rows.into_iter().map(|row| {
            Ok(TrackStorage {
                track_id: TrackId::from_uuid(row.id),
                title: shown_title(row.player_title.as_deref(), row.title_tag.as_deref(), &row.file_name)
                    .to_owned(),
                bytes: size("track_file.size", row.bytes)?,
            })
        });
        Ok((total, tracks.collect::<Result<_, CatalogError>>()?))
    }
}
