//! `tonearm doctor`

mod certificate;
mod countries;
mod database;
mod node;
mod report;
mod sign_in;
mod store;
mod tools;

use std::time::Duration;

use tokio::time::timeout;
use tonearm_domain::Ambient;

use self::report::{Finding, Verdict};
use super::Failure;
use crate::Config;

/// How long connections to the database may take to close.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print JSON, one check per line
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, args: Args) -> Result<(), Failure> {
    let mut failed = 0;
    let mut print = |findings: Vec<Finding>| {
        for finding in findings {
            finding.print(args.json);
            failed += usize::from(finding.verdict == Verdict::Failed);
        }
    };
    print(node::ignored_variables());
    // A node that only delivers runs no ffmpeg and has no database, even where a default names one.
    let mut catalog = None;
    if config.needs_catalog() {
        print(tools::tools(config).await);
        match database::open(config).await {
            Ok(None) => print(vec![Finding::not_yet("database", &config.database_url)]),
            Ok(Some(opened)) => {
                print(database::database(config, ambient, &opened).await);
                catalog = Some(opened);
            }
            Err(finding) => print(vec![finding]),
        }
    }
    print(store::store(config, ambient, catalog.as_ref()).await);
    print(vec![node::secret(config).await]);
    print(node::exposed_secrets(config));
    print(certificate::certificate(config, ambient).await);
    print(node::disks(config));
    print(vec![node::clock(ambient)]);
    print(vec![node::listening(config)]);
    print(node::proxies(config));
    print(countries::countries(config).into_iter().collect());
    print(sign_in::provider(config, ambient).await.into_iter().collect());
    if let Some(catalog) = catalog {
        // A check of the database file that timed out may still be running.
        drop(timeout(CLOSE_WITHIN, catalog.close()).await);
    }
    match failed {
        0 => Ok(()),
        1 => Err(Failure::failed("one check failed; see above for how to fix it")),
        n => Err(Failure::failed(format!("{n} checks failed; see above for how to fix them"))),
    }
}
