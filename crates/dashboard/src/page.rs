//! The frame of every page: title, navigation, and the message about the last action.

use askama::Template;
use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use tonearm_domain::{Language, Organization, Person, Role};

use crate::assets;
use crate::flash::FlashMessage;
use crate::text;

/// The section of the navigation that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    None,
    Library,
    Usage,
    Organization,
    Keys,
    Recipes,
    Webhooks,
    Transcription,
    Members,
    Audit,
    Profile,
    People,
    Status,
}

/// One entry of the navigation.
pub(crate) struct Entry {
    pub(crate) section: Section,
    /// The id of its message.
    pub(crate) title: &'static str,
    pub(crate) path: &'static str,
    pub(crate) icon: &'static str,
}

const fn entry(section: Section, title: &'static str, path: &'static str, icon: &'static str) -> Entry {
    Entry { section, title, path, icon }
}

const EVERYDAY: &[Entry] = &[
    entry(Section::Library, "base-library", "/library", "library"),
    entry(Section::Usage, "base-usage", "/usage", "usage"),
];
const FOR_EDITORS: &[Entry] = &[entry(Section::Keys, "base-keys", "/keys", "keys")];
const FOR_OWNERS: &[Entry] = &[
    entry(Section::Keys, "base-keys", "/keys", "keys"),
    entry(Section::Recipes, "base-variants", "/variants", "variants"),
    entry(Section::Webhooks, "base-webhooks", "/webhooks", "webhooks"),
    entry(Section::Transcription, "base-transcription", "/transcription", "transcription"),
    entry(Section::Members, "base-members", "/members", "members"),
    entry(Section::Audit, "base-audit", "/audit", "audit"),
    entry(Section::Organization, "base-organization", "/organization", "organization"),
];

/// An organization in the navigation.
pub(crate) struct OrganizationLink {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) role: Role,
}

/// A person in the navigation.
pub(crate) struct PersonLink {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: String,
}

impl PersonLink {
    /// The first letter of the name.
    pub(crate) fn initial(&self) -> String {
        self.name.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
    }
}

/// The frame of a page. Templates have it as `frame`.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) section: Section,
    pub(crate) form_secret: String,
    pub(crate) who: Option<PersonLink>,
    /// Whether the person viewing the page is an administrator.
    pub(crate) is_administrator: bool,
    pub(crate) here: Option<OrganizationLink>,
    pub(crate) elsewhere: Vec<OrganizationLink>,
    pub(crate) flash: Option<FlashMessage>,
}

impl Frame {
    pub(crate) fn new(title: impl Into<String>, section: Section) -> Self {
        Self {
            title: title.into(),
            section,
            form_secret: String::new(),
            who: None,
            is_administrator: false,
            here: None,
            elsewhere: Vec::new(),
            flash: None,
        }
    }

    pub(crate) fn of_person(mut self, person: &Person) -> Self {
        self.who = Some(PersonLink {
            id: person.id.to_string(),
            name: person.name.clone(),
            email: person.email.to_string(),
        });
        self.is_administrator = person.is_administrator;
        self
    }

    pub(crate) fn with_form_secret(mut self, secret: String) -> Self {
        self.form_secret = secret;
        self
    }

    pub(crate) fn saying(mut self, flash: Option<FlashMessage>) -> Self {
        self.flash = flash;
        self
    }

    pub(crate) fn of_organization(
        mut self,
        organization: &Organization,
        role: Role,
        all: &[(Organization, Role)],
    ) -> Self {
        let place = |organization: &Organization, role| OrganizationLink {
            id: organization.id.to_string(),
            name: organization.name.clone(),
            role,
        };
        self.here = Some(place(organization, role));
        self.elsewhere = all
            .iter()
            .filter(|(other, _)| other.id != organization.id)
            .map(|(other, role)| place(other, *role))
            .collect();
        self
    }

    /// The language of the page, as a tag.
    pub(crate) fn language(&self) -> Language {
        text::current()
    }

    /// The address of a file that pages load.
    pub(crate) fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    /// The first entries of the navigation.
    pub(crate) fn everyday(&self) -> &'static [Entry] {
        EVERYDAY
    }

    /// The entries below them.
    pub(crate) fn settings(&self) -> &'static [Entry] {
        match self.here.as_ref().map(|here| here.role) {
            Some(Role::Owner) => FOR_OWNERS,
            Some(Role::Editor) => FOR_EDITORS,
            Some(Role::Viewer) | None => &[],
        }
    }

    /// Whether the person viewing the page is an owner of the organization.
    pub(crate) fn is_owner(&self) -> bool {
        self.here.as_ref().is_some_and(|here| here.role == Role::Owner)
    }

    /// The base path of the viewing person's own pages.
    pub(crate) fn profile(&self) -> String {
        let base = self.here.as_ref().map_or_else(|| "/dashboard".to_owned(), |_| self.base());
        base + "/profile"
    }

    /// The base path of the organization's pages.
    pub(crate) fn base(&self) -> String {
        self.here.as_ref().map(|here| format!("/dashboard/{}", here.id)).unwrap_or_default()
    }
}

/// Renders a page.
pub(crate) fn render(page: &impl Template) -> Response {
    render_with(StatusCode::OK, page)
}

/// Renders a page with another status, such as a form that has to be corrected.
pub(crate) fn render_with(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
