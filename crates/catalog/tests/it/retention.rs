//! Expired rows are removed in batches, and no others are.

use sea_orm::sea_query::{ExprTrait, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::json;
use tonearm_domain::{Ambient, ApiKeyId, AuditEntryId, Day, ExpiredRows, JobId, RecordId, Timestamp};
use tonearm_fixtures::ambient;
use uuid::Uuid;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    expired_rows_go_in_batches_and_younger_ones_stay,
    attempts_go_with_their_delivery,
    a_renewed_row_stays,
);

type Row = Vec<(&'static str, SimpleExpr)>;

async fn insert(db: &DatabaseConnection, table: &'static str, row: Row) {
    let (columns, values): (Vec<&str>, Vec<SimpleExpr>) = row.into_iter().unzip();
    let insert = Query::insert().into_table(table).columns(columns).values_panic(values).take();
    db.execute(&insert).await.unwrap();
}

/// The rows that rows of other tables refer to.
struct Owners {
    organization: Uuid,
    collection: Uuid,
    person: Uuid,
    webhook: Uuid,
    now: Timestamp,
}

impl Owners {
    async fn insert(database: &TestDatabase, ambient: &Ambient, db: &DatabaseConnection) -> Self {
        let (organization, collection) = stored_collection(&database.catalog().await, ambient).await;
        let [person, webhook] = [0; 2].map(|_| unique(ambient, ambient.now()));
        let row: Row = vec![
            ("id", person.into()),
            ("email", "a@example.com".into()),
            ("name", "A".into()),
            ("password_hash", "!".into()),
            ("is_administrator", false.into()),
            ("created_at", 5_i64.into()),
        ];
        insert(db, "person", row).await;
        let row: Row = vec![
            ("id", webhook.into()),
            ("organization_id", organization.id.uuid().into()),
            ("kind", "track".into()),
            ("url", "https://example.com".into()),
            ("secret", vec![0_u8].into()),
            ("failures", 0.into()),
            ("created_at", 5_i64.into()),
        ];
        insert(db, "webhook", row).await;
        let (organization, collection) = (organization.id.uuid(), collection.id.uuid());
        Self { organization, collection, person, webhook, now: ambient.now() }
    }
}

/// The ID of a record that was created at this time.
fn unique(ambient: &Ambient, at: Timestamp) -> Uuid {
    ApiKeyId::from_parts(at, ambient.random()).uuid()
}

fn delivery(owners: &Owners, id: Uuid, at: i64) -> Row {
    vec![
        ("id", id.into()),
        ("webhook_id", owners.webhook.into()),
        ("organization_id", owners.organization.into()),
        ("event", "track.ready".into()),
        ("subject_id", id.into()),
        ("payload", "{}".into()),
        ("state", "delivered".into()),
        ("attempts", 1.into()),
        ("failures", 0.into()),
        ("created_at", 5_i64.into()),
        ("queued_at", 5_i64.into()),
        ("finished_at", at.into()),
    ]
}

/// A row of a kind that expires at this time.
fn row(rows: ExpiredRows, owners: &Owners, ambient: &Ambient, over: Timestamp) -> (&'static str, Row) {
    let (id, at) = (unique(ambient, over), over.unix_millis());
    let hash = ambient.random::<32>().to_vec();
    let session: Row = vec![
        ("id", id.into()),
        ("organization_id", owners.organization.into()),
        ("collection_id", owners.collection.into()),
        ("metadata", json!({}).into()),
        ("expires_at", at.into()),
    ];
    let sign_in = |created_at: i64, seen_at: i64| -> Row {
        vec![
            ("id", id.into()),
            ("person_id", owners.person.into()),
            ("token_hash", hash.clone().into()),
            ("created_at", created_at.into()),
            ("seen_at", seen_at.into()),
        ]
    };
    match rows {
        ExpiredRows::PlaySessions => {
            ("play_session", [session, vec![("is_downloadable", false.into())]].concat())
        }
        ExpiredRows::UploadSessions => ("upload_session", session),
        ExpiredRows::KeptAnswers => {
            let key = id.to_string().into();
            let row: Row = vec![
                ("caller", vec![1_u8; 32].into()),
                ("idempotency_key", key),
                ("fingerprint", hash.into()),
                ("expires_at", at.into()),
            ];
            ("idempotent_request", row)
        }
        ExpiredRows::UnusedSignIns => ("sign_in", sign_in(5, at)),
        ExpiredRows::OldSignIns => ("sign_in", sign_in(at, at + 1000)),
        ExpiredRows::FailedSignIns => {
            ("failed_sign_in", vec![("subject", hash.into()), ("count", 1.into()), ("last_at", at.into())])
        }
        ExpiredRows::KnownDevices => {
            let row: Row = vec![
                ("token_hash", hash.into()),
                ("person_id", owners.person.into()),
                ("seen_at", at.into()),
            ];
            ("known_device", row)
        }
        ExpiredRows::Invitations => {
            let row: Row = vec![
                ("id", id.into()),
                ("token_hash", hash.into()),
                ("purpose", "first_administrator".into()),
                ("created_at", 5_i64.into()),
                ("expires_at", at.into()),
            ];
            ("invitation", row)
        }
        ExpiredRows::UsageBatches => ("usage_batch", vec![("id", id.into()), ("added_at", at.into())]),
        ExpiredRows::FailedJobs => {
            let row: Row = vec![
                ("id", id.into()),
                ("kind", "sweep_objects".into()),
                ("payload", json!({"sweep_objects": {}}).into()),
                ("attempts", 1.into()),
                ("failures", 1.into()),
                ("run_at", 5_i64.into()),
                ("failed_at", at.into()),
            ];
            ("job", row)
        }
        ExpiredRows::WebhookDeliveries => ("webhook_delivery", delivery(owners, id, at)),
        ExpiredRows::AuditEntries => {
            let row: Row = vec![
                ("id", AuditEntryId::from_parts(over, ambient.random()).uuid().into()),
                ("at", at.into()),
                ("actor", "command_line".into()),
                ("action", "organization.create".into()),
            ];
            ("audit_entry", row)
        }
        ExpiredRows::AnsweredJobs => {
            let row: Row = vec![
                ("id", JobId::from_parts(over, ambient.random()).uuid().into()),
                ("organization_id", owners.organization.into()),
                ("kind", "process_track".into()),
                ("created_at", at.into()),
            ];
            ("answered_job", row)
        }
        ExpiredRows::UndoEntries => {
            let row: Row = vec![
                ("id", id.into()),
                ("organization_id", owners.organization.into()),
                ("person_id", unique(ambient, over).into()),
                ("change", "{}".into()),
                ("expires_at", at.into()),
            ];
            ("undo_entry", row)
        }
        ExpiredRows::Nodes => {
            let row: Row = vec![
                ("id", id.into()),
                ("name", "one".into()),
                ("address", "127.0.0.1:8080".into()),
                ("version", "0.1.0".into()),
                ("roles", "api".into()),
                ("started_at", 5_i64.into()),
                ("seen_at", at.into()),
            ];
            ("node", row)
        }
        ExpiredRows::SignInStates => {
            ("sign_in_state", vec![("hash", hash.into()), ("expires_at", at.into())])
        }
        ExpiredRows::OldKeys => {
            // Each key has at most one old secret, so each row has a key of its own.
            let row: Row = vec![
                ("api_key_id", id.into()),
                ("key_hash", id.as_bytes().to_vec().into()),
                ("valid_until", at.into()),
            ];
            ("old_api_key", row)
        }
        ExpiredRows::FormerFiles => {
            let row: Row = vec![
                ("object_key", id.to_string().into()),
                ("track_duration", 5.0.into()),
                ("replaced_at", at.into()),
            ];
            ("former_file", row)
        }
        ExpiredRows::Replacements => {
            let row: Row = vec![
                ("track_id", id.into()),
                ("id", unique(ambient, over).into()),
                ("organization_id", owners.organization.into()),
                ("state", "completed".into()),
                ("created_at", at.into()),
                ("expires_at", at.into()),
            ];
            ("source_replacement", row)
        }
        ExpiredRows::ListenerTracks | ExpiredRows::ListenerSightings => {
            // Days are removed as a whole.
            let day = Day::of(over).number() + i32::from(over > owners.now);
            let mut row: Row =
                vec![("organization_id", id.into()), ("day", day.into()), ("listener", 7_i64.into())];
            if rows == ExpiredRows::ListenerSightings {
                row.extend([("kind", "organization".into()), ("subject", "".into())]);
                return ("listener_sighting", row);
            }
            row.extend([
                ("folder", "abcdefghij01".into()),
                ("taken_micros", 5_i64.into()),
                ("segments", 1_i64.into()),
                ("is_listen", false.into()),
                ("is_member", false.into()),
            ]);
            ("listener_track", row)
        }
    }
}

/// Inserts the key to which an old secret belongs.
async fn key_of(rows: ExpiredRows, owners: &Owners, row: &Row, db: &DatabaseConnection) {
    if rows != ExpiredRows::OldKeys {
        return;
    }
    let key: Row = vec![
        ("id", row[0].1.clone()),
        ("organization_id", owners.organization.into()),
        ("key_hash", row[1].1.clone()),
        ("title", "".into()),
        ("api_key_type_id", "api".into()),
        ("is_downloadable", false.into()),
        ("created_at", 5_i64.into()),
    ];
    insert(db, "api_key", key).await;
}

async fn count(db: &DatabaseConnection, table: &str) -> i64 {
    let ask =
        Statement::from_string(db.get_database_backend(), format!("SELECT COUNT(*) AS count FROM {table}"));
    db.query_one_raw(ask).await.unwrap().unwrap().try_get("", "count").unwrap()
}

async fn expired_rows_go_in_batches_and_younger_ones_stay(database: TestDatabase) {
    let (catalog, (ambient, _), raw) = (database.catalog().await, ambient(), database.raw().await);
    let owners = Owners::insert(&database, &ambient, &raw).await;
    let until = ambient.now();
    for rows in ExpiredRows::ALL {
        let mut table = "";
        for number in 0..23 {
            let over = until.plus_millis(-number / 2);
            let (of, row) = row(rows, &owners, &ambient, over);
            table = of;
            key_of(rows, &owners, &row, &raw).await;
            insert(&raw, of, row).await;
        }
        for millis in [1, 2, 1_000_000] {
            let (of, row) = row(rows, &owners, &ambient, until.plus_millis(millis));
            key_of(rows, &owners, &row, &raw).await;
            insert(&raw, of, row).await;
        }
        let mut removed = Vec::new();
        for _ in 0..4 {
            removed.push(catalog.delete_expired(rows, until, 10).await.unwrap());
        }
        assert_eq!(removed, [10, 10, 3, 0], "{rows:?}");
        assert_eq!(count(&raw, table).await, 3, "{rows:?}");
        raw.execute_unprepared(&format!("DELETE FROM {table}")).await.unwrap();
    }
}

async fn attempts_go_with_their_delivery(database: TestDatabase) {
    let (catalog, (ambient, _), raw) = (database.catalog().await, ambient(), database.raw().await);
    let owners = Owners::insert(&database, &ambient, &raw).await;
    let now = ambient.now();
    for millis in [0, 1] {
        let id = unique(&ambient, now);
        insert(&raw, "webhook_delivery", delivery(&owners, id, now.unix_millis() + millis)).await;
        let attempt: Row = vec![
            ("delivery_id", id.into()),
            ("number", 1.into()),
            ("url", "https://example.com".into()),
            ("started_at", 5_i64.into()),
            ("duration_ms", 5.into()),
            ("response", "".into()),
        ];
        insert(&raw, "webhook_attempt", attempt).await;
    }
    assert_eq!(catalog.delete_expired(ExpiredRows::WebhookDeliveries, now, 1000).await.unwrap(), 1);
    assert_eq!(count(&raw, "webhook_attempt").await, 1);
}

/// If a batch is submitted while the row with its ID is being removed, either the batch is new or the row stays.
async fn a_renewed_row_stays(database: TestDatabase) {
    let (catalog, (ambient, _), raw) = (database.catalog().await, ambient(), database.raw().await);
    let now = ambient.now();
    for number in 0..40 {
        let at = now.plus_millis(-number).unix_millis();
        insert(&raw, "usage_batch", vec![("id", unique(&ambient, now).into()), ("added_at", at.into())])
            .await;
    }
    let renew = Query::update()
        .table("usage_batch")
        .value("added_at", now.plus_seconds(5).unix_millis())
        .and_where(sea_orm::sea_query::Expr::col("added_at").gt(now.plus_millis(-20).unix_millis()))
        .take();
    let (renewed, removed) =
        tokio::join!(async { raw.execute(&renew).await.unwrap().rows_affected() }, async {
            catalog.delete_expired(ExpiredRows::UsageBatches, now, 1000).await.unwrap()
        },);
    assert_eq!(removed + u64::try_from(count(&raw, "usage_batch").await).unwrap(), 40);
    assert_eq!(u64::try_from(count(&raw, "usage_batch").await).unwrap(), renewed);
}
