//! A few nodes for a few simulated minutes; `make simulate` simulates a hundred.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

use std::time::Duration;

use tonearm_simulation::{Purpose, Server, Settings, judge, tables};

const MINUTE: Duration = Duration::from_secs(60);

fn assert_all_hold(outcomes: &[tonearm_simulation::Outcome]) {
    let failed: Vec<String> =
        judge(outcomes).into_iter().filter(|finding| !finding.holds).map(|finding| finding.text).collect();
    assert!(failed.is_empty(), "{failed:#?}\n{}", tables(outcomes));
}

#[test]
fn nodes_ask_for_no_more_than_they_may() {
    let mut server = Server::start(3);
    let idle = Settings::idle(3, MINUTE, 1);
    let outcomes = [server.run(idle.clone()).unwrap(), server.run(idle.under_load(600.0, 1.0)).unwrap()];
    // The simulation really does something.
    assert!(outcomes[0].statements(Purpose::KeyLists) >= 170, "{}", tables(&outcomes));
    assert!(outcomes[1].statements(Purpose::Sessions) > 0 && outcomes[1].statements(Purpose::Jobs) > 0);
    assert_all_hold(&outcomes);
}

#[test]
fn nodes_together_ask_for_no_more_than_their_number_explains() {
    let mut server = Server::start(3);
    let outcomes = [1, 3].map(|nodes| server.run(Settings::idle(nodes, MINUTE, 4)).unwrap());
    let compared =
        judge(&outcomes).into_iter().filter(|it| it.text.contains("times those of one node")).count();
    assert_eq!(compared, 9, "three nodes are compared with one, for each purpose");
    assert_all_hold(&outcomes);
}

#[test]
fn jobs_end_once_whatever_fails() {
    let mut server = Server::start(5);
    let outcome = server.run(Settings::idle(3, 4 * MINUTE, 2).under_load(600.0, 0.1).with_faults()).unwrap();
    assert!(outcome.after_outage().is_some());
    assert_all_hold(&[outcome]);
}

#[test]
fn the_same_seed_gives_the_same_work() {
    let mut server = Server::start(2);
    let settings = Settings::idle(2, MINUTE, 3).under_load(600.0, 0.5);
    let [one, other] = [(); 2].map(|()| server.run(settings.clone()).unwrap());
    let same = |outcome: &tonearm_simulation::Outcome| {
        let json = outcome.json();
        (json["plays"].clone(), json["jobs"]["queued"].clone())
    };
    assert_eq!(same(&one), same(&other));
    // PostgreSQL determines the order in which responses arrive, so the figures differ a little.
    let (one, other) = (one.total_rate(), other.total_rate());
    assert!((one - other).abs() <= 0.05 * one, "{one} and {other} statements a second");
}
