//! Following the progress of one track.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tonearm_domain::{TrackId, TrackProgress};

use super::Library;
use super::progress::{ProgressWatch, TrackProgressView};
use crate::caller::Caller;
use crate::refusal::Refusal;

/// How often the track itself is read. The progress of its files is reported more often.
const LOOK: Duration = Duration::from_secs(10);

/// Follows the progress of one track, whichever node processes it.
pub struct TrackWatch {
    library: Library,
    caller: Caller,
    progress: TrackProgressView,
    /// The organization's tracks that are being processed. All watchers of an organization share one query.
    making: ProgressWatch,
    is_making: bool,
    look: Interval,
}

impl Library {
    /// Follows one track.
    pub async fn follow_track(&self, caller: &Caller, id: TrackId) -> Result<TrackWatch, Refusal> {
        // Read the tracks in processing first: if processing ends in between, the track itself shows it.
        let mut making = self.watch_making(caller.organization_id).await?;
        let is_making = making.current().iter().any(|track| track.track_id == id);
        let progress = self.track_progress(caller, id).await?;
        let mut look = interval_at(Instant::now() + LOOK, LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(TrackWatch { library: self.clone(), caller: caller.clone(), progress, making, is_making, look })
    }
}

impl TrackWatch {
    /// The latest known progress.
    pub fn progress(&self) -> &TrackProgressView {
        &self.progress
    }

    /// Whether the status is final, so that nothing changes by itself any more.
    pub fn is_over(&self) -> bool {
        self.progress.status.is_final()
    }

    /// Waits until the progress has changed. May be dropped at any time and called again.
    pub async fn changed(&mut self) -> Result<(), Refusal> {
        loop {
            let id = self.progress.track_id;
            let news = tokio::select! {
                making = self.making.changed() => {
                    let news = making.iter().find(|track| track.track_id == id).cloned();
                    if news.is_none() && !self.is_making {
                        continue;
                    }
                    news
                }
                _ = self.look.tick() => None,
            };
            let progress = match news {
                Some(news) => {
                    self.is_making = true;
                    overlaid(&self.progress, news)
                }
                None => {
                    let progress = self.library.track_progress(&self.caller, id).await?;
                    self.is_making &= progress.status.is_processing();
                    progress
                }
            };
            if progress != self.progress {
                self.progress = progress;
                return Ok(());
            }
        }
    }
}

/// The known state of all files, updated with the reported progress of those being made.
fn overlaid(known: &TrackProgressView, news: TrackProgressView) -> TrackProgressView {
    let mut variants = known.variants.clone();
    for reported in news.variants {
        match variants.iter_mut().find(|variant| variant.index == reported.index) {
            Some(variant) => variant.making = reported.making,
            None => variants.push(reported),
        }
    }
    let percent = TrackProgress { variants: variants.clone() }.percent().min(99);
    TrackProgressView { variants, percent, reason: None, failed: known.failed.clone(), ..news }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{Making, RecordId, Timestamp, TrackStatus, VariantIndex, VariantProgress};

    use super::*;

    fn view(variants: &[(&'static str, Making)]) -> TrackProgressView {
        let variants: Vec<VariantProgress> = variants
            .iter()
            .map(|(index, making)| VariantProgress {
                index: VariantIndex::from_static(index),
                making: *making,
            })
            .collect();
        let now = Timestamp::from_unix_millis(0).unwrap();
        TrackProgressView {
            track_id: TrackId::from_parts(now, [1; 10]),
            status: TrackStatus::Processing,
            is_importing: false,
            percent: TrackProgress { variants: variants.clone() }.percent(),
            waits_for: None,
            variants,
            reason: None,
            failed: Vec::new(),
        }
    }

    #[test]
    fn what_a_run_does_not_make_keeps_its_state() {
        let known = view(&[("hq", Making::Made), ("lq", Making::Waiting)]);
        let news = view(&[("lq", Making::Running { percent: 50 })]);
        let now = overlaid(&known, news);
        assert_eq!(
            now.variants,
            view(&[("hq", Making::Made), ("lq", Making::Running { percent: 50 })]).variants
        );
        assert_eq!(now.percent, 75);
        assert_eq!(overlaid(&known, view(&[("lq", Making::Made)])).percent, 99);
        assert_eq!(overlaid(&view(&[]), view(&[("own", Making::Waiting)])).variants.len(), 1);
    }
}
