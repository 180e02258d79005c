//! What the next page says about what was just done. A cookie carries which sentence it is, never the sentence.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::Method;
use http::header::SET_COOKIE;

use uuid::Uuid;

use crate::app::Dashboard;
use crate::cookie;

const NAME: &str = "tonearm_flash";

macro_rules! flashes {
    ($($(#[$doc:meta])* $name:ident = $code:literal: $sentence:literal,)*) => {
        /// What the next page says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Flash {
            $($(#[$doc])* $name,)*
        }

        impl Flash {
            const ALL: &[Self] = &[$(Self::$name,)*];

            const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// The sentence.
            pub(crate) const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }
        }
    };
}

flashes! {
    Saved = "saved": "Changes saved.",
    KeyRevoked = "key-revoked": "Key revoked. It stops working within two seconds.",
    LinkWithdrawn = "link-withdrawn": "Invitation withdrawn.",
    RoleChanged = "role-changed": "Role changed.",
    MemberRemoved = "member-removed": "Member removed.",
    PasswordChanged = "password-changed": "Password changed. Your other browsers were signed out.",
    SignedOutThere = "signed-out-there": "Browser signed out.",
    Joined = "joined": "You are now a member.",
    CoverSaved = "cover-saved": "Cover updated.",
    CoverReset = "cover-reset": "Cover reset. The one of the file, or a generated one, appears in a moment.",
    RecipeAdded = "recipe-added": "Variant added. It will be made for new tracks.",
    RecipeRemoved = "recipe-removed": "Variant removed. Its files are deleted in the background.",
    RenderQueued = "render-queued": "Rendering started for existing tracks.",
    EndpointRemoved = "endpoint-removed": "Endpoint removed.",
    TestSent = "test-sent": "Test event queued. Its attempts appear below.",
    Replayed = "replayed": "Redelivery queued.",
    RetryQueued = "retry-queued": "Retry started for the missing files.",
    Restored = "restored": "Restored.",
    FilesTaken = "files-taken": "Files uploaded. They are being processed.",
    ImportQueued = "import-queued": "Import started. The track appears below.",
    SigningKeyRevoked = "signing-key-revoked": "Signing key revoked. URLs signed with it stop working within 30 seconds.",
    CollectionDeleted = "collection-deleted": "Collection and its tracks deleted.",
    TrackDeleted = "track-deleted": "Track deleted.",
    PersonDisabled = "person-disabled": "Account disabled. The person was signed out everywhere.",
    PersonEnabled = "person-enabled": "Account enabled.",
    PersonRemoved = "person-removed": "Account removed.",
    SecondFactorOff = "second-factor-off": "Two-factor authentication is off.",
    SecondFactorReset = "second-factor-reset": "Two-factor authentication reset. The person was signed out everywhere.",
    SessionsEnded = "sessions-ended": "All sessions ended.",
    AdministratorAdded = "administrator-added": "This person is now an administrator.",
    AdministratorRemoved = "administrator-removed": "This person is no longer an administrator.",
    ShareLinkCreated = "share-link-created": "Link created.",
    ShareLinkRevoked = "share-link-revoked": "Link revoked. It stops working within two seconds.",
    ReplacementTaken = "replacement-taken": "File uploaded. The track keeps its current file until the new one is processed.",
    ReplacementCancelled = "replacement-cancelled": "Replacement cancelled. The track keeps its file.",
    TranscriptionQueued = "transcription-queued": "Transcription started. The transcript appears when it is done.",
    TracksDeleted = "tracks-deleted": "Tracks deleted.",
    TracksMoved = "tracks-moved": "Tracks moved.",
    TracksRetitled = "tracks-retitled": "Titles changed.",
    NothingChanged = "nothing-changed": "Nothing needed to be changed.",
    Undone = "undone": "Change undone.",
    OrganizationCreated = "organization-created": "Organization created.",
}

/// A sentence, and what it is about where that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlashMessage {
    pub(crate) flash: Flash,
    subject: Option<Uuid>,
}

impl FlashMessage {
    pub(crate) fn read(headers: &http::HeaderMap) -> Option<Self> {
        let text = cookie::read(headers, NAME)?;
        let (code, subject) = text.split_once('.').map_or((text, None), |(code, id)| (code, id.parse().ok()));
        let flash = Flash::ALL.iter().copied().find(|flash| flash.code() == code)?;
        Some(Self { flash, subject })
    }

    /// The sentence.
    pub(crate) const fn sentence(self) -> &'static str {
        self.flash.sentence()
    }

    /// Whether what was deleted is listed with everything else that was.
    pub(crate) const fn is_deletion(self) -> bool {
        matches!(self.flash, Flash::TrackDeleted | Flash::CollectionDeleted | Flash::TracksDeleted)
    }

    /// Where, below an organization's address, it is undone.
    pub(crate) fn undo(self) -> Option<String> {
        let id = self.subject?;
        match self.flash {
            Flash::TrackDeleted => Some(format!("/tracks/{id}/restore")),
            Flash::CollectionDeleted => Some(format!("/collections/{id}/restore")),
            Flash::TracksDeleted | Flash::TracksMoved | Flash::TracksRetitled => Some(format!("/undo/{id}")),
            _ => None,
        }
    }
}

impl Flash {
    /// Sends the browser to a page that says it, with a button that undoes what was done to a thing.
    pub(crate) fn then_undo(self, address: &str, subject: Uuid) -> Response {
        self.then_with(address, format!("{}.{subject}", self.code()))
    }

    /// Sends the browser to a page that says it.
    pub(crate) fn then(self, address: &str) -> Response {
        self.then_with(address, self.code().to_owned())
    }

    fn then_with(self, address: &str, text: String) -> Response {
        let mut response = Redirect::to(address).into_response();
        // Not a secret, and gone after one page: it need not know of TLS.
        response.headers_mut().append(SET_COOKIE, cookie::set(NAME, &text, 60, false));
        response
    }
}

/// Takes the cookie away from whoever is shown a page.
pub(crate) async fn clear_shown(State(app): State<Dashboard>, request: Request, next: Next) -> Response {
    let is_shown = request.method() == Method::GET && FlashMessage::read(request.headers()).is_some();
    let mut response = next.run(request).await;
    let is_page = response.status().is_success()
        && response
            .headers()
            .get("content-type")
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_shown && is_page {
        response.headers_mut().append(SET_COOKIE, cookie::clear(NAME, app.is_https()));
    }
    response
}
