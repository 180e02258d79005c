//! The short form of `make cluster`: many kinds of faults, each once, and nothing is lost, leaked or stuck.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use tonearm_cluster::{Bucket, ClusterSettings, DiskSettings, on_small_disk, run_cluster, run_on_disk};

use crate::binary;

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_whose_parts_fail_loses_nothing() {
    let settings = ClusterSettings {
        binary: binary().to_owned(),
        target: Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned(),
        uploads: 60,
        outage: Duration::from_secs(6),
        nodes: 3,
        lease: Duration::from_secs(2),
        faults: None,
        seed: 1,
        bucket: Bucket::Ours,
        settle: Duration::from_secs(180),
    };
    let report = run_cluster(&settings).await.unwrap();
    assert!(report.is_clean(), "{report}");
}

/// Set in the child process in which the next test runs again.
const DISK: &str = "TONEARM_TEST_CLUSTER_DISK";

#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_disk_fills_up_loses_nothing() {
    let Some(disk) = std::env::var_os(DISK) else {
        let folder = tempfile::tempdir().unwrap();
        let name = "cluster::a_node_whose_disk_fills_up_loses_nothing";
        let arguments: [&OsStr; 3] = ["--exact".as_ref(), name.as_ref(), "--nocapture".as_ref()];
        let program = std::env::current_exe().unwrap();
        let Some(mut command) = on_small_disk(64, folder.path(), &program, &arguments) else {
            println!("not run, as this system allows no mounts in user namespaces");
            return;
        };
        let output = command.env(DISK, folder.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{printed}\n{complained}");
        assert!(printed.contains("1 passed"), "{printed}");
        return;
    };
    let settings = DiskSettings {
        binary: binary().to_owned(),
        disk: disk.into(),
        uploads: 30,
        rounds: 2,
        full_for: Duration::from_secs(3),
        seed: 1,
        settle: Duration::from_secs(120),
    };
    let report = run_on_disk(&settings).await.unwrap();
    assert!(report.is_clean(), "{report}");
}
