use std::process::ExitCode;

fn main() -> ExitCode {
    tonearm::main()
}
