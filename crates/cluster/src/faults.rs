//! Which faults happen, and when.

use std::fmt;
use std::time::Duration;
use tonearm_fixtures::Dice;

use crate::proxy::Trouble;

/// A temporary failure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// A node is killed and restarted.
    Kill {
        node: usize,
    },
    /// A node is paused.
    Pause {
        node: usize,
        for_: Duration,
    },
    Bucket {
        trouble: Trouble,
        for_: Duration,
    },
    Database {
        trouble: Trouble,
        for_: Duration,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill { node } => write!(f, "node {node} is killed"),
            Self::Pause { node, for_ } => write!(f, "node {node} stands still for {} s", for_.as_secs()),
            Self::Bucket { trouble, for_ } => write!(f, "bucket: {trouble:?} for {} s", for_.as_secs()),
            Self::Database { trouble, for_ } => write!(f, "database: {trouble:?} for {} s", for_.as_secs()),
        }
    }
}

/// Each kind of fault once, and the two outages. Node 0 is never killed, because its counts of plays must not be lost.
pub(crate) fn each_once(lease: Duration, outage: Duration) -> Vec<Fault> {
    let short = Duration::from_secs(1);
    let bucket = |trouble| Fault::Bucket { trouble, for_: short };
    let database = |trouble| Fault::Database { trouble, for_: short };
    vec![
        Fault::Kill { node: 1 },
        bucket(Trouble::Cut(700)),
        Fault::Pause { node: 2, for_: lease * 2 },
        database(Trouble::Cut(700)),
        bucket(Trouble::Slow(20_000)),
        Fault::Database { trouble: Trouble::Refuse, for_: outage },
        bucket(Trouble::Hang),
        Fault::Kill { node: 2 },
        database(Trouble::Hang),
        Fault::Bucket { trouble: Trouble::Refuse, for_: outage },
        database(Trouble::Slow(20_000)),
    ]
}

/// How late a bucket answers: later than the lease on an upload lasts, which is 15 seconds.
const LATE: Duration = Duration::from_secs(18);

/// `count` random faults, with the outage of the database after a third of them, the outage of the bucket after two
/// thirds, and a bucket that answers late at the end.
pub(crate) fn many(count: usize, nodes: usize, lease: Duration, outage: Duration, seed: u64) -> Vec<Fault> {
    let mut dice = Dice(seed);
    let mut faults: Vec<Fault> = (0..count).map(|_| any(&mut dice, nodes, lease)).collect();
    let long = [Trouble::Refuse, Trouble::Hang];
    let bucket = Fault::Bucket { trouble: long[dice.below(2)], for_: outage };
    faults.insert(count * 2 / 3, bucket);
    faults.insert(count / 3, Fault::Database { trouble: Trouble::Refuse, for_: outage });
    faults.push(Fault::Bucket { trouble: Trouble::Late(LATE), for_: LATE * 4 });
    faults
}

fn any(dice: &mut Dice, nodes: usize, lease: Duration) -> Fault {
    let for_ = Duration::from_secs(1 + dice.number() % 8);
    let trouble =
        [Trouble::Refuse, Trouble::Hang, Trouble::Slow(50_000), Trouble::Cut(200 + dice.below(20_000))]
            [dice.below(4)];
    match dice.below(4) {
        0 if nodes > 1 => Fault::Kill { node: 1 + dice.below(nodes - 1) },
        1 => Fault::Pause { node: dice.below(nodes), for_: lease * 2 },
        2 => Fault::Bucket { trouble, for_ },
        _ => Fault::Database { trouble, for_ },
    }
}
