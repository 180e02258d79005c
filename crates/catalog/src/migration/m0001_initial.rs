//! Organizations, collections, tracks and what belongs to them, sessions, keys and jobs.

use super::columns::{
    big_integer, big_integer_null, blob, blob_null, boolean, double, integer, json_binary, json_binary_null,
    text, text_null, uuid, uuid_null,
};
use super::prelude::*;

use super::pieces::index;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in [
            organization(),
            creator(),
            collection(),
            track(),
            variant(),
            track_file(),
            play_session(),
            upload_session(),
            api_key(),
            job(),
        ] {
            db.execute(&table).await?;
        }
        for index in indexes() {
            db.execute(&index).await?;
        }
        Ok(())
    }
}

fn organization() -> TableCreateStatement {
    Table::create()
        .table("organization")
        .col(uuid("id").primary_key())
        .col(text("name"))
        .col(json_binary("theme"))
        .col(boolean("is_theme_overridable"))
        .col(boolean("is_cover_overridable"))
        .col(text("player_color"))
        .col(text("player_subtitle"))
        .col(text_null("webhook_url"))
        .col(text_null("webhook_url_file"))
        .col(text_null("webhook_url_collection"))
        .col(boolean("is_transcription_enabled"))
        .col(big_integer("created_at"))
        .take()
}

fn creator() -> TableCreateStatement {
    Table::create()
        .table("creator")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(text("folder"))
        .col(text("organization_index"))
        .col(json_binary("metadata"))
        .col(big_integer("created_at"))
        .col(big_integer("updated_at"))
        .foreign_key(&mut belongs_to("creator", "organization"))
        .take()
}

fn collection() -> TableCreateStatement {
    Table::create()
        .table("collection")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid_null("creator_id"))
        .col(text("folder"))
        .col(text_null("organization_index"))
        .col(text("title"))
        .col(json_binary("metadata"))
        .col(json_binary("theme"))
        .col(boolean("is_cover_overridable"))
        .col(boolean("is_theme_overridable"))
        .col(text_null("player_color"))
        .col(text_null("player_subtitle"))
        // The order that was assigned to the last track.
        .col(big_integer("last_track_order"))
        .col(big_integer("created_at"))
        .col(big_integer_null("deleted_at"))
        .foreign_key(&mut belongs_to("collection", "organization"))
        .foreign_key(&mut names_creator("collection"))
        .take()
}

fn track() -> TableCreateStatement {
    Table::create()
        .table("track")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("collection_id"))
        .col(uuid_null("creator_id"))
        // Not a foreign key: the track outlives its session.
        .col(uuid_null("upload_session_id"))
        .col(text("index"))
        .col(text_null("organization_index"))
        .col(big_integer("track_order"))
        .col(double("duration"))
        .col(text("file_name"))
        .col(text_null("file_name_original"))
        .col(json_binary("info"))
        .col(json_binary("metadata"))
        .col(text_null("player_title"))
        .col(text_null("player_subtitle"))
        .col(text_null("player_color"))
        .col(json_binary("theme"))
        .col(text_null("cover_version"))
        .col(text_null("cover_origin"))
        .col(boolean("is_cover_overridable"))
        .col(boolean("is_theme_overridable"))
        .col(text_null("transcription"))
        .col(text_null("transcription_language"))
        .col(text("track_status_id"))
        .col(text_null("status_reason"))
        .col(text_null("source_key"))
        .col(big_integer_null("source_size"))
        .col(blob_null("source_sha256"))
        .col(big_integer("upload_expires_at"))
        .col(big_integer("created_at"))
        .col(big_integer_null("deleted_at"))
        .col(big_integer_null("purged_at"))
        .foreign_key(&mut belongs_to("track", "organization"))
        .foreign_key(&mut belongs_to("track", "collection"))
        .foreign_key(&mut names_creator("track"))
        .take()
}

fn variant() -> TableCreateStatement {
    Table::create()
        .table("variant")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid_null("track_id"))
        .col(text("index"))
        .col(text("variant_type_id"))
        .col(json_binary("settings"))
        .col(integer("position"))
        .col(big_integer("created_at"))
        .col(big_integer_null("deleted_at"))
        .foreign_key(&mut belongs_to("variant", "organization"))
        .foreign_key(&mut belongs_to("variant", "track"))
        .take()
}

fn track_file() -> TableCreateStatement {
    Table::create()
        .table("track_file")
        .col(uuid("id").primary_key())
        .col(uuid("track_id"))
        // Not a foreign key: the file outlives its recipe, which is stored as it was in the next column.
        .col(uuid("variant_id"))
        .col(json_binary("variant"))
        .col(text_null("object_key"))
        .col(big_integer_null("size"))
        .col(text_null("file_name"))
        .col(json_binary_null("data"))
        .col(text_null("failure"))
        .col(big_integer("created_at"))
        .col(big_integer_null("deleted_at"))
        .foreign_key(&mut belongs_to("track_file", "track"))
        .take()
}

