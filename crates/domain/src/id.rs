//! Identifiers, one type per noun, so that a track's id can never be passed in place of a collection's id.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::timestamp::Timestamp;

/// Text that is not a UUID in its hyphenated form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID of the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")]
pub struct IdError;

/// An id of a record: UUID version 7, so that ids sort by creation.
pub trait RecordId: Sized {
    /// Builds the id from the moment of creation and ten random bytes.
    fn from_parts(now: Timestamp, random: [u8; 10]) -> Self;
}

/// An id that is itself a credential: UUID version 4, 122 random bits and nothing guessable.
pub trait CredentialId: Sized {
    /// Builds the id from sixteen random bytes.
    fn from_random(random: [u8; 16]) -> Self;
}

/// Only the hyphenated form is an id: other spellings of one UUID would be several addresses of one resource.
fn parse_hyphenated(text: &str) -> Result<Uuid, IdError> {
    if text.len() != 36 {
        return Err(IdError);
    }
    Uuid::try_parse(text).map_err(|_| IdError)
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that is already known to be of this type, such as one read from the catalog.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bare UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                parse_hyphenated(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }
    };
}

macro_rules! record_id {
    ($(#[$doc:meta])* $name:ident) => {
        id_type!($(#[$doc])* $name);
        impl RecordId for $name {
            fn from_parts(now: Timestamp, random: [u8; 10]) -> Self {
                Self(uuid::Builder::from_unix_timestamp_millis(now.unix_millis_unsigned(), &random).into_uuid())
            }
        }
    };
}

macro_rules! credential_id {
    ($(#[$doc:meta])* $name:ident) => {
        id_type!($(#[$doc])* $name);
        impl CredentialId for $name {
            fn from_random(random: [u8; 16]) -> Self {
                Self(uuid::Builder::from_random_bytes(random).into_uuid())
            }
        }
    };
}

record_id!(
    /// An organization: the owner of everything else.
    OrganizationId
);
record_id!(
    /// Names a play session or an upload session in lists. Unlike the id of the session, it is no credential.
    SessionHandle
);
record_id!(
    /// A collection of tracks.
    CollectionId
);
record_id!(
    /// A track.
    TrackId
);
record_id!(
    /// A creator, to whom tracks are attributed.
    CreatorId
);
record_id!(
    /// An API key (the record, not the secret).
    ApiKeyId
);
record_id!(
    /// A batch of what one node counted between two reports.
    UsageBatchId
);
record_id!(
    /// A variant recipe, of an organization or of one track.
    VariantId
);
record_id!(
    /// A change of many tracks that can be undone.
    UndoId
);
record_id!(
    /// A rendered file of a track.
    FileId
);
record_id!(
    /// A queued piece of background work.
    JobId
);
record_id!(
    /// A node, from one start to the next.
    NodeId
);
record_id!(
    /// A running backup, during which objects are not removed from the store.
    RemovalHoldId
);
record_id!(
    /// A replacement of a track's source.
    ReplacementId
);
record_id!(
    /// A person who signs in to the dashboard.
    PersonId
);
record_id!(
    /// One sign-in of a person (the record, not the secret of its cookie).
    SignInId
);
record_id!(
    /// An account of a person at an OpenID Connect provider.
    IdentityId
);
record_id!(
    /// An invitation of a person to an organization (the record, not the secret of its link).
    InvitationId
);
record_id!(
    /// An endpoint that events are sent to.
    WebhookId
);
record_id!(
    /// A delivery of one event to one endpoint.
    WebhookDeliveryId
);
record_id!(
    /// An entry of the audit log.
    AuditEntryId
);
credential_id!(
    /// A play session; any holder of the id may play.
    PlaySessionId
);
credential_id!(
    /// An upload session; any holder of the id may upload.
    UploadSessionId
);
credential_id!(
    /// A resumable upload; any holder of the id may send its bytes.
    UploadId
);
credential_id!(
    /// One worker's lease on one job: a worker can finish a job only while it holds the lease.
    LeaseId
);
credential_id!(
    /// One request, as named in `X-Request-Id` and `api_request_id`.
    RequestId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_seven_for_records_and_four_for_credentials() {
        let track = TrackId::from_parts(Timestamp::from_unix_millis(1_700_000_000_000).unwrap(), [7; 10]);
        assert_eq!(track.uuid().get_version_num(), 7);
        let session = PlaySessionId::from_random([9; 16]);
        assert_eq!(session.uuid().get_version_num(), 4);
    }

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let id = PlaySessionId::from_random([1; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in [
            id.uuid().simple().to_string(),
            id.uuid().braced().to_string(),
            id.uuid().urn().to_string(),
            String::new(),
            "x".repeat(36),
        ] {
            assert_eq!(text.parse::<PlaySessionId>(), Err(IdError), "{text}");
        }
    }
}
