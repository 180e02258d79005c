//! Jobs by class: current jobs and recent runs.

use tonearm_catalog::JobTally;
use tonearm_domain::{JobClass, PerClass, RecentRuns};

use super::report::{NodeStatus, QueueStatus};

/// The runs that ended on running nodes. The counts of stopped nodes are lost.
pub(super) fn ended_runs(nodes: &[NodeStatus]) -> PerClass<RecentRuns> {
    let running = || nodes.iter().filter(|status| !status.is_lost);
    PerClass::of(|class| {
        let runs = running().map(|status| status.node.recent_runs.get(class));
        runs.fold(RecentRuns::default(), RecentRuns::plus)
    })
}

/// The jobs of each class, including classes without jobs.
pub(super) fn queues(tallies: &[JobTally], ended: Option<PerClass<RecentRuns>>) -> Vec<QueueStatus> {
    let of_class = |class: JobClass| {
        let in_state = |state: &'static str| {
            tallies.iter().filter(move |tally| tally.class == class && tally.state == state)
        };
        let count = |state| in_state(state).map(|tally| tally.count).sum::<u64>();
        QueueStatus {
            class,
            due: count("queued"),
            running: count("running"),
            waiting: count("waiting"),
            oldest_due_millis: in_state("queued").map(|tally| tally.oldest_age_millis).max().unwrap_or(0),
            ended: ended.map(|ended| ended.get(class)),
        }
    };
    JobClass::ALL.into_iter().map(of_class).collect()
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{EndedRuns, NodeId, NodeRecord, RecordId, Timestamp};

    use super::*;

    #[test]
    fn jobs_are_summed_by_class() {
        let tally = |class, kind: &str, state: &str, count, oldest_age_millis| JobTally {
            class,
            kind: kind.to_owned(),
            state: state.to_owned(),
            count,
            oldest_age_millis,
        };
        let tallies = [
            tally(JobClass::Encode, "process_track", "queued", 2, 500),
            tally(JobClass::Encode, "render_track", "queued", 3, 700),
            tally(JobClass::Encode, "process_track", "running", 4, 9000),
            tally(JobClass::Encode, "process_track", "failed", 9, 9000),
            tally(JobClass::Maintenance, "sweep_objects", "waiting", 1, 0),
        ];
        let reported = queues(&tallies, None);
        let reported =
            reported.iter().map(|it| (it.class, it.due, it.running, it.waiting, it.oldest_due_millis));
        assert_eq!(
            reported.collect::<Vec<_>>(),
            [
                (JobClass::Encode, 5, 4, 0, 700),
                (JobClass::Wait, 0, 0, 0, 0),
                (JobClass::Maintenance, 0, 0, 1, 0),
            ]
        );
    }

    #[test]
    fn runs_are_summed_over_the_nodes_that_run() {
        let runs = |minute, hour| RecentRuns {
            minute: EndedRuns { finished: minute, failed: 1 },
            hour: EndedRuns { finished: hour, failed: 2 },
        };
        let at = Timestamp::from_unix_millis(0).unwrap();
        let node = |is_lost, own: RecentRuns| NodeStatus {
            node: NodeRecord {
                id: NodeId::from_parts(at, [1; 10]),
                name: "node".to_owned(),
                address: String::new(),
                version: String::new(),
                roles: Vec::new(),
                started_at: at,
                clock_ahead_millis: None,
                master_secrets: Vec::new(),
                recent_runs: PerClass::of(|class| match class {
                    JobClass::Encode => own,
                    JobClass::Wait | JobClass::Maintenance => RecentRuns::default(),
                }),
            },
            seen_at: at,
            is_lost,
            is_this: false,
        };
        let reported =
            ended_runs(&[node(false, runs(3, 30)), node(true, runs(9, 90)), node(false, runs(4, 40))]);
        let both = |finished, failed| EndedRuns { finished, failed };
        assert_eq!(reported.get(JobClass::Encode), RecentRuns { minute: both(7, 2), hour: both(70, 4) });
        assert_eq!(reported.get(JobClass::Wait), RecentRuns::default());
        assert_eq!(ended_runs(&[]), PerClass::default());
    }
}
