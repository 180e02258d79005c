//! Simulates many nodes, and reports whether the load on the database stays within its limits.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use tonearm_simulation::{Server, Settings, judge, statements, tables};

/// Simulate many nodes, and check what they ask of the database
#[derive(Debug, Parser)]
#[command(name = "tonearm-simulation")]
struct Args {
    /// Numbers of nodes, each simulated for itself
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100])]
    nodes: Vec<usize>,
    /// Simulated minutes of each simulation
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1440))]
    minutes: u64,
    /// Jobs queued in an hour, by all nodes together
    #[arg(long, default_value_t = 600.0)]
    jobs: f64,
    /// Plays that begin in a second, on all nodes together
    #[arg(long, default_value_t = 5.0)]
    plays: f64,
    /// Milliseconds that a message to the database takes, in simulated time
    #[arg(long, default_value_t = 0)]
    delay: u64,
    /// Seed for all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simulations, of idle, load and faults
    #[arg(long, value_delimiter = ',', default_values_t = ["idle".to_owned(), "load".to_owned(), "faults".to_owned()])]
    simulate: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Print all statements, too
    #[arg(long)]
    statements: bool,
    /// Print the log of the nodes
    #[arg(long)]
    log: bool,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if args.log {
        tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    }
    let most = args.nodes.iter().copied().max().unwrap_or(1);
    let mut server = Server::start(most + most / 10 + 1);
    let length = Duration::from_secs(args.minutes * 60);
    let mut outcomes = Vec::new();
    for what in ["idle", "load", "faults"] {
        if !args.simulate.iter().any(|wanted| wanted == what) {
            continue;
        }
        for nodes in &args.nodes {
            let idle = Settings {
                delay: Duration::from_millis(args.delay),
                ..Settings::idle(*nodes, length, args.seed)
            };
            let settings = match what {
                "idle" => idle,
                "load" => idle.under_load(args.jobs, args.plays),
                _ => idle.under_load(args.jobs, args.plays).with_faults(),
            };
            eprintln!("{nodes} nodes, {what}: {} simulated minutes", args.minutes + 1);
            outcomes.push(server.run(settings)?);
        }
    }
    let findings = judge(&outcomes);
    if args.json {
        let json: Vec<_> = outcomes.iter().map(tonearm_simulation::Outcome::json).collect();
        let findings: Vec<_> =
            findings.iter().map(|it| serde_json::json!({ "text": it.text, "holds": it.holds })).collect();
        println!("{:#}", serde_json::json!({ "simulations": json, "findings": findings }));
    } else {
        print!("{}", tables(&outcomes));
        if args.statements {
            println!("{}", statements(&outcomes));
        }
        for finding in &findings {
            println!("{} {}", if finding.holds { "holds:" } else { "FAILS:" }, finding.text);
        }
    }
    Ok(if findings.iter().all(|finding| finding.holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
