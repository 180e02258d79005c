//! Quota usage of an organization.

use tonearm_service::QuotaView;

use crate::amount::{bytes, count};
use crate::text::t;

/// A quota, drawn as a bar with text beside it.
pub(crate) struct QuotaBar {
    pub(crate) title: String,
    /// The amount used as text, so that the bar carries no extra information.
    pub(crate) text: String,
    /// Percent.
    pub(crate) filled: u64,
    pub(crate) is_full: bool,
}

impl QuotaBar {
    /// The quotas that are limited.
    pub(crate) fn all(QuotaView { quotas, used, .. }: QuotaView) -> Vec<Self> {
        let bars = [
            ("quota-storage", quotas.bytes, used.bytes, bytes as fn(u64) -> String),
            ("quota-tracks", quotas.tracks, used.tracks, count),
            ("quota-minutes", quotas.minutes, used.minutes(), count),
        ];
        let bar = |(id, limit, used, format): (_, Option<u64>, u64, fn(u64) -> String)| {
            let limit = limit?;
            let share = u128::from(used) * 100 / u128::from(limit.max(1));
            let is_full = used >= limit;
            let filled = if is_full { 100 } else { u64::try_from(share).unwrap_or(100) };
            let text = t("quota-used").with("used", format(used)).with("limit", format(limit)).into();
            Some(Self { title: t(id).into(), text, filled, is_full })
        };
        bars.into_iter().filter_map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{QuotaUsage, Quotas, RecordLimits, RecordUsage};

    use super::*;

    #[test]
    fn only_what_is_limited_is_drawn() {
        let used = QuotaUsage { bytes: 999, tracks: 3, milliseconds: 60_001 };
        let draw = |quotas| {
            let (record_limits, records) = (RecordLimits::default(), RecordUsage::default());
            let bars = QuotaBar::all(QuotaView { quotas, used, record_limits, records });
            bars.into_iter().map(|bar| (bar.text, bar.filled, bar.is_full)).collect::<Vec<_>>()
        };
        assert_eq!(draw(Quotas::default()), []);
        let quotas = Quotas { bytes: Some(1000), tracks: Some(0), minutes: Some(1) };
        let expected =
            [("999 B of 1.0 kB used", 99, false), ("3 of 0 used", 100, true), ("2 of 1 used", 100, true)];
        assert_eq!(draw(quotas), expected.map(|(text, filled, is_full)| (text.to_owned(), filled, is_full)));
    }
}
