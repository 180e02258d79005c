//! The members of an organization.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use tonearm_domain::{Invitation, InvitationId, InvitationPurpose, PersonId, Role};
use tonearm_service::OneTimeLink;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::session::{Member, Owner};
use crate::text::{self, Message, t};

#[derive(Template)]
#[template(path = "settings/members.html")]
struct MembersPage {
    frame: Frame,
    members: Vec<MemberRow>,
    invitations: Vec<InvitationRow>,
    /// The roles to choose from for a new member.
    roles: Vec<Choice>,
    link: Option<OneTimeLink>,
    email: String,
    problems: Problems,
}

struct MemberRow {
    id: String,
    name: String,
    email: String,
    roles: Vec<Choice>,
    since: String,
    is_self: bool,
}

struct InvitationRow {
    id: String,
    email: String,
    role: Message,
    expires_at: String,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    Ok(render(&MembersPage::of(&app, &member).await?))
}

pub(super) async fn invite(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    let role: Role = fields.text("role").parse().map_err(|_| PageError::BadForm)?;
    match app.people.invite(&member.caller(), role, fields.text("email")).await {
        Ok(link) => Ok(render(&MembersPage { link: Some(link), ..MembersPage::of(&app, &member).await? })),
        Err(refusal) => {
            let (problems, email) = (Problems::of(refusal)?, fields.text("email").to_owned());
            let page = MembersPage { problems, email, ..MembersPage::of(&app, &member).await? };
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
    }
}

pub(super) async fn withdraw(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<InvitationId>,
) -> Result<Response, PageError> {
    app.people.withdraw_invitation(&member.caller(), id).await?;
    Ok(Flash::LinkWithdrawn.then(&member.path("/members")))
}

pub(super) async fn set_role(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<PersonId>,
    fields: Fields,
) -> Result<Response, PageError> {
    let role: Role = fields.text("role").parse().map_err(|_| PageError::BadForm)?;
    app.people.set_role(&member.caller(), id, role).await?;
    Ok(Flash::RoleChanged.then(&after(&member, id)))
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<PersonId>,
) -> Result<Response, PageError> {
    app.people.remove_member(&member.caller(), id).await?;
    Ok(Flash::MemberRemoved.then(&after(&member, id)))
}

/// Members who changed their own role may no longer have access to this page.
fn after(member: &Member<Owner>, changed: PersonId) -> String {
    if changed == member.signed_in.person().id { "/dashboard".to_owned() } else { member.path("/members") }
}

fn roles(chosen: Role) -> Vec<Choice> {
    Role::ALL.map(|role| Choice::new(role.as_str(), text::role(role).to_string(), role == chosen)).into()
}

impl MembersPage {
    async fn of(app: &Dashboard, member: &Member<Owner>) -> Result<Self, PageError> {
        let list = app.people.members(&member.caller()).await?;
        let own = member.signed_in.person().id;
        let members = list.members.into_iter().map(|listed| MemberRow {
            id: listed.person.id.to_string(),
            is_self: listed.person.id == own,
            name: listed.person.name,
            email: listed.person.email.to_string(),
            roles: roles(listed.membership.role),
            since: listed.membership.created_at.to_string(),
        });
        Ok(Self {
            frame: member.frame(t("base-members"), Section::Members),
            members: members.collect(),
            invitations: list.invitations.into_iter().filter_map(InvitationRow::of).collect(),
            roles: roles(Role::Editor),
            link: None,
            email: String::new(),
            problems: Problems::default(),
        })
    }
}

impl InvitationRow {
    fn of(invitation: Invitation) -> Option<Self> {
        let InvitationPurpose::Member { role, email, .. } = invitation.purpose else { return None };
        Some(Self {
            id: invitation.id.to_string(),
            email: email.map_or_else(|| t("members-anyone").into(), |email| email.to_string()),
            role: text::role(role),
            expires_at: invitation.expires_at.to_string(),
        })
    }
}
