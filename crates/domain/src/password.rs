//! Rules for passwords.

use std::fmt;

use zxcvbn::{Score, zxcvbn};

/// A password as it was entered. It is never shown or stored.
#[derive(Clone)]
pub struct Password(String);

/// A password that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too short: easy to find by brute force.
    #[error("the password must have at least 10 characters")]
    TooShort,
    /// Longer than any password that a person types.
    #[error("the password must have at most 200 characters")]
    TooLong,
    /// Found within a hundred million guesses that begin with common passwords, words, names, dates and rows of keys.
    #[error("the password is too easy to guess; use several unrelated words, for example")]
    Obvious,
}

impl Password {
    const LEAST: usize = 10;
    const MOST: usize = 200;

    /// Validates a new password. `known` are publicly known facts about the person: the email address and the name.
    pub fn choose(text: String, known: &[&str]) -> Result<Self, PasswordError> {
        let length = text.chars().count();
        if length < Self::LEAST {
            return Err(PasswordError::TooShort);
        }
        if length > Self::MOST {
            return Err(PasswordError::TooLong);
        }
        if zxcvbn(&text, known).score() < Score::Three {
            return Err(PasswordError::Obvious);
        }
        Ok(Self(text))
    }

    /// A password that is to be verified against the stored hash; `None` if it is too long to be valid.
    pub fn claimed(text: String) -> Option<Self> {
        (text.len() <= Self::MOST * 4).then_some(Self(text))
    }

    /// The bytes to be hashed.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(text: &str) -> Result<(), PasswordError> {
        Password::choose(text.to_owned(), &["ada@example.com", "Ada Lovelace"]).map(|_| ())
    }

    #[test]
    fn passwords_have_rules() {
        assert_eq!(choose("correct horse"), Ok(()));
        assert_eq!(choose("ünïcödé ok"), Ok(()));
        assert_eq!(choose("short"), Err(PasswordError::TooShort));
        assert_eq!(choose(&"ab1 ".repeat(51)), Err(PasswordError::TooLong));
        for obvious in [
            "aaaaaaaaaa",
            "1234567890",
            "abcdefghijk",
            "ADA@example.com",
            "ada lovelace",
            "abababababab",
            "password123",
            "Passwort123!",
            "qwertzuiop",
        ] {
            assert_eq!(choose(obvious), Err(PasswordError::Obvious), "{obvious}");
        }
        assert!(Password::claimed("x".repeat(801)).is_none());
        assert_eq!(format!("{:?}", Password::claimed("secret".to_owned())), "Some(Password)");
    }
}
