//! Requirements that simulations must meet.

use crate::purpose::Purpose;
use crate::result::Outcome;

/// A requirement, and whether it is met.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The requirement, with the figures.
    pub text: String,
    /// Whether the requirement is met.
    pub holds: bool,
}

/// Most statements per second of an idle node: queries for jobs and webhooks, heartbeats, key lists.
const IDLE_NODE: f64 = 3.0;

/// Most statements of all kinds for a play, including its usage.
const PLAY: f64 = 40.0;

/// Must not grow with the number of nodes: statements for each job, in addition to those of idle nodes.
const FOR_EACH_JOB: [(Purpose, f64); 3] =
    [(Purpose::Claims, 6.0), (Purpose::Leases, 3.0), (Purpose::Jobs, 8.0)];

/// The same limits for each play.
const FOR_EACH_PLAY: [(Purpose, f64); 3] =
    [(Purpose::Sessions, 4.0), (Purpose::CacheRefills, 14.0), (Purpose::Usage, 20.0)];

/// May grow with the number of nodes: statements per second for each node.
const FOR_EACH_NODE: [(Purpose, f64); 4] = [
    (Purpose::KeyLists, 1.1),
    (Purpose::ScheduledTasks, 0.6),
    (Purpose::Heartbeats, 0.2),
    (Purpose::Upkeep, 0.6),
];

/// Most requests per second and node to the store for the key lists.
const KEY_LIST_REQUESTS: f64 = 0.5;

/// Most queries for each job by each node: a new job wakes all nodes.
const LOOKS: f64 = 2.0;

/// How many times the mean before an outage of the database the busiest second after it may have.
const AFTER_OUTAGE: f64 = 5.0;

/// How much the statements of an idle service may grow with the number of nodes, compared with one node. The first of
/// these grow almost in proportion to it; docs/scaling.md names this deviation. The others must not start to grow.
const GROWTH: [(Purpose, Growth); 9] = [
    (Purpose::KeyLists, Growth::Linear),
    (Purpose::Polling, Growth::Linear),
    (Purpose::ScheduledTasks, Growth::Linear),
    (Purpose::Heartbeats, Growth::Linear),
    (Purpose::Upkeep, Growth::Linear),
    (Purpose::Webhooks, Growth::Linear),
    (Purpose::Claims, Growth::None),
    (Purpose::Jobs, Growth::None),
    (Purpose::Usage, Growth::None),
];

/// How a figure grows with the number of nodes.
#[derive(Debug, Clone, Copy)]
enum Growth {
    /// It does not grow, apart from chance.
    None,
    /// At most in proportion to the number of nodes.
    Linear,
}

/// Figures per second below this are too small to judge growth: with few statements, one more is a large factor.
const TOO_FEW: f64 = 0.5;

/// The factor that is allowed for chance.
const CHANCE: f64 = 1.25;

/// Growth of usage under load: plays on many nodes share fewer transactions, so the number of statements grows until
/// each play has a transaction of its own.
const USAGE_OF_LOAD: f64 = 8.0;

/// Judges simulations.
pub fn judge(outcomes: &[Outcome]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for outcome in outcomes {
        if outcome.settings.has_faults {
            findings.extend(of_faults(outcome));
        } else if outcome.settings.is_idle() {
            findings.extend(of_nodes(outcome));
        } else {
            let idle = outcomes
                .iter()
                .find(|it| it.settings.is_idle() && it.settings.nodes == outcome.settings.nodes);
            findings.extend(of_load(outcome, idle));
        }
        findings.extend(of_growth(outcome, outcomes));
    }
    findings
}

