//! How many webhooks may be in flight at once, in total and to each endpoint.
//!
//! An endpoint starts with a few lanes and gets one more with each success, so that a fast receiver soon has many. A
//! failure reduces it to one. Endpoints that have not (lately) answered well share at most half of all lanes, so that
//! endpoints that answer are served however many others hang.

use std::collections::HashMap;

use tonearm_domain::{EndpointHealth, WebhookId};

/// Lanes of an endpoint that has not been tried yet.
const FIRST: usize = 4;

/// Limits on webhooks in flight.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// In total.
    pub total: usize,
    /// To one endpoint.
    pub per_endpoint: usize,
}

#[derive(Debug, Clone, Copy)]
struct EndpointConcurrency {
    in_flight: usize,
    allowed: usize,
    is_proven: bool,
}

/// The webhooks that are in flight now.
pub(crate) struct ConcurrencyLimits {
    limits: LaneLimits,
    endpoints: HashMap<WebhookId, EndpointConcurrency>,
}

impl ConcurrencyLimits {
    pub(crate) fn new(limits: LaneLimits) -> Self {
        Self { limits, endpoints: HashMap::new() }
    }

    /// How many more webhooks may be sent to an endpoint now. `health` is what all nodes together know about it.
    pub(crate) fn free(&mut self, id: WebhookId, health: EndpointHealth) -> usize {
        let (all, doubtful) = self.in_flight();
        let first = FIRST.min(self.limits.per_endpoint);
        let lane = self.endpoints.entry(id).or_insert(EndpointConcurrency {
            in_flight: 0,
            allowed: first,
            is_proven: false,
        });
        if health.failures > 0 {
            (lane.allowed, lane.is_proven) = (1, false);
        }
        let mut room = self.limits.total.saturating_sub(all);
        if !lane.is_proven {
            room = room.min((self.limits.total / 2).max(1).saturating_sub(doubtful));
        }
        lane.allowed.saturating_sub(lane.in_flight).min(room)
    }

    /// The webhooks in flight: in total, and to endpoints that are not proven.
    fn in_flight(&self) -> (usize, usize) {
        self.endpoints.values().fold((0, 0), |(all, doubtful), lane| {
            (all + lane.in_flight, doubtful + if lane.is_proven { 0 } else { lane.in_flight })
        })
    }

    pub(crate) fn started(&mut self, id: WebhookId, count: usize) {
        if let Some(lane) = self.endpoints.get_mut(&id) {
            lane.in_flight += count;
        }
    }

    pub(crate) fn ended(&mut self, id: WebhookId, is_success: bool) {
        let Some(lane) = self.endpoints.get_mut(&id) else {
            return;
        };
        lane.in_flight = lane.in_flight.saturating_sub(1);
        lane.is_proven = is_success;
        lane.allowed = if is_success { (lane.allowed + 1).min(self.limits.per_endpoint) } else { 1 };
    }

    /// Forgets endpoints without webhooks in flight, as they may no longer exist.
    pub(crate) fn forget_idle(&mut self) {
        self.endpoints.retain(|_, lane| lane.in_flight > 0);
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{RecordId, Timestamp};

    use super::*;

    const LIMITS: LaneLimits = LaneLimits { total: 20, per_endpoint: 8 };
    const WELL: EndpointHealth = EndpointHealth { failures: 0, paused_until: None };

    fn endpoint(number: u8) -> WebhookId {
        WebhookId::from_parts(Timestamp::from_unix_millis(0).unwrap(), [number; 10])
    }

    #[test]
    fn success_widens_and_failure_narrows() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let a = endpoint(1);
        assert_eq!(lanes.free(a, WELL), FIRST);
        lanes.started(a, FIRST);
        assert_eq!(lanes.free(a, WELL), 0);
        (0..FIRST).for_each(|_| lanes.ended(a, true));
        assert_eq!(lanes.free(a, WELL), LIMITS.per_endpoint);
        lanes.started(a, LIMITS.per_endpoint);
        lanes.ended(a, true);
        assert_eq!(lanes.free(a, WELL), 1);
        lanes.ended(a, false);
        assert_eq!(lanes.free(a, WELL), 0);
        (2..LIMITS.per_endpoint).for_each(|_| lanes.ended(a, false));
        assert_eq!(lanes.free(a, WELL), 1);
    }

    #[test]
    fn what_other_nodes_saw_counts() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        assert_eq!(lanes.free(endpoint(1), EndpointHealth { failures: 1, paused_until: None }), 1);
    }

    #[test]
    fn endpoints_that_hang_leave_room_for_those_that_answer() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let good = endpoint(0);
        let taken = lanes.free(good, WELL);
        lanes.started(good, taken);
        (0..taken).for_each(|_| lanes.ended(good, true));
        for hanging in 1..=100 {
            let taken = lanes.free(endpoint(hanging), WELL);
            lanes.started(endpoint(hanging), taken);
        }
        assert_eq!(lanes.in_flight(), (LIMITS.total / 2, LIMITS.total / 2));
        assert_eq!(lanes.free(good, WELL), LIMITS.per_endpoint);
    }

    #[test]
    fn one_lane_in_all_still_moves() {
        let mut lanes = ConcurrencyLimits::new(LaneLimits { total: 1, per_endpoint: 1 });
        assert_eq!(lanes.free(endpoint(1), WELL), 1);
    }
}
