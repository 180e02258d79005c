//! `tonearm verify` finds each kind of damage and repairs what it can.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use reqwest::Method;
use sea_orm::{ConnectionTrait, Database, Statement};
use serde_json::{Value, json};
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, Client};

use super::interrupted::kill_once;
use super::{Service, files_below, fill, heard};
use crate::command_output::{errors_of, last_json_of, succeed};
use crate::covers::picture;
use crate::text;

/// The findings and the summary of a run that completed.
fn verified(service: &Service, arguments: &[&str]) -> (Vec<Value>, Value) {
    let output = service.program.run(&[&["verify", "--json"], arguments].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_else(|| panic!("{}", errors_of(&output)))["summary"].clone();
    let expected = if lines.is_empty() { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(expected), "{summary} {}", errors_of(&output));
    assert_eq!(summary["findings"], lines.len());
    (lines.into_iter().map(|line| line["finding"].clone()).collect(), summary)
}

/// The file of a track whose name begins with a label.
fn object(service: &Service, folder: &str, label: &str) -> PathBuf {
    let inside = format!("/{folder}/{label}.");
    let files = files_below(&service.objects());
    files.into_iter().find(|path| path.to_str().unwrap().contains(&inside)).unwrap()
}

fn kinds(findings: &[Value]) -> Vec<(String, String)> {
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    let mut kinds: Vec<_> =
        findings.iter().map(|finding| (word(finding, "kind"), word(finding, "remedy"))).collect();
    kinds.sort();
    kinds
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(kind, remedy)| ((*kind).to_owned(), (*remedy).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_damage_is_found_and_made_files_come_back() {
    let (service, client) = Service::running(Backend::Embedded).await;
    let tracks = fill(&client, 2).await;
    assert_eq!(verified(&service, &["--deep"]).0, Vec::<Value>::new());
    let mut folders = Vec::new();
    for id in &tracks {
        let track = client.get(&format!("/v1/track/{id}")).await.ok();
        folders.push(track["track"]["index"].as_str().unwrap().to_owned());
    }

    std::fs::remove_file(object(&service, &folders[0], "hq")).unwrap();
    let short = object(&service, &folders[0], "lq");
    let bytes = std::fs::read(&short).unwrap();
    std::fs::write(&short, &bytes[..bytes.len() / 2]).unwrap();
    std::fs::remove_file(object(&service, &folders[0], "cover-small")).unwrap();
    let source = object(&service, &folders[1], "source");
    let mut bytes = std::fs::read(&source).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&source, bytes).unwrap();
    // An object that is older than a day, and one so recent that it may be about to be recorded.
    for (version, age) in [("aaaaaaaaaaaa", 3 * 86_400), ("bbbbbbbbbbbb", 60)] {
        let stray = short.with_file_name(format!("hq.{version}.mp3"));
        std::fs::write(&stray, "stray").unwrap();
        let file = std::fs::File::options().append(true).open(&stray).unwrap();
        let now = file.metadata().unwrap().modified().unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }

    let quick = pairs(&[
        ("missing_object", "repairable"),
        ("missing_object", "repairable"),
        ("unknown_object", "sweep"),
        ("wrong_length", "repairable"),
    ]);
    let (findings, summary) = verified(&service, &[]);
    assert_eq!(kinds(&findings), quick, "{findings:#?}");
    assert_eq!((&summary["missing"], &summary["unknown"]), (&2.into(), &1.into()));
    let (findings, _) = verified(&service, &["--deep", "--rate", "1GB/s", "--object-rate", "100000"]);
    let wrong: Vec<_> = findings.iter().filter(|finding| finding["kind"] == "wrong_hash").collect();
    assert_eq!(wrong.len(), 1, "{findings:#?}");
    assert_eq!((&wrong[0]["role"], &wrong[0]["remedy"]), (&"source".into(), &"lost".into()));

    let (findings, summary) = verified(&service, &["--repair"]);
    assert_eq!(summary["queued"], 3, "{findings:#?}");
    until_made_again(&client, &tracks[0]).await;
    let (findings, _) = verified(&service, &[]);
    assert_eq!(kinds(&findings), pairs(&[("unknown_object", "sweep")]), "{findings:#?}");
    heard(&client, &tracks).await;
}

/// Waits until a track has all its variants again after a repair removed them.
async fn until_made_again(client: &Client, track: &str) {
    let begun = Instant::now();
    loop {
        let session = json!({"track_id": track, "variants": ["original", "hq", "lq", "preview"]});
        let session = client.post("/v1/play_session/track", &session).await.ok();
        if session["first_track"]["variants"].as_array().map_or(0, Vec::len) == 4 {
            return;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{session}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Damage that does not change the length is found by the hash that was recorded when the file was created.
#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_byte_in_a_variant_is_found_and_the_variant_made_again() {
    let (service, client) = Service::running(Backend::Embedded).await;
    // The second track reuses the files that were rendered for the first.
    let tracks = fill(&client, 1).await;
    let collection = client.collection("The same").await;
    let same = client.upload(&collection, "again.wav", super::sound(0)).await;
    client.settled(&same).await;
    for id in tracks.iter().chain([&same]) {
        let track = client.get(&format!("/v1/track/{id}")).await.ok();
        let path = object(&service, track["track"]["index"].as_str().unwrap(), "hq");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(verified(&service, &[]).0, Vec::<Value>::new(), "lengths alone show nothing");
    let (findings, _) = verified(&service, &["--deep"]);
    assert_eq!(kinds(&findings), pairs(&[("wrong_hash", "repairable"); 2]), "{findings:#?}");
    assert!(findings.iter().all(|finding| finding["role"] == "file"), "{findings:#?}");
    let (_, summary) = verified(&service, &["--deep", "--repair"]);
    assert_eq!((&summary["wrong_hashes"], &summary["queued"]), (&2.into(), &2.into()));
    for id in tracks.iter().chain([&same]) {
        until_made_again(&client, id).await;
    }
    assert_eq!(verified(&service, &["--deep"]).0, Vec::<Value>::new());
}

/// Lengths and hashes are also recorded for covers: for those of tracks, whether drawn or found, and for those of
/// collections.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_cover_is_found_and_a_drawn_one_is_drawn_again() {
    let (service, client) = Service::running(Backend::Embedded).await;
    let track = fill(&client, 1).await.remove(0);
    let created = client.post("/v1/collection", &json!({"title": "With a cover"})).await.ok();
    let upload = client.request(Method::POST, text(&created, "/collection_cover_upload/upload_url"));
    client.send(upload.body(picture())).await.ok();
    until_covers_are_recorded(&service).await;
    assert_eq!(verified(&service, &["--deep"]).0, Vec::<Value>::new());

    let found = client.get(&format!("/v1/track/{track}")).await.ok();
    let drawn = format!("/{}/cover-small.", text(&found, "/track/index"));
    let is_small = |path: &&PathBuf| {
        path.to_str().unwrap().contains("/cover-small.") && path.extension().unwrap() == "jpg"
    };
    let mut files = files_below(&service.objects());
    files.retain(|path| is_small(&path));
    assert_eq!(files.len(), 2, "{files:?}");
    for path in &files {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(verified(&service, &[]).0, Vec::<Value>::new(), "lengths alone show nothing");
    let (findings, _) = verified(&service, &["--deep", "--repair"]);
    assert_eq!(kinds(&findings), pairs(&[("wrong_hash", "lost"), ("wrong_hash", "queued")]), "{findings:#?}");
    for finding in &findings {
        let is_drawn = finding["key"].as_str().unwrap().contains(&drawn);
        assert_eq!(
            (&finding["role"], finding["remedy"] == "queued"),
            (&"cover".into(), is_drawn),
            "{finding}"
        );
    }
    until_covers_are_recorded(&service).await;
    let (findings, _) = verified(&service, &["--deep"]);
    assert_eq!(kinds(&findings), pairs(&[("wrong_hash", "lost")]), "{findings:#?}");

    let shortened = files.iter().find(|path| !path.to_str().unwrap().contains(&drawn)).unwrap();
    std::fs::write(shortened, "no picture").unwrap();
    let (findings, _) = verified(&service, &[]);
    assert_eq!(kinds(&findings), pairs(&[("wrong_length", "lost")]), "{findings:#?}");
    assert_eq!(findings[0]["found_size"], 10);
}

/// Waits until every cover in use is recorded, by the job that completes it.
async fn until_covers_are_recorded(service: &Service) {
    let database = format!("sqlite://{}/tonearm.db", service.data.path().display());
    let raw = Database::connect(database).await.unwrap();
    let begun = Instant::now();
    let ask = |table: &str| {
        let has = "cover_version IS NULL OR coalesce(cover_objects, '') LIKE '%cover-icon.' || cover_version || '.jpg%'";
        format!("SELECT count(*) AS number FROM {table} WHERE deleted_at IS NULL AND NOT ({has})")
    };
    for table in ["track", "collection"] {
        loop {
            let asked = Statement::from_string(raw.get_database_backend(), ask(table));
            let row = raw.query_one_raw(asked).await.unwrap().unwrap();
            if row.try_get::<i64>("", "number").unwrap() == 0 {
                break;
            }
            assert!(begun.elapsed() < EVENTUALLY, "a cover of a {table} is not recorded");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A resumed run reads all objects if the interrupted run did.
#[tokio::test(flavor = "multi_thread")]
async fn deep_runs_stay_deep() {
    let (mut service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let database = format!("sqlite://{}/tonearm.db", service.data.path().display());
    service.program.set("TONEARM_DATABASE_URL", &database);
    let hq = files_below(&service.objects());
    let hq = hq.iter().find(|path| path.to_str().unwrap().contains("/hq.")).unwrap();
    let mut bytes = std::fs::read(hq).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(hq, bytes).unwrap();
    let path = service.data.path().join("state.json");
    let state = path.to_str().unwrap();
    let note = |is_deep: bool| {
        let noted = json!({
            "database": database,
            "storage": format!("file://{}", service.objects().display()),
            "is_deep": is_deep,
            "state": {
                "started_at": "2030-01-01T00:00:00.000Z", "phase": "tracks", "last_key": null, "tracks": 0,
                "objects": 0, "bytes": 0, "missing": 0, "wrong_lengths": 0, "wrong_hashes": 0, "unknown": 0,
                "queued": 0, "lost": 0,
            },
        });
        std::fs::write(&path, noted.to_string()).unwrap();
    };
    note(true);
    let (findings, _) = verified(&service, &["--resume", "--state", state]);
    assert_eq!(kinds(&findings), pairs(&[("wrong_hash", "repairable")]), "{findings:#?}");
    note(false);
    let refused = service.program.run(&["verify", "--deep", "--resume", "--state", state]);
    assert_eq!(refused.status.code(), Some(2), "{}", errors_of(&refused));
}

/// A killed run has recorded its progress. The resumed run does not check the same objects again.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_goes_on_where_it_was() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    // Jobs that end after a track is ready write objects, too.
    let begun = Instant::now();
    while service.has_work() {
        assert!(begun.elapsed() < EVENTUALLY, "jobs do not end");
    }
    let objects = service.objects();
    let files = files_below(&objects);
    let [first, hq] = ["/cover", "/hq."]
        .map(|label| files.iter().find(|path| path.to_str().unwrap().contains(label)).unwrap().clone());
    assert!(first < hq);
    // More objects follow, in folders of their own. They are too recent to be reported.
    let (name, organization) = (hq.file_name().unwrap(), hq.parent().unwrap().parent().unwrap());
    for number in 0..2500_usize {
        let digits = [number / 676, number / 26, number];
        let end: String = digits.map(|digit| char::from(b'a' + (digit % 26) as u8)).iter().collect();
        let folder = organization.join(format!("zzzzzzzzz{end}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(name), b"sound").unwrap();
    }
    let (_, whole) = verified(&service, &[]);
    let total = whole["objects"].as_u64().unwrap();
    assert!(total > 2500, "{whole}");

    let path = service.data.path().join("verify-state.json");
    let slow = service.program.begin(&["verify", "--object-rate", "400"]);
    kill_once(slow, || path.exists());
    let noted: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let reached = noted["state"]["objects"].as_u64().unwrap();
    assert!((1..total).contains(&reached), "{noted}");

    // Objects that the killed run had passed are not checked again. All others are.
    std::fs::remove_file(&first).unwrap();
    let (findings, resumed) = verified(&service, &["--resume"]);
    assert_eq!((findings, &resumed["objects"]), (Vec::new(), &whole["objects"]));
    assert!(!path.exists(), "it came to its end");
    let (findings, _) = verified(&service, &[]);
    assert_eq!(findings.len(), 1, "{findings:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_source_is_named_and_nothing_is_touched() {
    let (service, client) = Service::running(Backend::Distributed).await;
    fill(&client, 1).await;
    assert_eq!(last_json_of(&service.program.run(&["verify", "--deep", "--json"]))["summary"]["findings"], 0);
    let lost = service._s3.as_ref().unwrap().files();
    let named = |label: &str| lost.iter().find(|path| path.to_str().unwrap().contains(label)).unwrap();
    std::fs::remove_file(named("source.")).unwrap();
    std::fs::remove_file(named("hq.")).unwrap();
    for arguments in [&[][..], &["--repair"], &["--repair", "--deep"]] {
        let (findings, summary) = verified(&service, arguments);
        let expected = pairs(&[("missing_object", "lost"), ("missing_object", "lost")]);
        assert_eq!(kinds(&findings), expected, "{findings:#?}");
        assert_eq!((&summary["queued"], &summary["lost"]), (&0.into(), &2.into()));
    }
}

/// A resumed run does not check objects again. A run that cannot finish is a failure, not a finding.
#[tokio::test(flavor = "multi_thread")]
async fn runs_go_on_and_failures_are_no_findings() {
    let (mut service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let database = format!("sqlite://{}/tonearm.db", service.data.path().display());
    service.program.set("TONEARM_DATABASE_URL", &database);
    let objects = service.objects();
    let key = |path: &PathBuf| path.strip_prefix(&objects).unwrap().to_str().unwrap().to_owned();
    let files = files_below(&objects);
    let last = key(files.last().unwrap());
    let hq = files.iter().find(|path| path.to_str().unwrap().contains("/hq.")).unwrap();
    std::fs::remove_file(hq).unwrap();
    let state = service.data.path().join("state.json");
    let nothing_yet = service.program.run(&["verify", "--resume", "--state", state.to_str().unwrap()]);
    assert_eq!(nothing_yet.status.code(), Some(2), "{}", errors_of(&nothing_yet));
    let noted = |storage: &str| {
        json!({
            "database": database,
            "storage": storage,
            "state": {
                "started_at": "2030-01-01T00:00:00.000Z", "phase": "tracks", "last_key": last, "tracks": 1,
                "objects": 9, "bytes": 9, "missing": 0, "wrong_lengths": 0, "wrong_hashes": 0, "unknown": 0,
                "queued": 0, "lost": 0,
            },
        })
        .to_string()
    };
    let storage = format!("file://{}", objects.display());
    std::fs::write(&state, noted(&storage)).unwrap();
    let (findings, summary) = verified(&service, &["--resume", "--state", state.to_str().unwrap()]);
    assert_eq!((findings.len(), &summary["objects"]), (0, &9.into()));
    assert!(!state.exists(), "it came to its end");
    std::fs::write(&state, noted("file:///elsewhere")).unwrap();
    let another = service.program.run(&["verify", "--resume", "--state", state.to_str().unwrap()]);
    assert_eq!(another.status.code(), Some(2), "{}", errors_of(&another));
    assert_eq!(verified(&service, &[]).0.len(), 1);

    std::fs::rename(&objects, service.data.path().join("away")).unwrap();
    let away = service.program.run(&["verify"]);
    assert_eq!(away.status.code(), Some(2), "{}", errors_of(&away));
    succeed(&service.program.run(&["status"]));
    assert!(!objects.exists(), "a disk that is not mounted is not taken for an empty store");
}
