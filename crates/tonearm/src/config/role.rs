//! The roles of a node.

/// A role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Serves `/v1` and accepts uploads.
    Api,
    /// Processes tracks.
    Worker,
    /// Delivers files.
    Edge,
}

impl Role {
    /// The role as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Edge => "edge",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "api" => Ok(Self::Api),
            "worker" => Ok(Self::Worker),
            "edge" => Ok(Self::Edge),
            other => Err(format!("unknown role {other}; must be api, worker or edge")),
        }
    }
}
