//! Who sends a request, expressed by the type of an extractor.

use std::marker::PhantomData;
use std::net::IpAddr;

use axum::extract::{FromRequestParts, OriginalUri, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;
use http::header::USER_AGENT;
use http::request::Parts;
use tonearm_domain::{
    Actor, Ambient, ClientAddress, ErrorCode, Organization, OrganizationId, Origin, Person,
    RequestOrganization, Role,
};
use tonearm_service::{
    Caller, Device, Office, Refusal, Resource, Resumed, act_on_sign_in, in_request, take_turn,
    take_turn_of_person,
};
use tonearm_signing::Token;

use crate::app::Dashboard;
use crate::asker;
use crate::cookie;
use crate::error::PageError;
use crate::flash::FlashMessage;
use crate::page::{Frame, Section};
use crate::path::{PathId, path_id, path_parameters};
use crate::text;

/// The session of a signed-in browser.
#[derive(Clone)]
pub(crate) struct Session {
    /// The secret in its cookie.
    pub(crate) token: Token,
    /// The person and their sign-in.
    pub(crate) resumed: Resumed,
}

/// Identifies the person before anything else is done.
pub(crate) async fn resume(
    State(app): State<Dashboard>,
    mut request: Request,
    next: Next,
) -> Result<Response, PageError> {
    judge(&app, &mut request).await?;
    let person = request.extensions().get::<Session>().map(|session| &session.resumed.person);
    let language = person.and_then(|person| person.language);
    Ok(text::of_person(language, request, next).await)
}

/// Notes who is signed in, as of now.
pub(crate) async fn judge(app: &Dashboard, request: &mut Request) -> Result<(), PageError> {
    request.extensions_mut().remove::<Session>();
    if let Some(token) = token(request.headers(), cookie::sign_in_name(app.is_https()))
        && let Some(resumed) = app.people.resume(&token).await?
    {
        request.extensions_mut().insert(Session { token, resumed });
    }
    Ok(())
}

/// Judges what a request writes by the sign-in on which it acts.
pub(crate) async fn acting(State(app): State<Dashboard>, request: Request, next: Next) -> Response {
    in_request(app.ambient, request, |request| next.clone().run(request)).await
}

/// The secret in a cookie.
fn token(headers: &HeaderMap, name: &str) -> Option<Token> {
    cookie::read(headers, name)?.parse().ok()
}

/// The address of the client, if the server knows it.
pub(crate) fn address(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ClientAddress>().map(|client| client.ip())
}

/// The address and the browser of the client, signed in or not.
pub(crate) struct RequestDevice(pub(crate) Device);

impl FromRequestParts<Dashboard> for RequestDevice {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Dashboard) -> Result<Self, Self::Rejection> {
        let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        let token = token(&parts.headers, cookie::device_name(app.is_https()));
        Ok(Self(Device { address: address(parts), user_agent: user_agent.map(str::to_owned), token }))
    }
}

/// A signed-in person. Others are redirected to sign in, and back afterwards; their scripts get an error.
pub(crate) struct SignedIn {
    pub(crate) session: Session,
    ambient: Ambient,
    flash: Option<FlashMessage>,
}

impl SignedIn {
    /// The person.
    pub(crate) fn person(&self) -> &Person {
        &self.session.resumed.person
    }

    /// A new form secret, which proves that a form belongs to this sign-in.
    pub(crate) fn form_secret(&self) -> String {
        self.session.token.form_secret(self.ambient.random())
    }

    /// The frame of a page that belongs to no organization.
    pub(crate) fn frame(&self, title: impl Into<String>, section: Section) -> Frame {
        Frame::new(title, section)
            .of_person(self.person())
            .with_form_secret(self.form_secret())
            .saying(self.flash)
    }
}

impl SignedIn {
    /// Acts on the sign-in of a request.
    fn of(parts: &Parts, app: &Dashboard) -> Result<Self, PageError> {
        let Some(session) = parts.extensions.get::<Session>().cloned() else {
            return Err(refuse_strangers(parts));
        };
        // Pages of people themselves allow more to administrators.
        let is_administrator = session.resumed.person.is_administrator;
        let office = if is_administrator { Office::Administrator } else { Office::None };
        act_on_sign_in(&session.resumed.sign_in, office)?;
        Ok(Self { session, ambient: app.ambient.clone(), flash: FlashMessage::read(&parts.headers) })
    }
}

impl FromRequestParts<Dashboard> for SignedIn {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Dashboard) -> Result<Self, PageError> {
        let signed_in = Self::of(parts, app)?;
        take_turn_of_person(signed_in.person().id).await?;
        Ok(signed_in)
    }
}

/// An administrator. Others get an error page.
pub(crate) struct Administrator {
    /// The signed-in person.
    pub(crate) signed_in: SignedIn,
    address: Option<IpAddr>,
}

impl Administrator {
    /// The origin for use cases, which check again whether the person is an administrator.
    pub(crate) fn origin(&self) -> Origin {
        Origin { actor: Actor::Person(self.signed_in.person().id), address: self.address }
    }
}

