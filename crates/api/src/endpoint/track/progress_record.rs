//! The progress of a track and of its variants.

use serde::Serialize;
use tonearm_domain::{Making, TrackId, TrackStatus, VariantIndex};
use tonearm_service::TrackProgressView;
use utoipa::ToSchema;

/// The processing progress of a track.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::progress::Progress)]
pub(crate) struct Progress {
    track_id: TrackId,
    track_status_id: TrackStatus,
    /// Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Option<String>,
    /// Progress of all variants together, in percent.
    #[schema(maximum = 100)]
    percent: u8,
    variants: Vec<VariantState>,
}

/// The progress of one variant.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::progress::VariantState)]
pub(crate) struct VariantState {
    index: VariantIndex,
    status: VariantStatus,
    /// How much of it is done. Null if it failed.
    #[schema(maximum = 100)]
    percent: Option<u8>,
    /// Why it failed.
    reason: Option<String>,
}

/// What is done for a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = track::progress::VariantStatus)]
pub(crate) enum VariantStatus {
    Waiting,
    Running,
    Made,
    Failed,
}

impl From<Making> for VariantStatus {
    fn from(making: Making) -> Self {
        match making {
            Making::Waiting => Self::Waiting,
            Making::Running { .. } => Self::Running,
            Making::Made => Self::Made,
            Making::Failed => Self::Failed,
        }
    }
}

impl From<&TrackProgressView> for Progress {
    fn from(view: &TrackProgressView) -> Self {
        let variants = view.variants.iter().map(|variant| {
            let failed = view.failed.iter().find(|failed| failed.index == variant.index);
            let has_failed = variant.making == Making::Failed;
            VariantState {
                index: variant.index.clone(),
                status: variant.making.into(),
                percent: (!has_failed).then(|| variant.making.percent()),
                reason: failed.filter(|_| has_failed).map(|failed| failed.reason.clone()),
            }
        });
        let waits_for = view.waits_for.map(|outage| outage.sentence().to_owned());
        Self {
            track_id: view.track_id,
            track_status_id: view.status,
            status_reason: waits_for.or_else(|| view.reason.clone()),
            percent: view.percent,
            variants: variants.collect(),
        }
    }
}
