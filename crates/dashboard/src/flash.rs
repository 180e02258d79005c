//! Messages that the next page shows about the last action. A cookie carries the code of the sentence, never the
//! sentence.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::Method;
use http::header::SET_COOKIE;

use uuid::Uuid;

use crate::app::Dashboard;
use crate::cookie;
use crate::text::{Message, t};

const NAME: &str = "tonearm_flash";

macro_rules! flashes {
    ($($(#[$doc:meta])* $name:ident = $code:literal $message:literal,)*) => {
        /// The message that the next page shows.
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
            pub(crate) fn sentence(self) -> Message {
                match self {
                    $(Self::$name => t($message),)*
                }
            }
        }
    };
}

flashes! {
    Saved = "saved" "flash-saved",
    KeyRevoked = "key-revoked" "flash-key-revoked",
    SessionEnded = "session-ended" "flash-session-ended",
    OldSecretEnded = "old-secret-ended" "flash-old-secret-ended",
    LinkWithdrawn = "link-withdrawn" "flash-link-withdrawn",
    RoleChanged = "role-changed" "flash-role-changed",
    MemberRemoved = "member-removed" "flash-member-removed",
    PasswordChanged = "password-changed" "flash-password-changed",
    SignedOutThere = "signed-out-there" "flash-signed-out-there",
    Joined = "joined" "flash-joined",
    CoverSaved = "cover-saved" "flash-cover-saved",
    CoverReset = "cover-reset" "flash-cover-reset",
    CoverRemoved = "cover-removed" "flash-cover-removed",
    RecipeAdded = "recipe-added" "flash-recipe-added",
    RecipeRemoved = "recipe-removed" "flash-recipe-removed",
    RenderQueued = "render-queued" "flash-render-queued",
    EndpointRemoved = "endpoint-removed" "flash-endpoint-removed",
    TestSent = "test-sent" "flash-test-sent",
    Replayed = "replayed" "flash-replayed",
    JobsRetried = "jobs-retried" "flash-jobs-retried",
    SomeJobsRetried = "some-jobs-retried" "flash-some-jobs-retried",
    RetryQueued = "retry-queued" "flash-retry-queued",
    Restored = "restored" "flash-restored",
    FilesTaken = "files-taken" "flash-files-taken",
    ImportQueued = "import-queued" "flash-import-queued",
    SigningKeyRevoked = "signing-key-revoked" "flash-signing-key-revoked",
    CollectionDeleted = "collection-deleted" "flash-collection-deleted",
    TrackDeleted = "track-deleted" "flash-track-deleted",
    PersonDisabled = "person-disabled" "flash-person-disabled",
    PersonEnabled = "person-enabled" "flash-person-enabled",
    PersonRemoved = "person-removed" "flash-person-removed",
    SecondFactorOff = "second-factor-off" "flash-second-factor-off",
    SecondFactorReset = "second-factor-reset" "flash-second-factor-reset",
    IdentityLinked = "identity-linked" "flash-identity-linked",
    IdentityUnlinked = "identity-unlinked" "flash-identity-unlinked",
    SessionsEnded = "sessions-ended" "flash-sessions-ended",
    AdministratorAdded = "administrator-added" "flash-administrator-added",
    AdministratorRemoved = "administrator-removed" "flash-administrator-removed",
    ShareLinkCreated = "share-link-created" "flash-share-link-created",
    ShareLinkRevoked = "share-link-revoked" "flash-share-link-revoked",
    ReplacementTaken = "replacement-taken" "flash-replacement-taken",
    ReplacementCancelled = "replacement-cancelled" "flash-replacement-cancelled",
    ReplacementUndone = "replacement-undone" "flash-replacement-undone",
    TranscriptionQueued = "transcription-queued" "flash-transcription-queued",
    TracksDeleted = "tracks-deleted" "flash-tracks-deleted",
    TracksMoved = "tracks-moved" "flash-tracks-moved",
    TracksRetitled = "tracks-retitled" "flash-tracks-retitled",
    TracksCovered = "tracks-covered" "flash-tracks-covered",
    NothingChanged = "nothing-changed" "flash-nothing-changed",
    Undone = "undone" "flash-undone",
    OrganizationCreated = "organization-created" "flash-organization-created",
}

/// A sentence, and its subject if the action can be undone.
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
    pub(crate) fn sentence(self) -> Message {
        self.flash.sentence()
    }

    /// Whether the deleted item is listed in the trash.
    pub(crate) const fn is_deletion(self) -> bool {
        matches!(self.flash, Flash::TrackDeleted | Flash::CollectionDeleted | Flash::TracksDeleted)
    }

    /// Whether it is about selected tracks, including the case that nothing had to be changed.
    pub(crate) const fn is_of_selection(self) -> bool {
        matches!(
            self.flash,
            Flash::TracksDeleted
                | Flash::TracksMoved
                | Flash::TracksRetitled
                | Flash::TracksCovered
                | Flash::NothingChanged
        )
    }

    /// The path of the undo form, below an organization's address.
    pub(crate) fn undo(self) -> Option<String> {
        let id = self.subject?;
        match self.flash {
            Flash::TrackDeleted => Some(format!("/tracks/{id}/restore")),
            Flash::CollectionDeleted => Some(format!("/collections/{id}/restore")),
            Flash::TracksDeleted | Flash::TracksMoved | Flash::TracksRetitled | Flash::TracksCovered => {
                Some(format!("/undo/{id}"))
            }
            _ => None,
        }
    }
}

impl Flash {
    /// Redirects to a page that shows it, with a button that undoes the action on the subject.
    pub(crate) fn then_undo(self, address: &str, subject: Uuid) -> Response {
        self.then_with(address, format!("{}.{subject}", self.code()))
    }

    /// Redirects to a page that shows it.
    pub(crate) fn then(self, address: &str) -> Response {
        self.then_with(address, self.code().to_owned())
    }

    fn then_with(self, address: &str, text: String) -> Response {
        let mut response = Redirect::to(address).into_response();
        // The cookie is not a secret and lasts for one page, so it does not need `Secure`.
        response.headers_mut().append(SET_COOKIE, cookie::set(NAME, &text, 60, false));
        response
    }
}

/// Deletes the cookie once a page has shown it.
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
