//! Measures the released program, comparing each figure with a reference in the same run. docs/benchmarks.md describes
//! the measurements.

mod h2load;
mod http;
mod large;
mod library;
mod measure;
mod memory;
mod model;
mod noise;
mod plan;
mod reference;
mod report;
mod stage;
mod wrk;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use crate::measure::Benchmark;
use crate::plan::Plan;
use crate::reference::Bare;
use crate::report::Report;

/// Benchmark Tonearm and other programs on this machine
#[derive(Debug, Parser)]
#[command(name = "tonearm-bench")]
struct Args {
    /// Benchmarks to run [default: all except `scale`, which takes half an hour]
    #[arg(value_name = "NAME")]
    benchmarks: Vec<Benchmark>,
    /// Run everything once and briefly, as a smoke test
    #[arg(long)]
    quick: bool,
    /// Size of the file to upload
    #[arg(long, value_name = "BYTES")]
    upload_bytes: Option<u64>,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a Markdown table
    #[arg(long)]
    markdown: bool,
    /// Run as one of the reference servers
    #[arg(long, hide = true)]
    serve: Option<Bare>,
}

impl Args {
    fn plan(&self) -> Plan {
        let plan = if self.quick { Plan::quick() } else { Plan::full() };
        Plan { upload_bytes: self.upload_bytes.unwrap_or(plan.upload_bytes), ..plan }
    }

    fn benchmarks(&self) -> &[Benchmark] {
        if self.benchmarks.is_empty() { Benchmark::USUAL } else { &self.benchmarks }
    }
}

// Measurements block this thread. No task runs on it: the client's tasks are on the runtime's worker threads.
#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    match args.serve {
        Some(kind) => reference::serve(kind).await.map(|()| ExitCode::SUCCESS),
        None => measure_all(&args).await,
    }
}

/// Fails if a goal is missed. Short runs are not judged, because they are too noisy.
async fn measure_all(args: &Args) -> Result<ExitCode> {
    let plan = args.plan();
    let mut rows = Vec::new();
    for benchmark in args.benchmarks() {
        let name =
            benchmark.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        eprintln!("measuring {name}");
        rows.extend(benchmark.run(&plan).await.with_context(|| name)?);
    }
    let report = Report(rows);
    if args.json {
        println!("{:#}", report.json());
    } else if args.markdown {
        print!("{}", report.markdown());
    } else {
        println!("{}\n\n{report}", machine());
    }
    let missed = report.missed();
    if missed.is_empty() || args.quick {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("missed goals: {}", missed.join("; "));
    Ok(ExitCode::FAILURE)
}

/// Properties of the machine that the figures depend on.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let files = reference::nginx_version().unwrap_or_else(|| "no nginx".to_owned());
    format!("{cores} cores, shared by servers and clients; {files}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_chooses() {
        let args = Args::parse_from(["tonearm-bench", "range", "play-session", "--quick"]);
        assert_eq!(args.benchmarks(), [Benchmark::Range, Benchmark::PlaySession]);
        let all = Args::parse_from(["tonearm-bench", "--upload-bytes", "5"]);
        assert_eq!(all.benchmarks().len(), 24);
        assert!(
            !all.benchmarks().contains(&Benchmark::Scale),
            "it takes half an hour and is asked for by name"
        );
        assert_eq!((all.plan().upload_bytes, all.plan().rounds), (5, 3));
    }
}
