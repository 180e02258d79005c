//! Quotas that are nearly used up.

use tonearm_domain::QuotaKind;
use tonearm_service::NearQuota;

use super::Badge;
use crate::amount;
use crate::text::{Message, t};

/// A quota of an organization.
pub(super) struct QuotaRow {
    pub(super) organization: String,
    pub(super) organization_id: String,
    pub(super) quota: Message,
    pub(super) used: String,
    pub(super) limit: String,
    /// Set if the quota is used up.
    pub(super) full: Option<Badge>,
}

impl QuotaRow {
    pub(super) fn of(near: &NearQuota) -> Self {
        let (title, format_value) = match near.kind {
            QuotaKind::Bytes => ("quota-storage", amount::bytes as fn(u64) -> String),
            QuotaKind::Tracks => ("quota-tracks", amount::count as fn(u64) -> String),
            QuotaKind::Minutes => ("quota-minutes", amount::count as fn(u64) -> String),
            QuotaKind::Records => ("quota-records", amount::count as fn(u64) -> String),
            QuotaKind::Metadata => ("quota-metadata", amount::bytes as fn(u64) -> String),
        };
        Self {
            organization: near.name.clone(),
            organization_id: near.organization_id.to_string(),
            quota: t(title),
            used: format_value(near.used),
            limit: format_value(near.limit),
            full: (near.used >= near.limit).then(|| Badge { tone: "bad", text: t("quota-full") }),
        }
    }
}
