//! What has to be true of simulations.

use crate::purpose::Purpose;
use crate::result::Outcome;

/// Something that has to be true, and whether it is.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What has to be true, with the figures.
    pub text: String,
    /// Whether it is.
    pub holds: bool,
}

/// Statements a second of a node that has nothing to do: queries for jobs and webhooks, heartbeats, key lists.
const IDLE_NODE: f64 = 3.0;

/// Statements of all kinds for a play, its usage included.
const PLAY: f64 = 40.0;

/// What may not grow with the number of nodes: statements for each job, beyond those of idle nodes.
const FOR_EACH_JOB: [(Purpose, f64); 3] =
    [(Purpose::Claims, 6.0), (Purpose::Leases, 3.0), (Purpose::Jobs, 8.0)];

/// The same for each play.
const FOR_EACH_PLAY: [(Purpose, f64); 3] =
    [(Purpose::Sessions, 4.0), (Purpose::CacheRefills, 14.0), (Purpose::Usage, 20.0)];

/// What may grow with the number of nodes: statements a second for each of them.
const FOR_EACH_NODE: [(Purpose, f64); 4] = [
    (Purpose::KeyLists, 1.1),
    (Purpose::ScheduledTasks, 0.6),
    (Purpose::Heartbeats, 0.2),
    (Purpose::Upkeep, 0.6),
];

/// Requests a second to the store for the key lists, for each node.
const KEY_LIST_REQUESTS: f64 = 0.5;

/// How often each node looks for each job, at most: all are woken for it.
const LOOKS: f64 = 2.0;

/// How much more than before an outage of the database may come in the busiest second after it.
const AFTER_OUTAGE: f64 = 5.0;

/// What all nodes together may ask in an idle service, in relation to what one asks. The first of these grow with the number of
/// nodes, almost as fast as it does: docs/scaling.md names the deviation. What does not may not begin to.
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

/// How something grows with the number of nodes.
#[derive(Debug, Clone, Copy)]
enum Growth {
    /// Not at all, apart from chance.
    None,
    /// By the same for each node, never by more.
    Linear,
}

/// Figures a second below which nothing is said of growth: of a few statements, one more is a large factor.
const TOO_FEW: f64 = 0.5;

/// How much of the growth may be chance.
const CHANCE: f64 = 1.25;

/// Usage under load: plays of many nodes share fewer transactions, so that it grows until each play has its own.
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

/// Compares with the simulation of the same with one node.
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

/// At most so much of something.
fn at_most(outcome: &Outcome, what: &str, figure: f64, most: f64) -> Finding {
    let text = format!("{}: {what}: {figure:.2}, at most {most:.2}", outcome.name());
    Finding { text, holds: figure <= most }
}

fn of_nodes(outcome: &Outcome) -> Vec<Finding> {
    let nodes = outcome.settings.nodes as f64;
    let each = |(purpose, most): (Purpose, f64)| {
        let what = format!("{}, statements a second for each node", purpose.name());
        // What is done once for all nodes is not a share of any.
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
        // One job more may be under way when the count begins or ends.
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
        // Few nodes make few statements, of which the busiest second has many times the mean anyway.
        let most = AFTER_OUTAGE * mean + 10.0 * outcome.settings.nodes as f64 + 100.0;
        findings.push(at_most(outcome, "most statements in a second after the outage", peak as f64, most));
    }
    findings
}
