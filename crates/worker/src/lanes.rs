//! How many webhooks may be in flight at once, in total and to each endpoint.
//!
//! An endpoint starts with a few lanes and gets one more with each success, so that a fast receiver soon has many. A
//! failure reduces it to one. Endpoints that have not (lately) answered well share at most half of all lanes, so that
//! endpoints that answer are served however many others hang. Organizations share the lanes by the rule of [`room`].

use std::collections::HashMap;

use tonearm_domain::{OrganizationId, Webhook, WebhookId, room};

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
    organization_id: OrganizationId,
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

    /// How many more webhooks may be sent to an endpoint now. Its health is what all nodes together know about it.
    pub(crate) fn free(&mut self, webhook: &Webhook) -> usize {
        let organization_id = webhook.organization_id;
        let (all, doubtful) = self.in_flight(|_| true);
        let (own, own_doubtful) = self.in_flight(|lane| lane.organization_id == organization_id);
        let first = FIRST.min(self.limits.per_endpoint);
        let lane = self.endpoints.entry(webhook.id).or_insert(EndpointConcurrency {
            organization_id,
            in_flight: 0,
            allowed: first,
            is_proven: false,
        });
        if webhook.health.failures > 0 {
            (lane.allowed, lane.is_proven) = (1, false);
        }
        let mut places = room(self.limits.total as u64, all, own);
        if !lane.is_proven {
            places = places.min(room((self.limits.total as u64 / 2).max(1), doubtful, own_doubtful));
        }
        let places = usize::try_from(places).unwrap_or(usize::MAX);
        lane.allowed.saturating_sub(lane.in_flight).min(places)
    }

    /// The webhooks in flight to some endpoints: to all of these, and to those that are not proven.
    fn in_flight(&self, these: impl Fn(&EndpointConcurrency) -> bool) -> (u64, u64) {
        self.endpoints.values().filter(|lane| these(lane)).fold((0, 0), |(all, doubtful), lane| {
            let in_flight = lane.in_flight as u64;
            (all + in_flight, doubtful + if lane.is_proven { 0 } else { in_flight })
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
    use tonearm_domain::{EndpointHealth, RecordId, Timestamp, WebhookKind};

    use super::*;

    const LIMITS: LaneLimits = LaneLimits { total: 20, per_endpoint: 8 };

    /// An endpoint of an organization with the same number.
    fn endpoint(number: u8) -> Webhook {
        of_organization(number, number)
    }

    fn of_organization(number: u8, organization: u8) -> Webhook {
        let now = Timestamp::from_unix_millis(0).unwrap();
        Webhook {
            id: RecordId::from_parts(now, [number; 10]),
            organization_id: RecordId::from_parts(now, [organization; 10]),
            kind: WebhookKind::Track,
            url: String::new(),
            secret: Vec::new(),
            old_secrets: None,
            rotated_at: None,
            health: EndpointHealth::default(),
            created_at: now,
            expires_at: None,
            made_by: None,
        }
    }

    /// An endpoint that answers well has all its lanes.
    fn prove(lanes: &mut ConcurrencyLimits, webhook: &Webhook) {
        for _ in 0..10 {
            let taken = lanes.free(webhook);
            lanes.started(webhook.id, taken);
            (0..taken).for_each(|_| lanes.ended(webhook.id, true));
        }
    }

    #[test]
    fn success_widens_and_failure_narrows() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let a = endpoint(1);
        assert_eq!(lanes.free(&a), FIRST);
        lanes.started(a.id, FIRST);
        assert_eq!(lanes.free(&a), 0);
        (0..FIRST).for_each(|_| lanes.ended(a.id, true));
        assert_eq!(lanes.free(&a), LIMITS.per_endpoint);
        lanes.started(a.id, LIMITS.per_endpoint);
        lanes.ended(a.id, true);
        assert_eq!(lanes.free(&a), 1);
        lanes.ended(a.id, false);
        assert_eq!(lanes.free(&a), 0);
        (2..LIMITS.per_endpoint).for_each(|_| lanes.ended(a.id, false));
        assert_eq!(lanes.free(&a), 1);
    }

    #[test]
    fn what_other_nodes_saw_counts() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let health = EndpointHealth { failures: 1, paused_until: None };
        assert_eq!(lanes.free(&Webhook { health, ..endpoint(1) }), 1);
    }

    #[test]
    fn endpoints_that_hang_leave_room_for_those_that_answer() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let good = endpoint(0);
        prove(&mut lanes, &good);
        for hanging in 1..=100 {
            let taken = lanes.free(&endpoint(hanging));
            lanes.started(endpoint(hanging).id, taken);
        }
        assert_eq!(lanes.in_flight(|_| true), (10, 10));
        assert_eq!(lanes.free(&good), 5);
    }

    /// Endpoints that answer late, but well, are good ones.
    #[test]
    fn organizations_with_many_endpoints_leave_lanes_to_others() {
        let mut lanes = ConcurrencyLimits::new(LIMITS);
        let endpoints =
            |organization| (0..3).map(move |n| of_organization(10 * organization + n, organization));
        endpoints(1).chain(endpoints(2)).for_each(|webhook| prove(&mut lanes, &webhook));
        let mut take = |organization| {
            let mut sum = 0;
            for webhook in endpoints(organization) {
                let taken = lanes.free(&webhook);
                lanes.started(webhook.id, taken);
                sum += taken;
            }
            sum
        };
        assert_eq!((take(1), take(2)), (10, 5));
        assert!(take(3) > 0);
    }

    #[test]
    fn one_lane_in_all_still_moves() {
        let mut lanes = ConcurrencyLimits::new(LaneLimits { total: 1, per_endpoint: 1 });
        assert_eq!(lanes.free(&endpoint(1)), 1);
    }
}