/// Compares a simulation with the same simulation of one node.
fn of_growth(outcome: &Outcome, outcomes: &[Outcome]) -> Vec<Finding> {
    let (own, nodes) = (&outcome.settings, outcome.settings.nodes as f64);
    let of_one = outcomes.iter().find(|it| {
        it.settings.nodes == 1
            && it.settings.has_faults == own.has_faults
            && it.settings.is_idle() == own.is_idle()
    });
    let Some(one) = of_one.filter(|_| own.nodes > 1 && !own.has_faults) else { return Vec::new() };
    let times = |purpose: Purpose, most: f64| {
        let (before, now) = (one.rate(purpose).max(TOO_FEW), outcome.rate(purpose).max(TOO_FEW));
        let what = format!("{}, statements, times those of one node", purpose.name());
        at_most(outcome, &what, now / before, most)
    };
    if !own.is_idle() {
        return vec![times(Purpose::Usage, USAGE_OF_LOAD.min(nodes * CHANCE))];
    }
    let most = |growth| match growth {
        Growth::None => CHANCE,
        Growth::Linear => nodes * CHANCE,
    };
    GROWTH.map(|(purpose, growth)| times(purpose, most(growth))).to_vec()
}

/// Requires that a figure is at most `most`.
fn at_most(outcome: &Outcome, what: &str, figure: f64, most: f64) -> Finding {
    let text = format!("{}: {what}: {figure:.2}, at most {most:.2}", outcome.name());
    Finding { text, holds: figure <= most }
}

fn of_nodes(outcome: &Outcome) -> Vec<Finding> {
    let nodes = outcome.settings.nodes as f64;
    let each = |(purpose, most): (Purpose, f64)| {
        let what = format!("{}, statements a second for each node", purpose.name());
        // The share of a task that is done once for all nodes is added.
        at_most(outcome, &what, outcome.rate(purpose) / nodes, most + 1.0 / nodes)
    };
    let mut findings = vec![at_most(
        outcome,
        "all statements a second for each node",
        outcome.total_rate() / nodes,
        IDLE_NODE + 1.0 / nodes,
    )];
    findings.extend(FOR_EACH_NODE.map(each));
    let all = nodes + outcome.settings.edges as f64;
    let requests = outcome.request_rate("key lists") / all;
    findings.push(at_most(
        outcome,
        "key lists, requests a second for each node",
        requests,
        KEY_LIST_REQUESTS,
    ));
    findings
}

fn of_load(outcome: &Outcome, idle: Option<&Outcome>) -> Vec<Finding> {
    let mut findings = of_jobs(outcome);
    let more = |purpose| {
        let idle = idle.map_or(0.0, |idle| idle.rate(purpose));
        (outcome.rate(purpose) - idle).max(0.0) * outcome.settings.length.as_secs_f64()
    };
    let (jobs, plays) = (outcome.jobs.queued.max(1) as f64, outcome.plays.max(1) as f64);
    for (purpose, most) in FOR_EACH_JOB {
        let what = format!("{}, statements for each job", purpose.name());
        // One more job may be in progress when counting begins or ends.
        findings.push(at_most(outcome, &what, more(purpose) / jobs, most + most / jobs));
    }
    let looks = more(Purpose::Polling) / jobs / outcome.settings.nodes as f64;
    findings.push(at_most(outcome, "looks for each job and node", looks, LOOKS));
    for (purpose, most) in FOR_EACH_PLAY {
        let what = format!("{}, statements for each play", purpose.name());
        findings.push(at_most(outcome, &what, more(purpose) / plays, most));
    }
    let length = outcome.settings.length.as_secs_f64();
    let most = IDLE_NODE * outcome.settings.nodes as f64 + PLAY * plays / length + 10.0;
    findings.push(at_most(outcome, "all statements a second", outcome.total_rate(), most));
    findings
}

fn of_jobs(outcome: &Outcome) -> Vec<Finding> {
    let jobs = &outcome.jobs;
    let none = |what: &str, count: u64| at_most(outcome, what, count as f64, 0.0);
    vec![
        none("jobs that did not end", jobs.unfinished),
        none("jobs that ended twice", jobs.finished_twice),
        none("jobs that ran on two nodes at once", jobs.run_twice_at_once),
    ]
}

fn of_faults(outcome: &Outcome) -> Vec<Finding> {
    let mut findings = of_jobs(outcome);
    if let Some((mean, peak)) = outcome.after_outage() {
        // Few nodes run few statements, and their busiest second has many times the mean even without an outage.
        let most = AFTER_OUTAGE * mean + 10.0 * outcome.settings.nodes as f64 + 100.0;
        findings.push(at_most(outcome, "most statements in a second after the outage", peak as f64, most));
    }
    findings
}
