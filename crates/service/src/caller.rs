//! The caller of a use case.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AllowedOrigins, ApiKey, CollectionId, CreatorId, ErrorCode, KeyScope, OrganizationId, Origin,
    PersonId, Selection, Timestamp, TrackId,
};

use crate::refusal::{INVALID_API_KEY, Refusal, Resource};

/// When what a caller makes has to end at the latest, if ever.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LatestEnd(pub(crate) Option<Timestamp>);

impl LatestEnd {
    /// The end of a new thing: the requested one or, if none was requested, the latest possible one.
    pub(crate) fn of_new(self, requested: Option<Timestamp>) -> Result<Option<Timestamp>, Refusal> {
        match requested {
            None => Ok(self.0),
            Some(_) => self.require(requested).map(|()| requested),
        }
    }

    /// Refuses to make something last longer than the caller.
    pub(crate) fn require(self, end: Option<Timestamp>) -> Result<(), Refusal> {
        let is_later = self.0.is_some_and(|latest| end.is_none_or(|end| end > latest));
        if !is_later {
            return Ok(());
        }
        Err(Refusal::Forbidden {
            code: ErrorCode::KeyLimits,
            message: "this API key expires, and nothing that it makes or changes can last longer; choose an earlier \
                      end, or use a key that lasts longer",
        })
    }
}

/// The caller of a use case, and its scope. The type of the key has been checked when the request was authenticated.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The only organization it acts on.
    pub organization_id: OrganizationId,
    /// Its scope within the organization.
    pub scope: KeyScope,
    /// The default creator of what this key creates.
    pub creator_id: Option<CreatorId>,
    /// The variants that its play sessions may list.
    pub variants: Selection,
    /// Whether its play sessions may allow downloads.
    pub is_downloadable: bool,
    /// The origins of the pages from which its key may be used.
    pub allowed_origins: AllowedOrigins,
    /// The actor and its address, for the audit log.
    pub origin: Origin,
}

impl From<&ApiKey> for Caller {
    fn from(key: &ApiKey) -> Self {
        Self {
            organization_id: key.organization_id,
            scope: key.scope,
            creator_id: key.creator_id,
            variants: key.variants.clone(),
            is_downloadable: key.is_downloadable,
            allowed_origins: key.allowed_origins.clone(),
            origin: Origin { actor: Actor::Key(key.id), address: None },
        }
    }
}

impl Caller {
    /// The command line, which may do everything in an organization.
    pub fn owner(organization_id: OrganizationId) -> Self {
        Self::everything(organization_id, Actor::CommandLine)
    }

    /// A person in the dashboard. The person's role has already been checked.
    pub fn person(organization_id: OrganizationId, person_id: PersonId) -> Self {
        Self::everything(organization_id, Actor::Person(person_id))
    }

    /// Sets the address that the caller comes from.
    pub fn from_address(mut self, address: Option<IpAddr>) -> Self {
        self.origin.address = address;
        self
    }

    fn everything(organization_id: OrganizationId, actor: Actor) -> Self {
        Self {
            organization_id,
            scope: KeyScope::Organization,
            creator_id: None,
            variants: Selection::All,
            is_downloadable: true,
            allowed_origins: AllowedOrigins::Any,
            origin: Origin { actor, address: None },
        }
    }

    /// Refuses access to an organization other than the caller's own.
    pub(crate) fn reach_organization(&self, id: OrganizationId) -> Result<(), Refusal> {
        if id == self.organization_id { Ok(()) } else { Err(Refusal::NotFound(Resource::Organization)) }
    }

    /// Refuses keys that are limited to a collection or a track.
    pub(crate) fn require_whole_organization(&self) -> Result<(), Refusal> {
        if self.scope.covers_organization() {
            Ok(())
        } else {
            Err(Refusal::Forbidden {
                code: ErrorCode::KeyScope,
                message: "this API key is limited to a collection or track; use a key for the organization",
            })
        }
    }

    /// Refuses keys that are limited to a scope or to some variants, for actions that would bypass these limits:
    /// recipes and signing keys give access to every variant, and webhooks receive the URLs of all files.
    pub(crate) fn require_no_limits(&self) -> Result<(), Refusal> {
        self.require_whole_organization()?;
        if self.variants == Selection::All {
            Ok(())
        } else {
            Err(Refusal::Forbidden {
                code: ErrorCode::KeyLimits,
                message: "this API key is limited to some variants; use a key for all variants",
            })
        }
    }

    /// Refuses to give a key access to variants that the caller cannot access itself.
    pub(crate) fn require_variants_to_give(&self, variants: &Selection) -> Result<(), Refusal> {
        if self.variants.covers(variants) {
            Ok(())
        } else {
            Err(Refusal::Forbidden {
                code: ErrorCode::KeyLimits,
                message: "this API key is limited to some variants and can allow no others; list only variants \
                          that it allows",
            })
        }
    }

    /// Refuses to allow a key downloads if the caller does not allow them itself.
    pub(crate) fn require_downloads_to_give(&self) -> Result<(), Refusal> {
        if self.is_downloadable {
            Ok(())
        } else {
            Err(Refusal::Forbidden {
                code: ErrorCode::KeyLimits,
                message: "this API key does not allow downloads, so it cannot allow them for another key",
            })
        }
    }

    /// Refuses to allow a key origins that the caller does not allow itself.
    pub(crate) fn require_origins_to_give(&self, origins: &AllowedOrigins) -> Result<(), Refusal> {
        if self.allowed_origins.covers(origins) {
            Ok(())
        } else {
            Err(Refusal::Forbidden {
                code: ErrorCode::KeyLimits,
                message: "this API key is limited to some origins and can allow no others; list only origins that \
                          it allows",
            })
        }
    }

    /// When what this caller makes has to end at the latest, as of this transaction: when its key does.
    pub(crate) async fn latest_end(&self, tx: &Transaction) -> Result<LatestEnd, Refusal> {
        let Some(id) = self.origin.actor.api_key_id() else { return Ok(LatestEnd(None)) };
        let key = tx.maker(self.organization_id, id).await?.ok_or(INVALID_API_KEY)?;
        Ok(LatestEnd(key.expires_at))
    }

    /// Refuses a collection outside the scope.
    pub(crate) fn reach_collection(&self, id: CollectionId) -> Result<(), Refusal> {
        if self.scope.covers_collection(id) { Ok(()) } else { Err(Refusal::NotFound(Resource::Collection)) }
    }

    /// Refuses a track outside the scope.
    pub(crate) fn reach_track(&self, collection: CollectionId, track: TrackId) -> Result<(), Refusal> {
        if self.scope.covers_track(collection, track) {
            Ok(())
        } else {
            Err(Refusal::NotFound(Resource::Track))
        }
    }

    /// The collection to create something in: the requested one, else the one that the key is limited to.
    pub(crate) fn target_collection(&self, requested: Option<CollectionId>) -> Result<CollectionId, Refusal> {
        let target = requested.or(self.scope.collection()).ok_or_else(|| {
            Refusal::invalid("collection_id", "is required: this key is not limited to a collection")
        })?;
        self.reach_collection(target)?;
        Ok(target)
    }
}
