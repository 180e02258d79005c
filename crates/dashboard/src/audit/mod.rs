//! The audit log: who did what.

use askama::Template;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::StreamExt;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use tonearm_domain::{AuditAction, AuditEntryId, AuditRecord, PersonId, Role};
use tonearm_service::AuditFilter;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render};
use crate::paging::cut_to_page;
use crate::path::Query;
use crate::session::{Member, Owner};
use crate::text::t;

/// Rows per page.
const ROWS: usize = 50;

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new().route("/audit", get(page)).route("/audit.ndjson", get(export))
}

#[derive(Template)]
#[template(path = "audit/audit.html")]
struct AuditPage {
    frame: Frame,
    rows: Vec<AuditRow>,
    actions: Vec<&'static str>,
    action: String,
    older: Option<String>,
}

struct AuditRow {
    at: String,
    who: String,
    address: String,
    action: String,
    title: String,
    subject: String,
}

#[derive(Deserialize)]
pub(super) struct AuditQuery {
    #[serde(default)]
    action: String,
    #[serde(default)]
    before: String,
}

async fn page(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    Query(query): Query<AuditQuery>,
) -> Result<Response, PageError> {
    let (caller, filter) = (member.caller(), filter(&query));
    let before = query.before.parse::<AuditEntryId>().ok();
    let mut records = app.audit.entries(&caller, &filter, before, ROWS as u64 + 1).await?;
    let older = cut_to_page(&mut records, ROWS).map(|last| last.id.to_string());
    let members = app.people.members(&caller).await?.members;
    let name = |id: PersonId| {
        members.iter().find(|member| member.person.id == id).map(|member| member.person.name.clone())
    };
    Ok(render(&AuditPage {
        frame: member.frame(t("base-audit"), Section::Audit),
        rows: records.into_iter().map(|record| AuditRow::of(record, name)).collect(),
        actions: AuditAction::ALL.iter().map(|action| action.as_str()).collect(),
        action: query.action,
        older,
    }))
}

async fn export(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    Query(query): Query<AuditQuery>,
) -> Result<Response, PageError> {
    let (caller, filter) = (member.caller(), filter(&query));
    // The stream borrows its query, so a separate task owns both. It ends when the client disconnects.
    let (lines, read) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(64);
    tokio::spawn(async move {
        let mut records = std::pin::pin!(app.audit.export(&caller, &filter));
        let mut sent: usize = 0;
        while let Some(record) = records.next().await {
            sent += 1;
            if sent.is_multiple_of(ROWS) && !is_still_owner(&app, &member).await {
                // The download fails, as it is not whole.
                let _ = lines.send(Err(std::io::ErrorKind::PermissionDenied.into())).await;
                return;
            }
            let line = record.map_err(std::io::Error::other).and_then(|record| line(&record));
            let is_over = line.is_err();
            if lines.send(line).await.is_err() || is_over {
                return;
            }
        }
    });
    let body = Body::from_stream(tokio_stream::wrappers::ReceiverStream::new(read));
    let headers = [
        (CONTENT_TYPE, "application/x-ndjson"),
        (CONTENT_DISPOSITION, "attachment; filename=\"audit.ndjson\""),
    ];
    Ok((headers, body).into_response())
}

/// Whether the member is still signed in, and an owner. An export takes as long as the client reads.
async fn is_still_owner(app: &Dashboard, member: &Member<Owner>) -> bool {
    let Ok(Some(resumed)) = app.people.resume(&member.signed_in.session.token).await else { return false };
    let Ok(organizations) = app.people.organizations_of(&resumed.person).await else { return false };
    organizations.iter().any(|(own, role)| own.id == member.organization.id && *role == Role::Owner)
}

fn line(record: &AuditRecord) -> Result<Bytes, std::io::Error> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line.into())
}

fn filter(query: &AuditQuery) -> AuditFilter {
    let action = AuditAction::ALL.iter().find(|action| action.as_str() == query.action);
    AuditFilter { action: action.map(|action| action.as_str().to_owned()), ..AuditFilter::default() }
}

impl AuditRow {
    fn of(record: AuditRecord, name: impl Fn(PersonId) -> Option<String>) -> Self {
        let person = record.actor_id.map(PersonId::from_uuid).and_then(name);
        Self {
            at: record.at.to_string(),
            who: match (person, record.actor.as_str()) {
                (Some(name), _) => name,
                (None, "person") => t("audit-former-member").into(),
                (None, "key") => t("audit-key").into(),
                (None, "uploader") => t("audit-uploader").into(),
                (None, "command_line") => t("audit-command-line").into(),
                (None, "stranger") => t("audit-stranger").into(),
                (None, other) => other.to_owned(),
            },
            address: record.address.map(|address| address.to_string()).unwrap_or_default(),
            action: record.action,
            title: record.title.unwrap_or_default(),
            subject: record.subject_id.map(|id| id.to_string()).unwrap_or_default(),
        }
    }
}
