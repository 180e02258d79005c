//! People and their memberships of organizations.

use std::fmt;
use std::str::FromStr;

use crate::access::KeyType;
use crate::language::Language;
use crate::timestamp::Timestamp;
use crate::{OrganizationId, PersonId};

/// A person who signs in to the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The person's id.
    pub id: PersonId,
    /// The address that the person signs in with.
    pub email: EmailAddress,
    /// The person's name.
    pub name: String,
    /// Whether the person may create organizations and manage people.
    pub is_administrator: bool,
    /// When the person was added.
    pub created_at: Timestamp,
    /// When the person was disabled; none: the person may sign in.
    pub disabled_at: Option<Timestamp>,
    /// The language of the person's pages; none: the language of the browser.
    pub language: Option<Language>,
}

impl Person {
    /// Whether the person may sign in.
    pub fn is_active(&self) -> bool {
        self.disabled_at.is_none()
    }
}

/// A person's membership of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The person.
    pub person_id: PersonId,
    /// The person's role there.
    pub role: Role,
    /// When the membership was created.
    pub created_at: Timestamp,
}

/// The role of a member in an organization. Each role includes the permissions of the roles before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Can view and listen.
    Viewer,
    /// Can also change collections, tracks and share links.
    Editor,
    /// Can also change settings, keys and members.
    Owner,
}

impl Role {
    /// Every role, the strongest first, as they are shown.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Editor, Self::Viewer];

    /// The role as text, as in SQL and forms.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Whether a member with this role may create and revoke keys of this type.
    pub fn manages_keys_of(self, key_type: KeyType) -> bool {
        match key_type {
            KeyType::Share => self >= Self::Editor,
            KeyType::Api | KeyType::Player | KeyType::Uploader => self >= Self::Owner,
        }
    }
}

impl FromStr for Role {
    type Err = RoleError;
    fn from_str(text: &str) -> Result<Self, RoleError> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(RoleError)
    }
}

/// Text that is not a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be owner, editor or viewer")]
pub struct RoleError;

/// An email address with its ASCII letters in lower case, so that an address identifies one account regardless of its
/// spelling. All other characters stay as they are: some of them become an ASCII letter in lower case, such as the Kelvin
/// sign (U+212A), and would lead to somebody else's account.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailAddress(String);

/// Text that is not an email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an email address such as name@example.com")]
pub struct EmailAddressError;

impl EmailAddress {
    /// Longest address in bytes (RFC 5321).
    const MOST: usize = 254;

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = EmailAddressError;

    /// Rejects only addresses that could never receive mail. Whether an address works shows when it is used.
    fn from_str(text: &str) -> Result<Self, EmailAddressError> {
        let text = text.trim().to_ascii_lowercase();
        let (local, host) = text.rsplit_once('@').ok_or(EmailAddressError)?;
        let plain = |part: &str| {
            !part.is_empty()
                && !part.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"(),;".contains(c))
        };
        if text.len() > Self::MOST || !plain(local) || !plain(host) || local.contains('@') {
            return Err(EmailAddressError);
        }
        Ok(Self(text))
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_one_account_however_typed() {
        let address: EmailAddress = "  Ada@Example.COM ".parse().unwrap();
        assert_eq!(address.as_str(), "ada@example.com");
        let kelvin: EmailAddress = "\u{212a}im@example.com".parse().unwrap();
        assert_ne!(kelvin, "kim@example.com".parse().unwrap());
        for bad in
            ["", "@", "a@", "@b", "a b@c", "a@b@c", "a", "a@b\n", "<a@b>", &format!("{}@b", "a".repeat(254))]
        {
            let parsed = bad.trim_end_matches('\n').parse::<EmailAddress>();
            assert!(parsed.is_err() || bad.ends_with('\n'), "{bad}");
        }
    }

    #[test]
    fn each_role_may_what_lesser_ones_may() {
        assert!(Role::Owner > Role::Editor && Role::Editor > Role::Viewer);
        for key_type in KeyType::ALL {
            assert!(Role::Owner.manages_keys_of(key_type));
            assert!(!Role::Viewer.manages_keys_of(key_type));
            assert_eq!(Role::Editor.manages_keys_of(key_type), key_type == KeyType::Share);
        }
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        assert_eq!("admin".parse::<Role>(), Err(RoleError));
    }
}
