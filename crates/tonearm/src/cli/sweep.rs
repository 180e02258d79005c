//! `tonearm sweep`

use serde_json::json;
use tonearm_domain::Ambient;
use tonearm_service::SweepView;

use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Confirm the removals of the last sweep, which were too many to make without confirmation
    #[arg(long)]
    confirm: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "confirm")]
    json: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let sweeps = Services::open(config, ambient).await?.sweeps(ambient);
    if args.confirm {
        return match sweeps.confirm().await? {
            Some(count) => {
                print::outln!(
                    "A sweep starts now and removes {count} objects, except those that the database references by then."
                );
                Ok(())
            }
            None => Err(Failure::failed("there is nothing to confirm")),
        };
    }
    let view = sweeps.view().await?;
    if args.json {
        print_json(&view);
    } else {
        print_words(&view);
    }
    Ok(())
}

fn print_json(view: &SweepView) {
    let sweep = view.sweep.as_ref();
    print::json(&json!({
        "is_running": sweep.is_some_and(|sweep| sweep.is_running),
        "started_at": sweep.map(|sweep| sweep.started_at),
        "finished_at": sweep.and_then(|sweep| sweep.finished_at),
        "last_key": sweep.and_then(|sweep| sweep.last_key.clone()),
        "seen": sweep.map_or(0, |sweep| sweep.seen),
        "unknown": sweep.map_or(0, |sweep| sweep.unknown),
        "removed": sweep.map_or(0, |sweep| sweep.removed),
        "noted": view.noted,
        "waiting": sweep.map_or(0, |sweep| sweep.due),
        "is_confirmed": sweep.is_some_and(|sweep| sweep.confirmed_until.is_some()),
        "refusal": sweep.and_then(|sweep| sweep.refusal.clone()),
    }));
}

fn print_words(view: &SweepView) {
    let Some(sweep) = &view.sweep else {
        print::outln!(
            "There has been no sweep yet. Sweeps run about every six hours while a worker is running."
        );
        return;
    };
    if let Some(refusal) = &sweep.refusal {
        print::outln!("The last sweep did not start: {refusal}.\n");
    }
    print::outln!("started    {}", sweep.started_at);
    match (sweep.is_running, &sweep.last_key, sweep.finished_at) {
        (true, Some(key), _) => print::outln!("running    at {key}"),
        (true, None, _) => print::outln!("running    at the beginning"),
        (false, _, Some(at)) => print::outln!("finished   {at}"),
        (false, _, None) => {}
    }
    print::outln!("seen       {} objects", sweep.seen);
    print::outln!("unknown    {}, of which {} are marked for removal", sweep.unknown, view.noted);
    print::outln!("removed    {}", sweep.removed);
    if sweep.confirmed_until.is_some() {
        print::outln!("\n{} objects are confirmed; the next sweep removes them.", sweep.due);
    } else if sweep.due > 0 {
        print::outln!(
            "\n{} objects have been unknown for a day, which are too many to remove without confirmation.\n\
             Make sure that this is the right database and that it is complete, then run: tonearm sweep --confirm",
            sweep.due
        );
    }
}