impl FromRequestParts<Dashboard> for Administrator {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Dashboard) -> Result<Self, PageError> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        if !signed_in.person().is_administrator {
            return Err(PageError::Refused(Refusal::Forbidden {
                code: ErrorCode::NotAdministrator,
                message: "only administrators can do this",
            }));
        }
        Ok(Self { signed_in, address: address(parts) })
    }
}

/// Redirects a browser to sign in and then to the requested page, or to the page whose form it sends.
fn refuse_strangers(parts: &Parts) -> PageError {
    if asker::is_script(&parts.headers) {
        return PageError::SignedOut;
    }
    if parts.method != http::Method::GET {
        return PageError::SignInFirst { next: asker::page_of(&parts.headers), sent_form: true };
    }
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0);
    PageError::SignInFirst { next: uri.path_and_query().map(ToString::to_string), sent_form: false }
}

/// A role, as a type.
pub(crate) trait RequiredRole: Send + Sync {
    /// The minimum role.
    const ROLE: Role;
}

/// See [`Role::Viewer`].
pub(crate) struct Viewer;
/// See [`Role::Editor`].
pub(crate) struct Editor;
/// See [`Role::Owner`].
pub(crate) struct Owner;

impl RequiredRole for Viewer {
    const ROLE: Role = Role::Viewer;
}
impl RequiredRole for Editor {
    const ROLE: Role = Role::Editor;
}
impl RequiredRole for Owner {
    const ROLE: Role = Role::Owner;
}

/// A member of the organization in the address with at least a role. For others the organization does not exist;
/// members with a lesser role get an error that says so.
pub(crate) struct Member<R> {
    /// The signed-in person.
    pub(crate) signed_in: SignedIn,
    /// The organization in the address.
    pub(crate) organization: Organization,
    /// The member's role in it.
    pub(crate) role: Role,
    organizations: Vec<(Organization, Role)>,
    address: Option<IpAddr>,
    least: PhantomData<R>,
}

impl<R> Member<R> {
    /// The caller for use cases.
    pub(crate) fn caller(&self) -> Caller {
        Caller::person(self.organization.id, self.signed_in.person().id).from_address(self.address)
    }

    /// The frame of a page of the organization.
    pub(crate) fn frame(&self, title: impl Into<String>, section: Section) -> Frame {
        self.signed_in.frame(title, section).of_organization(
            &self.organization,
            self.role,
            &self.organizations,
        )
    }

    /// The address of a page of the organization; `path` begins with a slash or is empty.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("/dashboard/{}{path}", self.organization.id)
    }
}

impl<R: RequiredRole> FromRequestParts<Dashboard> for Member<R> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Dashboard) -> Result<Self, PageError> {
        let signed_in = SignedIn::of(parts, app)?;
        let PathId(id) = PathId::<OrganizationId>::from_request_parts(parts, app).await?;
        let organizations = app.people.organizations_of(signed_in.person()).await?;
        let own = organizations.iter().find(|(organization, _)| organization.id == id);
        let not_found = PageError::Refused(Refusal::NotFound(Resource::Organization));
        let (organization, role) = own.cloned().ok_or(not_found)?;
        if role < R::ROLE {
            return Err(PageError::RoleTooLow(R::ROLE));
        }
        // Pages allow more to those who have more than the least role, so all of it is judged again.
        act_on_sign_in(&signed_in.session.resumed.sign_in, Office::Member(id, role))?;
        let address = address(parts);
        let member = Self { signed_in, organization, role, organizations, address, least: PhantomData };
        RequestOrganization::note(parts.extensions.get(), id);
        take_turn(&member.caller()).await?;
        Ok(member)
    }
}

/// A signed-in person on their own pages. If the address names an organization, the page has that organization's
/// navigation.
pub(crate) enum OwnProfile {
    /// Within this organization.
    In(Box<Member<Viewer>>),
    /// Outside of any organization.
    Alone(Box<SignedIn>),
}

impl OwnProfile {
    /// The signed-in person.
    pub(crate) fn signed_in(&self) -> &SignedIn {
        match self {
            Self::In(member) => &member.signed_in,
            Self::Alone(signed_in) => signed_in,
        }
    }

    /// The frame of the page.
    pub(crate) fn frame(&self, title: impl Into<String>, section: Section) -> Frame {
        match self {
            Self::In(member) => member.frame(title, section),
            Self::Alone(signed_in) => signed_in.frame(title, section),
        }
    }

    /// The address of one of the person's own pages.
    pub(crate) fn path(&self, path: &str) -> String {
        match self {
            Self::In(member) => member.path(path),
            Self::Alone(_) => format!("/dashboard{path}"),
        }
    }
}

impl FromRequestParts<Dashboard> for OwnProfile {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Dashboard) -> Result<Self, PageError> {
        let parameters = path_parameters(parts).await;
        if parameters.is_ok_and(|parameters| path_id::<OrganizationId>(&parameters).is_some()) {
            return Ok(Self::In(Box::new(Member::from_request_parts(parts, app).await?)));
        }
        Ok(Self::Alone(Box::new(SignedIn::from_request_parts(parts, app).await?)))
    }
}
