//! The commands of docs/api.md and README.md, run as written there.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use tonearm_fixtures::audio::{WavSpec, write_wav};
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::{binary, text};

/// Everything between ```` ```sh ```` and ```` ``` ````, in order.
fn commands(page: &str) -> String {
    let mut script = String::new();
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

/// A service with a collection and a key to it.
struct Tour {
    program: Program,
    key: String,
    collection: String,
    _data: TempDir,
}

impl Tour {
    async fn begin() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        let made = create_organization(&program, "Tour");
        program.start().await;
        let key = text(&made, "/api_key").to_owned();
        let collection = Client::new(&program.url(), &key).collection("Tour").await;
        Self { program, key, collection, _data: data }
    }

    /// Runs a script in a folder until one of its commands fails. Returns its output.
    fn run(&self, script: &str, folder: &Path) -> String {
        let run = Command::new("bash")
            .arg("-xc")
            .arg(format!("set -eu -o pipefail\n{script}"))
            .current_dir(folder)
            .env("base", self.program.url())
            .env("key", &self.key)
            .env("collection", &self.collection)
            .env("song", "song.wav")
            .output()
            .unwrap();
        let (printed, log) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{printed}\n{log}");
        printed.into_owned()
    }
}

fn folder_with_a_song(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_wav(&WavSpec { seconds: 6.0, ..WavSpec::default() }, &folder.path().join(name)).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_tour_works() {
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.wav"));
    tour.run(&commands(include_str!("../../../../docs/api.md")), folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_steps_of_the_readme_end_with_sound() {
    // The content decides, not the name: this is a WAV file named `song.mp3`.
    let (tour, folder) = (Tour::begin().await, folder_with_a_song("song.mp3"));
    let page = commands(include_str!("../../../../README.md"));
    let (_, steps) = page.split_once("collection=…").unwrap();
    let (_, steps) = steps.split_once('\n').unwrap();
    let (steps, _) = steps.split_once("tonearm org create").unwrap();
    let printed = tour.run(&steps.replace("http://127.0.0.1:8080", &tour.program.url()), folder.path());
    let heard = Client::new(&tour.program.url(), "").get(printed.lines().last().unwrap()).await;
    assert_eq!((heard.status.as_u16(), heard.header("content-type")), (200, "audio/mpeg"));
}
