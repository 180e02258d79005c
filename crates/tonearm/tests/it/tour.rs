//! The commands of docs/api.md, run as they stand there.

use std::process::Command;

use tonearm_fixtures::audio::{WavSpec, write_wav};
use tonearm_testkit::{Client, Program};

use crate::{binary, text};

/// Everything between ```` ```sh ```` and ```` ``` ````, in order.
fn commands(page: &str) -> String {
    let mut script = String::from("set -eu -o pipefail\n");
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => {
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    script
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_tour_works() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = program.run(&["org", "create", "--name", "Tour", "--json"]);
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    program.start().await;
    let key = text(&made, "/api_key");
    let collection = Client::new(&program.url(), key).collection("Tour").await;
    let folder = tempfile::tempdir().unwrap();
    write_wav(&WavSpec { seconds: 6.0, ..WavSpec::default() }, &folder.path().join("song.wav")).unwrap();

    let script = commands(include_str!("../../../../docs/api.md"));
    let run = Command::new("bash")
        .arg("-xc")
        .arg(&script)
        .current_dir(folder.path())
        .env("base", program.url())
        .env("key", key)
        .env("collection", &collection)
        .env("song", "song.wav")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}\n{log}", String::from_utf8_lossy(&run.stdout));
}
