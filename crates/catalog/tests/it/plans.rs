//! The queries that every request makes find their rows by an index.

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::database::{Reach, TestDatabase};

/// The queries as SeaORM writes them, with the columns left out.
const QUERIES: &[&str] = &[
    "SELECT track_id, payload FROM job WHERE lease_id IS NOT NULL AND failed_at IS NULL AND leased_until > 5 AND organization_id = x'00' AND kind = 'render_track' ORDER BY leased_until LIMIT 200",
    "DELETE FROM undo_entry WHERE expires_at <= 5 AND id IN (SELECT id FROM undo_entry WHERE expires_at <= 5 ORDER BY expires_at LIMIT 1000)",
    "DELETE FROM undo_entry WHERE id IN (SELECT id FROM undo_entry WHERE person_id = x'00' ORDER BY id DESC LIMIT 1000 OFFSET 20)",
    "SELECT * FROM track WHERE id IN (x'00', x'01') AND (organization_id = x'00') IS TRUE AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) ORDER BY id",
    "SELECT * FROM api_key WHERE (organization_id = x'00') IS TRUE AND api_key_type_id = 'share' AND revoked_at IS NULL AND track_id = x'00' AND id < x'01' ORDER BY id DESC LIMIT 21",
    "SELECT * FROM api_key WHERE (organization_id = x'00') IS TRUE AND api_key_type_id = 'share' AND revoked_at IS NULL AND track_id IS NULL AND collection_id = x'00' ORDER BY id DESC LIMIT 21",
    "SELECT * FROM share_key_text WHERE api_key_id IN (x'00', x'01')",
    "SELECT * FROM api_key WHERE organization_id = x'00' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > 5) AND (id) < (x'01') ORDER BY id DESC LIMIT 51",
    "SELECT * FROM api_key WHERE organization_id = x'00' AND revoked_at IS NULL AND expires_at IS NOT NULL AND expires_at <= 5 AND (expires_at, id) < ((SELECT expires_at FROM api_key WHERE id = x'01'), x'01') ORDER BY expires_at DESC, id DESC LIMIT 51",
    "SELECT * FROM api_key WHERE organization_id = x'00' AND revoked_at IS NOT NULL AND api_key_type_id IN ('share') AND (id) < (x'01') ORDER BY id DESC LIMIT 51",
    "DELETE FROM invitation WHERE created_by = x'00' AND used_at IS NULL",
    "SELECT * FROM organization WHERE id IN (SELECT organization_id FROM membership WHERE person_id = x'00' AND role = 'owner') ORDER BY id",
    "DELETE FROM listener_track WHERE day <= 5 AND (organization_id, day, listener, folder) IN (SELECT organization_id, day, listener, folder FROM listener_track WHERE day <= 5 ORDER BY day LIMIT 1000)",
    "DELETE FROM listener_sighting WHERE day <= 5 AND (organization_id, day, listener, kind, subject) IN (SELECT organization_id, day, listener, kind, subject FROM listener_sighting WHERE day <= 5 ORDER BY day LIMIT 1000)",
    "SELECT listener FROM listener_track WHERE organization_id = x'00' AND playing_until > 5",
    "SELECT segments FROM listener_track WHERE organization_id = x'00' AND folder = 'a' AND day BETWEEN 1 AND 5 AND is_listen = TRUE ORDER BY day DESC LIMIT 10000",
    "SELECT day, SUM(listens) FROM listen_sum WHERE organization_id = x'00' AND kind = 'organization' AND day BETWEEN 1 AND 5 AND subject = '' GROUP BY day ORDER BY day",
    "SELECT subject, SUM(listens) FROM listen_sum WHERE organization_id = x'00' AND kind = 'track' AND day BETWEEN 1 AND 5 AND subject = 'a' GROUP BY subject",
    "SELECT subject FROM listen_sum WHERE organization_id = x'00' AND kind = 'referrer' AND day = 5 LIMIT 201",
    "SELECT * FROM import_bucket WHERE organization_id = x'00' AND bucket = 'a'",
    "SELECT * FROM import_bucket WHERE organization_id = x'00' ORDER BY bucket LIMIT 50",
    "SELECT * FROM track WHERE organization_id = x'00' AND source_sha256 = x'00' AND id < x'01' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) ORDER BY id LIMIT 8",
    "SELECT source_key FROM source_replacement WHERE source_key IN ('a', 'b') AND state = 'processing'",
    "SELECT object_key FROM replaced_object WHERE remove_at <= 0 ORDER BY remove_at LIMIT 500",
    "DELETE FROM source_replacement WHERE created_at <= 0 AND track_id IN (SELECT track_id FROM source_replacement WHERE created_at <= 0 ORDER BY created_at LIMIT 1000)",
    "SELECT * FROM track WHERE id = x'00' AND organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id)",
    "SELECT * FROM track WHERE organization_id = x'00' AND collection_id = x'00' AND deleted_at IS NULL ORDER BY track_order, id LIMIT 50",
    "SELECT id, track_order, album_place FROM track WHERE upload_session_id = x'00' AND album = 'a' AND (collection_id = x'00') IS TRUE AND album_place IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT 301",
    "SELECT id FROM track WHERE source_key IN ('a', 'b') AND deleted_at IS NULL",
    "SELECT id FROM track WHERE cover_version IN ('a', 'b') AND deleted_at IS NULL",
    "SELECT folder FROM collection WHERE cover_version IN ('a', 'b') AND deleted_at IS NULL",
    "SELECT folder FROM organization WHERE cover_version IN ('a', 'b')",
    "SELECT * FROM collection WHERE organization_id = x'00' AND deleted_at IS NULL ORDER BY id LIMIT 50",
    "SELECT * FROM creator WHERE organization_id = x'00' ORDER BY id LIMIT 50",
    "SELECT * FROM variant WHERE deleted_at IS NULL AND organization_id = x'00' AND track_id IS NULL",
    "SELECT * FROM variant WHERE deleted_at IS NULL AND ((organization_id = x'00' AND track_id IS NULL) OR (track_id = x'00' AND organization_id = x'00'))",
    "SELECT * FROM track_file WHERE track_id IN (x'00', x'01') AND deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM variant WHERE variant.id = track_file.variant_id AND variant.deleted_at IS NOT NULL)",
    "SELECT * FROM track_file WHERE object_key IN ('a', 'b') AND deleted_at IS NULL",
    "SELECT * FROM api_key WHERE key_hash = x'00'",
    "DELETE FROM play_session WHERE expires_at <= 5 AND id IN (SELECT id FROM play_session WHERE expires_at <= 5 ORDER BY expires_at LIMIT 1000)",
    "UPDATE track SET creator_id = NULL WHERE creator_id = x'00'",
    "SELECT organization_id FROM job WHERE queue = 'uploads' AND lease_id IS NULL AND failed_at IS NULL AND organization_id > x'00' ORDER BY organization_id LIMIT 1",
    "SELECT id FROM job WHERE queue = 'uploads' AND lease_id IS NULL AND failed_at IS NULL AND organization_id = x'00' AND run_at <= 5 AND kind IN ('a', 'b') ORDER BY run_at, id LIMIT 1",
    "SELECT run_at FROM job WHERE queue = 'uploads' AND lease_id IS NULL AND failed_at IS NULL ORDER BY run_at LIMIT 1",
    "SELECT id, payload FROM job WHERE queue IS NULL AND lease_id IS NULL AND failed_at IS NULL AND kind IN ('a', 'b') LIMIT 500",
    "SELECT id FROM job WHERE lease_id IS NOT NULL AND failed_at IS NULL AND leased_until <= 5 LIMIT 1",
    "UPDATE track_file SET deleted_at = 5 WHERE track_id IN (SELECT id FROM track WHERE collection_id = x'00') AND deleted_at IS NULL",
    "SELECT * FROM track WHERE deleted_at IS NULL AND organization_id = x'00' AND collection_id = x'00' AND (sort_title, id) > ((SELECT sort_title FROM track WHERE id = x'01'), x'01') ORDER BY sort_title, id LIMIT 51",
    "SELECT * FROM track WHERE deleted_at IS NULL AND organization_id = x'00' AND collection_id = x'00' AND (duration, id) < ((SELECT duration FROM track WHERE id = x'01'), x'01') ORDER BY duration DESC, id DESC LIMIT 51",
    "SELECT * FROM track WHERE deleted_at IS NULL AND organization_id = x'00' AND collection_id = x'00' AND (status_rank, id) < ((SELECT status_rank FROM track WHERE id = x'01'), x'01') ORDER BY status_rank DESC, id DESC LIMIT 51",
    "SELECT * FROM track WHERE deleted_at IS NULL AND organization_id = x'00' AND collection_id = x'00' AND (id) < (x'01') ORDER BY id DESC LIMIT 51",
    "SELECT * FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) AND (sort_title, id) > ((SELECT sort_title FROM track WHERE id = x'01'), x'01') ORDER BY sort_title, id LIMIT 51",
    "SELECT * FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) AND (status_rank, id) > ((SELECT status_rank FROM track WHERE id = x'01'), x'01') AND EXISTS (SELECT 1 FROM track_search WHERE track_search.track_id = track.id AND track_search.text LIKE '%a%' ESCAPE '\\') ORDER BY status_rank, id LIMIT 51",
    "SELECT * FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) ORDER BY id DESC LIMIT 51",
    "SELECT COUNT(*) FROM (SELECT id FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id))",
    "SELECT track_search.track_id FROM track_search INNER JOIN track ON track.id = track_search.track_id WHERE track_search.organization_id = x'00' AND track_search.collection_id = x'00' AND track.deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) AND track_search.text LIKE '%ab%' ESCAPE '\\' LIMIT 1001",
    "SELECT id FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND creator_id = x'00' ORDER BY id LIMIT 1001",
    "SELECT id FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND substr(\"track\".\"organization_index\", 1, 200) = 'a' AND (organization_index = 'a') IS TRUE ORDER BY id LIMIT 1001",
    "SELECT id FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND source_sha256 = x'00' ORDER BY id LIMIT 1001",
    "SELECT id, CASE WHEN (source_sha256 = x'00') IS TRUE THEN 1 ELSE 0 END AS fits FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND source_sha256 = x'00' AND (id) < (x'01') ORDER BY id DESC LIMIT 400",
    "SELECT id FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND status_rank = 0 ORDER BY status_rank, id LIMIT 1001",
    "SELECT id, sort_title, CASE WHEN (creator_id = x'00') IS TRUE THEN 1 ELSE 0 END AS fits FROM track WHERE organization_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) AND (sort_title, id) < ('a', x'01') ORDER BY sort_title DESC, id DESC LIMIT 400",
    "SELECT id FROM track WHERE id IN (x'00', x'01') AND collection_id = (SELECT id FROM collection WHERE id = x'00' AND (organization_id = x'00') IS TRUE AND deleted_at IS NULL) AND deleted_at IS NULL ORDER BY id",
    "SELECT * FROM collection WHERE organization_id = x'00' AND deleted_at IS NULL AND sort_title LIKE '%a%' ESCAPE '\\' ORDER BY sort_title, id LIMIT 51",
    "SELECT id FROM job WHERE waits_for IS NOT NULL LIMIT 1",
    "SELECT id FROM job WHERE waits_for = 'store' AND failed_at IS NULL AND lease_id IS NULL AND probe_at <= 5 AND NOT EXISTS (SELECT 1 FROM job WHERE waits_for = 'store' AND failed_at IS NULL AND lease_id IS NULL AND run_at <= 5) ORDER BY probe_at, id LIMIT 1",
    "SELECT id FROM job WHERE waits_for = 'store' AND failed_at IS NULL AND lease_id IS NULL AND run_at > 5 ORDER BY run_at, id LIMIT 200",
    "SELECT * FROM job WHERE track_id IN (x'00', x'01') AND waits_for IS NOT NULL AND failed_at IS NULL AND kind = 'process_track'",
    "SELECT id FROM track WHERE collection_id = x'00' AND deleted_at IS NULL ORDER BY id LIMIT 200",
    "SELECT id, deleted_at FROM track WHERE collection_id = x'00' AND restorable_until IS NOT NULL AND trashed_at IS NULL ORDER BY id LIMIT 200",
    "SELECT * FROM track WHERE collection_id = x'00' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM collection WHERE collection.deleted_at IS NULL AND collection.id = track.collection_id) AND (track_status_id IN ('a', 'b') OR EXISTS (SELECT 1 FROM transcription WHERE transcription.track_id = track.id AND transcription.state = 'pending')) AND id > x'00' ORDER BY id LIMIT 200",
    "SELECT id, track_id FROM track_file WHERE variant_id = x'00' ORDER BY id LIMIT 500",
    "SELECT * FROM variant WHERE organization_id = x'00' AND track_id IS NULL AND deleted_at IS NOT NULL ORDER BY id LIMIT 100",
    "SELECT id FROM variant WHERE organization_id = x'00' AND deleted_at IS NULL AND track_id IS NOT NULL AND \"index\" IN (SELECT \"index\" FROM variant WHERE organization_id = x'00' AND deleted_at IS NULL AND track_id IS NULL) AND EXISTS (SELECT 1 FROM track WHERE track.id = variant.track_id AND collection_id = x'00')",
    "SELECT id FROM job WHERE queue = 'uploads' AND organization_id = x'00' AND lease_id IS NULL AND failed_at IS NULL AND run_at <= 5 ORDER BY run_at, id LIMIT 1 OFFSET 1999",
    "SELECT run_at FROM job WHERE queue = 'uploads' AND lease_id IS NULL AND failed_at IS NULL ORDER BY run_at LIMIT 1 OFFSET 1999",
    "SELECT id FROM job WHERE queue = 'uploads' AND lease_id IS NULL AND failed_at IS NULL AND organization_id = x'00' LIMIT 1",
    "SELECT bytes, tracks, minutes FROM quota WHERE organization_id = x'00'",
    "SELECT SUM(kept_bytes + cover_bytes), SUM(track_count), SUM(sound_millis) FROM collection WHERE organization_id = x'00' AND deleted_at IS NULL",
    "SELECT SUM(kept_bytes + cover_bytes) FROM collection WHERE organization_id = x'00' AND deleted_at IS NOT NULL",
    "DELETE FROM job WHERE track_id = x'00' AND kind = 'expire_upload' AND lease_id IS NULL",
    "DELETE FROM upload_session WHERE expires_at <= 5 AND id IN (SELECT id FROM upload_session WHERE expires_at <= 5 ORDER BY expires_at LIMIT 1000)",
    "DELETE FROM idempotent_request WHERE expires_at <= 5 AND (caller, idempotency_key) IN (SELECT caller, idempotency_key FROM idempotent_request WHERE expires_at <= 5 ORDER BY expires_at LIMIT 1000)",
    "DELETE FROM sign_in WHERE seen_at <= 5 AND id IN (SELECT id FROM sign_in WHERE seen_at <= 5 ORDER BY seen_at LIMIT 1000)",
    "DELETE FROM sign_in WHERE id <= x'05' AND id IN (SELECT id FROM sign_in WHERE id <= x'05' ORDER BY id LIMIT 1000)",
    "DELETE FROM failed_sign_in WHERE last_at <= 5 AND subject IN (SELECT subject FROM failed_sign_in WHERE last_at <= 5 ORDER BY last_at LIMIT 1000)",
    "SELECT known_device.* FROM known_device INNER JOIN person ON known_device.person_id = person.id WHERE known_device.token_hash = x'00' AND person.email = 'a'",
    "DELETE FROM known_device WHERE token_hash IN (SELECT token_hash FROM known_device WHERE person_id = x'00' ORDER BY seen_at DESC LIMIT 1000 OFFSET 20)",
    "DELETE FROM known_device WHERE person_id = x'00'",
    "DELETE FROM known_device WHERE seen_at <= 5 AND token_hash IN (SELECT token_hash FROM known_device WHERE seen_at <= 5 ORDER BY seen_at LIMIT 1000)",
    "DELETE FROM invitation WHERE expires_at <= 5 AND id IN (SELECT id FROM invitation WHERE expires_at <= 5 ORDER BY expires_at LIMIT 1000)",
    "DELETE FROM usage_batch WHERE added_at <= 5 AND id IN (SELECT id FROM usage_batch WHERE added_at <= 5 ORDER BY added_at LIMIT 1000)",
    "DELETE FROM job WHERE failed_at <= 5 AND id IN (SELECT id FROM job WHERE failed_at <= 5 ORDER BY failed_at LIMIT 1000)",
    "DELETE FROM webhook_delivery WHERE finished_at <= 5 AND id IN (SELECT id FROM webhook_delivery WHERE finished_at <= 5 ORDER BY finished_at LIMIT 1000)",
    "DELETE FROM audit_entry WHERE id <= x'05' AND id IN (SELECT id FROM audit_entry WHERE id <= x'05' ORDER BY id LIMIT 1000)",
    "UPDATE webhook_delivery SET state = 'failed' WHERE id IN (SELECT id FROM webhook_delivery WHERE queued_at < 5 AND due_at <= 5 AND state = 'pending' ORDER BY queued_at LIMIT 1000) AND due_at <= 5 AND state = 'pending'",
];

#[tokio::test]
async fn no_query_reads_a_whole_table() {
    let database = TestDatabase::sqlite();
    drop(database.catalog().await);
    let raw = database.raw().await;
    for query in QUERIES {
        let explain = Statement::from_string(DbBackend::Sqlite, format!("EXPLAIN QUERY PLAN {query}"));
        for row in raw.query_all_raw(explain).await.unwrap() {
            let step: String = row.try_get("", "detail").unwrap();
            assert!(!step.starts_with("SCAN") && !step.contains("TEMP B-TREE"), "{query}\n{step}");
        }
    }
}