fn play_session() -> TableCreateStatement {
    Table::create()
        .table("play_session")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid_null("creator_id"))
        .col(uuid("collection_id"))
        .col(uuid_null("track_id"))
        .col(json_binary("variants"))
        .col(boolean("is_downloadable"))
        .col(big_integer("expires_at"))
        .foreign_key(&mut belongs_to("play_session", "organization"))
        .foreign_key(&mut belongs_to("play_session", "collection"))
        .foreign_key(&mut belongs_to("play_session", "track"))
        .foreign_key(&mut names_creator("play_session"))
        .take()
}

fn upload_session() -> TableCreateStatement {
    Table::create()
        .table("upload_session")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid_null("creator_id"))
        .col(uuid("collection_id"))
        .col(text_null("organization_index"))
        .col(json_binary("metadata"))
        .col(big_integer("expires_at"))
        .foreign_key(&mut belongs_to("upload_session", "organization"))
        .foreign_key(&mut belongs_to("upload_session", "collection"))
        .foreign_key(&mut names_creator("upload_session"))
        .take()
}

fn api_key() -> TableCreateStatement {
    Table::create()
        .table("api_key")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(blob("key_hash"))
        .col(text("title"))
        .col(text("api_key_type_id"))
        .col(uuid_null("collection_id"))
        .col(uuid_null("track_id"))
        .col(uuid_null("creator_id"))
        .col(json_binary("variants"))
        .col(boolean("is_downloadable"))
        .col(big_integer_null("expires_at"))
        .col(big_integer_null("revoked_at"))
        .col(big_integer("created_at"))
        .foreign_key(&mut belongs_to("api_key", "organization"))
        .foreign_key(&mut belongs_to("api_key", "collection"))
        .foreign_key(&mut belongs_to("api_key", "track"))
        .foreign_key(&mut names_creator("api_key"))
        .take()
}

fn job() -> TableCreateStatement {
    Table::create()
        .table("job")
        .col(uuid("id").primary_key())
        .col(text("kind"))
        .col(json_binary("payload"))
        // Set only while the job waits for its first claim.
        .col(text_null("unique_key"))
        .col(integer("attempts"))
        .col(integer("failures"))
        .col(big_integer("run_at"))
        .col(uuid_null("lease_id"))
        .col(big_integer_null("leased_until"))
        .col(text_null("last_error"))
        .col(big_integer_null("failed_at"))
        .take()
}

/// `table.parent_id` refers to a row of `parent`. Parents are soft-deleted, so it never dangles.
fn belongs_to(table: &'static str, parent: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("fk_{table}_{parent}"))
        .from(table, format!("{parent}_id"))
        .to(parent, "id")
        .take()
}

/// Creators are deleted permanently. References to them then become null.
fn names_creator(table: &'static str) -> ForeignKeyCreateStatement {
    belongs_to(table, "creator").on_delete(ForeignKeyAction::SetNull).take()
}

fn indexes() -> Vec<IndexCreateStatement> {
    let mut indexes = vec![
        index("creator", &["organization_id", "id"]),
        living(index("collection", &["organization_id", "id"])),
        // Includes deleted tracks: deleting a collection searches for all tracks that were ever in it.
        index("track", &["collection_id", "track_order", "id"]),
        unique(index("track", &["organization_id", "index"])),
        where_set(index("track", &["source_key"]), "source_key"),
        where_set(index("track", &["cover_version"]), "cover_version"),
        living(index("variant", &["organization_id", "index"])),
        // One index for recipes of the organization, one for those of a track.
        living(where_null(unique(index("variant", &["organization_id", "index"])), "track_id")),
        living(unique(index("variant", &["track_id", "index"]))),
        unique(index("track_file", &["track_id", "variant_id"])),
        where_set(index("track_file", &["object_key"]), "object_key"),
        index("play_session", &["expires_at"]),
        index("upload_session", &["expires_at"]),
        unique(index("api_key", &["key_hash"])),
        index("api_key", &["organization_id", "id"]),
        where_null(index("job", &["run_at", "id"]), "failed_at"),
        unique(index("job", &["unique_key"])),
    ];
    // Deleting a creator searches for the rows that refer to it.
    for table in ["collection", "track", "play_session", "upload_session", "api_key"] {
        indexes.push(where_set(index(table, &["creator_id"]), "creator_id"));
    }
    indexes
}

fn unique(mut index: IndexCreateStatement) -> IndexCreateStatement {
    let name = format!("unique_{}", index.get_index_spec().get_name().unwrap_or_default());
    index.name(name).unique().take()
}

fn living(index: IndexCreateStatement) -> IndexCreateStatement {
    where_null(index, "deleted_at")
}

fn where_null(mut index: IndexCreateStatement, column: &'static str) -> IndexCreateStatement {
    index.and_where(Expr::col(column).is_null()).take()
}

fn where_set(mut index: IndexCreateStatement, column: &'static str) -> IndexCreateStatement {
    index.and_where(Expr::col(column).is_not_null()).take()
}
