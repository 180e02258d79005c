//! Kinds of work that wait in the database.

use tonearm_domain::JobClass;

/// A kind of work that is queued in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// Jobs of a class.
    Jobs(JobClass),
    /// Webhook deliveries.
    Deliveries,
}

impl WorkKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Jobs(JobClass::Encode),
        Self::Jobs(JobClass::Wait),
        Self::Jobs(JobClass::Maintenance),
        Self::Deliveries,
    ];

    /// The kind as text, as nodes send it to each other.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jobs(class) => class.as_str(),
            Self::Deliveries => "deliveries",
        }
    }

    /// Its place in [`WorkKind::ALL`].
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Jobs(class) => class as usize,
            Self::Deliveries => JobClass::ALL.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_place() {
        for (index, kind) in WorkKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.index(), index);
        }
    }
}
