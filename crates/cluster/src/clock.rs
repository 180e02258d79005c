//! A wrong clock for a process: a preloaded library that shifts the time of day. Timers are right, because they use the
//! monotonic clock.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    const char *text = getenv("TONEARM_CLUSTER_CLOCK");
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int) syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void) zone;
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t) -1;
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
"#;

/// Compiles the library into a folder.
pub(crate) fn compile(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, SOURCE)?;
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .output()
        .context("cc cannot be run; install Debian's package build-essential")?;
    ensure!(compiled.status.success(), "cc: {}", String::from_utf8_lossy(&compiled.stderr));
    Ok(library)
}

/// The environment variables that give a process a clock that is off by `seconds`.
pub(crate) fn variables(library: &Path, seconds: i64) -> [(String, String); 2] {
    [
        ("LD_PRELOAD".to_owned(), library.display().to_string()),
        ("TONEARM_CLUSTER_CLOCK".to_owned(), seconds.to_string()),
    ]
}
