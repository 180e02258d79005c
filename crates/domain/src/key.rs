//! The record of an API key. It never contains the secret: only its hash is stored.

use crate::access::{Action, KeyScope, KeyType, ScopeError};
use crate::allowed_origins::AllowedOrigins;
use crate::recipe::Recipe;
use crate::selection::{NamedRecipes, Selection};
use crate::timestamp::Timestamp;
use crate::{ApiKeyId, CreatorId, OrganizationId};

/// The state of a key at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyState {
    /// It can be used.
    #[default]
    Valid,
    /// It has expired. Its expiry can be extended.
    Expired,
    /// It was revoked permanently.
    Revoked,
}

impl KeyState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Valid, Self::Expired, Self::Revoked];

    pub(crate) fn of(revoked_at: Option<Timestamp>, expires_at: Option<Timestamp>, now: Timestamp) -> Self {
        match (revoked_at, expires_at) {
            (Some(_), _) => Self::Revoked,
            (None, Some(at)) if at <= now => Self::Expired,
            (None, _) => Self::Valid,
        }
    }

    /// The state as text, as in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// What is known of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The record's id.
    pub id: ApiKeyId,
    /// The organization it acts on.
    pub organization_id: OrganizationId,
    /// A name for people.
    pub title: String,
    /// Its type.
    pub key_type: KeyType,
    /// The part of the organization that it can access.
    pub scope: KeyScope,
    /// The creator to whom everything that it creates is attributed.
    pub creator_id: Option<CreatorId>,
    /// What its play sessions may list; on share keys exactly one variant (see [`ApiKey::validate`]).
    pub variants: Selection,
    /// The recipes that these names stand for.
    pub recipes: NamedRecipes,
    /// Whether play sessions it creates may allow downloads.
    pub is_downloadable: bool,
    /// The web pages that may use it.
    pub allowed_origins: AllowedOrigins,
    /// When it stops working, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, to within a minute; none: never.
    pub last_used_at: Option<Timestamp>,
    /// The key that made it; none: a person did, or the command line.
    pub made_by: Option<ApiKeyId>,
}

impl ApiKey {
    /// Whether it selects a variant, whatever the name of the recipe is now.
    pub fn selects(&self, recipe: &Recipe) -> bool {
        match &self.variants {
            Selection::All => true,
            Selection::Only(names) => names.iter().any(|name| self.recipes.stands_for(name, recipe)),
        }
    }

    /// Checks the fields against each other.
    pub fn validate(key_type: KeyType, variants: &Selection) -> Result<(), ScopeError> {
        if key_type == KeyType::Share && variants.single().is_none() {
            return Err(ScopeError::ShareNeedsOneVariant);
        }
        Selection::require_few(variants.only().map_or(0, |list| list.len()))
    }

    /// Checks that a key of this type can be limited to origins. Share keys cannot: browsers open share links without
    /// sending an origin.
    pub fn validate_origins(key_type: KeyType, allowed: &AllowedOrigins) -> Result<(), ScopeError> {
        if key_type == KeyType::Share && *allowed != AllowedOrigins::Any {
            return Err(ScopeError::ShareHasNoOrigins);
        }
        Ok(())
    }

    /// Its state at this moment.
    pub fn state_at(&self, now: Timestamp) -> KeyState {
        KeyState::of(self.revoked_at, self.expires_at, now)
    }

    /// Whether it can be used at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.state_at(now) == KeyState::Valid
    }

    /// Whether it expires later than `other`.
    pub fn lasts_longer_than(&self, other: &Self) -> bool {
        match (self.expires_at, other.expires_at) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(own), Some(others)) => own > others,
        }
    }

    /// Whether it allows anything that `other` does not: a variant, downloads, another origin, or a later expiry.
    pub fn allows_more_than(&self, other: &Self) -> bool {
        let is_longer = self.lasts_longer_than(other);
        let is_downloadable = self.is_downloadable && !other.is_downloadable;
        let is_elsewhere = !other.allowed_origins.covers(&self.allowed_origins);
        let is_other = match &self.variants {
            Selection::All => other.variants != Selection::All,
            Selection::Only(names) => {
                names.iter().any(|name| !other.variants.allows_named(&other.recipes, name, &self.recipes))
            }
        };
        is_longer || is_downloadable || is_elsewhere || is_other
    }

    /// Whether its type permits the action.
    pub fn permits(&self, action: Action) -> bool {
        self.key_type.permits(action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant_index::VariantIndex;
    use crate::{RecordId, VariantId};

    #[test]
    fn a_key_allows_more_with_each_limit_that_goes() {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let limited = ApiKey {
            id: ApiKeyId::from_parts(now, [1; 10]),
            organization_id: OrganizationId::from_parts(now, [2; 10]),
            title: "Limited".to_owned(),
            key_type: KeyType::Api,
            scope: KeyScope::Organization,
            creator_id: None,
            variants: Selection::one(VariantIndex::from_static("hq")),
            recipes: NamedRecipes::UNKNOWN,
            is_downloadable: false,
            allowed_origins: AllowedOrigins::from_list(Some(vec!["https://a.example".parse().unwrap()]))
                .unwrap(),
            expires_at: Some(now.plus_seconds(60)),
            revoked_at: None,
            created_at: now,
            last_used_at: None,
            made_by: None,
        };
        let renamed = ApiKey { title: "Renamed".to_owned(), ..limited.clone() };
        assert!(!renamed.allows_more_than(&limited));
        let sooner = ApiKey { expires_at: Some(now.plus_seconds(59)), ..limited.clone() };
        assert!(!sooner.allows_more_than(&limited) && limited.allows_more_than(&sooner));
        for wider in [
            ApiKey { variants: Selection::All, ..limited.clone() },
            ApiKey { variants: Selection::one(VariantIndex::from_static("lq")), ..limited.clone() },
            ApiKey { is_downloadable: true, ..limited.clone() },
            ApiKey { expires_at: None, ..limited.clone() },
            ApiKey { allowed_origins: AllowedOrigins::Any, ..limited.clone() },
        ] {
            assert!(wider.allows_more_than(&limited), "{wider:?}");
        }
        // The variant is renamed, and another gets its name.
        let id = |byte| VariantId::from_parts(now, [byte; 10]);
        let of = |name: &'static str, byte| {
            let name = VariantIndex::from_static(name);
            let recipes = NamedRecipes::of([(name.clone(), id(byte))]);
            ApiKey { variants: Selection::one(name), recipes, ..limited.clone() }
        };
        let (before, after, other) = (of("hq", 3), of("best", 3), of("hq", 4));
        assert!(!before.allows_more_than(&after) && !after.allows_more_than(&before));
        assert!(before.allows_more_than(&other) && other.allows_more_than(&before));
        // One track's own variant.
        let own = ApiKey { recipes: NamedRecipes::of([]), ..limited.clone() };
        assert!(
            own.allows_more_than(&before) && before.allows_more_than(&own) && !own.allows_more_than(&own)
        );
        assert!(!own.allows_more_than(&limited) && !before.allows_more_than(&limited));
    }
}
