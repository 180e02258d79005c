//! The actor of an action.

use std::net::IpAddr;

use crate::{ApiKeyId, PersonId};

/// The actor of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The holder of an API key.
    Key(ApiKeyId),
    /// A person, in the dashboard.
    Person(PersonId),
    /// The holder of an upload session or a signed upload URL.
    Uploader,
    /// A user of the command line on a machine of the service.
    CommandLine,
    /// A client that is not signed in and tries to sign in.
    Stranger,
}

/// The actor of an action, and the network address it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The actor.
    pub actor: Actor,
    /// The address of the client, if the request came over the network.
    pub address: Option<IpAddr>,
}

impl Origin {
    /// A user of the command line on a machine of the service.
    pub const fn command_line() -> Self {
        Self { actor: Actor::CommandLine, address: None }
    }

    /// The holder of an upload session or a signed upload URL: the person, if known, otherwise any uploader.
    pub const fn uploader(person_id: Option<PersonId>, address: Option<IpAddr>) -> Self {
        let actor = match person_id {
            Some(id) => Actor::Person(id),
            None => Actor::Uploader,
        };
        Self { actor, address }
    }
}

impl Actor {
    /// The kind as text, as in SQL.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Person(_) => "person",
            Self::Uploader => "uploader",
            Self::CommandLine => "command_line",
            Self::Stranger => "stranger",
        }
    }

    /// The key, if the actor is the holder of one.
    pub const fn api_key_id(&self) -> Option<ApiKeyId> {
        match self {
            Self::Key(id) => Some(*id),
            _ => None,
        }
    }

    /// The person, if the actor is one.
    pub const fn person_id(&self) -> Option<PersonId> {
        match self {
            Self::Person(id) => Some(*id),
            _ => None,
        }
    }

    /// The id of the key or the person.
    pub const fn id(&self) -> Option<uuid::Uuid> {
        match self {
            Self::Key(id) => Some(id.uuid()),
            Self::Person(id) => Some(id.uuid()),
            Self::Uploader | Self::CommandLine | Self::Stranger => None,
        }
    }
}
