//! Prints results: a line of JSON for programs, text for people. `println!` is not used, because it panics when the
//! reader has closed the pipe.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process::exit;

use serde_json::Value;

/// The exit status that shells report for a program that SIGPIPE has ended. The signal itself stays ignored, because
/// connections and pipes to child processes would raise it too.
const READER_IS_GONE: i32 = 128 + 13;

/// Prints to standard output. Exits if nobody reads it.
macro_rules! out {
    ($($words:tt)*) => { $crate::cli::print::write(format_args!($($words)*)) };
}

/// Like `out!`, with a line break at the end.
macro_rules! outln {
    ($($words:tt)*) => { $crate::cli::print::write_line(format_args!($($words)*)) };
}

pub(super) use {out, outln};

pub(super) fn write(words: Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(words) {
        end(&error);
    }
}

pub(super) fn write_line(words: Arguments<'_>) {
    write(format_args!("{words}\n"));
}

/// Flushes standard output, so that an incomplete line is shown.
pub(super) fn flush() {
    if let Err(error) = io::stdout().flush() {
        end(&error);
    }
}

/// Prints a line to standard error, and ignores a failure.
pub(super) fn complain(words: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{words}");
}

/// Prints a line about work that continues even if nobody reads it.
pub(super) fn announce(words: Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{words}");
}

/// Prints help, or what is wrong with the arguments, and exits.
pub(super) fn explain(arguments: &clap::Error) -> ! {
    match arguments.print() {
        Err(error) if !arguments.use_stderr() => end(&error),
        _ => exit(arguments.exit_code()),
    }
}

fn end(error: &io::Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        exit(READER_IS_GONE);
    }
    complain(format_args!("tonearm: cannot write to standard output: {error}"));
    exit(1);
}

/// Prints one JSON value on one line.
pub(super) fn json(value: &Value) {
    outln!("{value}");
}

/// Prints a long JSON value for people to read.
pub(super) fn document(value: &Value) {
    outln!("{value:#}");
}
