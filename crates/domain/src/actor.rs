//! Who did something.

use std::net::IpAddr;

use crate::{ApiKeyId, PersonId};

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// Whoever holds an API key.
    Key(ApiKeyId),
    /// A person, in the dashboard.
    Person(PersonId),
    /// Whoever holds an upload session or a signed upload URL.
    Uploader,
    /// Whoever runs the command line on a machine of the service.
    CommandLine,
    /// Somebody who is not signed in, and tries to be.
    Stranger,
}

/// Who did something, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Who.
    pub actor: Actor,
    /// The address of the client, where it came over the network.
    pub address: Option<IpAddr>,
}

impl Origin {
    /// Whoever runs the command line on a machine of the service.
    pub const fn command_line() -> Self {
        Self { actor: Actor::CommandLine, address: None }
    }

    /// Whoever holds an upload session or a signed upload URL: a known person, or anybody.
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

    /// The person, where it is one.
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
