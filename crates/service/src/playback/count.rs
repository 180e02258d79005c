//! Counting what is delivered, and how listeners found it.

use std::net::IpAddr;

use tonearm_domain::{ApiKeyId, Day, ListenerKey, ListenerOrigin, Track, UsageCounts, VariantIndex, Visitor};

use super::Playback;

/// What a request reveals about its sender. Only a hash of the address and the user agent is kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visit<'a> {
    /// The address that it comes from, if known.
    pub address: Option<IpAddr>,
    /// The value of `User-Agent`.
    pub agent: Option<&'a [u8]>,
    /// The value of `Referer`, or else of `ListenerOrigin`.
    pub referrer: Option<&'a [u8]>,
    /// The value of `Host`.
    pub host: Option<&'a [u8]>,
}

impl Playback {
    /// Adds counts for a track, or for one of its variants.
    pub(super) fn count(&self, track: &Track, variant: Option<&VariantIndex>, counts: UsageCounts) {
        self.0.meter.count(track.organization_id, track.index, variant, counts, self.0.ambient.now());
    }

    /// Notes how a listener came to a track: through which share link, from which site.
    pub(super) fn note_listener(&self, track: &Track, share_key_id: Option<ApiKeyId>, visit: &Visit<'_>) {
        self.note_origin(track, ListenerOrigin { share_key_id, ..ListenerOrigin::default() }, visit);
    }

    /// Notes that a member of the organization listens, who is not part of the audience.
    pub(super) fn note_member(&self, track: &Track, visit: &Visit<'_>) {
        self.note_origin(track, ListenerOrigin { is_member: true, ..ListenerOrigin::default() }, visit);
    }

    /// Origins are for listeners only, so nothing is noted for bots.
    fn note_origin(&self, track: &Track, origin: ListenerOrigin, visit: &Visit<'_>) {
        let Some(address) = visit.address else { return };
        let now = self.0.ambient.now();
        let day = Day::of(now);
        let listener = self.0.links.listener_hasher().listener(day, address, visit.agent);
        let Visit { agent, referrer, host, .. } = *visit;
        let visitor = Visitor { listener, address, agent, referrer, host };
        let origin = ListenerOrigin { referrer: visitor.referrer(), ..origin };
        if origin != ListenerOrigin::default() && !visitor.is_bot() {
            let (organization_id, folder) = (track.organization_id, track.index);
            let place = ListenerKey { organization_id, day, listener, folder };
            self.0.meter.note_origin(place, address, &origin, now);
        }
    }
}
