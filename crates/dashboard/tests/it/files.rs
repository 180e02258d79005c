//! Files that a form uploads without a script.

use std::future::pending;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use futures::{StreamExt as _, stream};
use http::Request;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tonearm_domain::{CollectionId, LimitOffset, ListWindow};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::{Caller, requests_at_once};

use crate::browser::Browser;
use crate::house::House;

crate::on_both!(a_form_brings_files, what_is_not_taken_leaves_no_track, slow_forms_keep_nobody_waiting);

/// A name and its content.
type File<'a> = (&'a str, &'a [u8]);

/// A form with these files, sent in small pieces as a slow connection would.
async fn send(house: &House, browser: &mut Browser, id: CollectionId, files: &[File<'_>]) -> u16 {
    let secret = browser.get(&house.path(&format!("/collections/{id}"))).await.form_secret();
    let mut form = format!("--x\r\nContent-Disposition: form-data; name=\"form_secret\"\r\n\r\n{secret}\r\n")
        .into_bytes();
    for (name, bytes) in files {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        form.extend_from_slice(head.as_bytes());
        form.extend_from_slice(bytes);
        form.extend_from_slice(b"\r\n");
    }
    form.extend_from_slice(b"--x--\r\n");
    let pieces: Vec<Result<Bytes, std::io::Error>> =
        form.chunks(50).take(40).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let rest = form.chunks(50).skip(40).flatten().copied().collect::<Vec<u8>>();
    let rest: Vec<_> = rest.chunks(8192).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let request = Request::post(house.path(&format!("/collections/{id}/files")))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(Body::from_stream(stream::iter(pieces.into_iter().chain(rest))))
        .unwrap();
    browser.send(request).await.status
}

async fn names(house: &House, id: CollectionId) -> Vec<String> {
    let caller = Caller::owner(house.organization_id);
    let window = ListWindow::Offset(LimitOffset::default());
    let tracks = house.library.tracks(&caller, id, window).await.unwrap().rows;
    let mut names: Vec<String> = tracks.into_iter().map(|view| view.track.file_name).collect();
    names.sort();
    names
}

async fn a_form_brings_files(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.collection("By hand").await);
    // Much larger than a cover may be.
    let sound = wav(&WavSpec { seconds: 5.0, ..WavSpec::default() });
    assert!(sound.len() > 800_000);
    let files: [File<'_>; 2] = [("Ebb & flow.wav", &sound), ("slack.wav", &sound[..9000])];
    assert_eq!(send(&house, &mut browser, id, &files).await, 303);
    assert_eq!(names(&house, id).await, ["Ebb & flow.wav", "slack.wav"]);
    let page = browser.get(&house.path(&format!("/collections/{id}"))).await;
    assert!(page.html.contains("Processing"), "{}", page.html);
}

async fn what_is_not_taken_leaves_no_track(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.collection("By hand").await);
    let large = vec![7; 1_000_001];
    let cases: [(&[File<'_>], u16); 3] =
        [(&[("", b"")], 400), (&[("empty.wav", b"")], 400), (&[("large.wav", &large)], 413)];
    for (files, expected) in cases {
        assert_eq!(send(&house, &mut browser, id, files).await, expected);
        assert!(names(&house, id).await.is_empty());
    }
    let mut viewer = house.invited(&mut browser, "Vi", "viewer").await;
    let secret = viewer.get(&house.path("/library")).await;
    assert!(!secret.html.contains("multipart"), "viewers upload nothing");
}

/// The beginning of a form whose file never arrives. Says when more of it is waited for.
fn stalled(secret: &str, waits: &Arc<Semaphore>) -> Body {
    let head = format!(
        "--x\r\nContent-Disposition: form-data; name=\"form_secret\"\r\n\r\n{secret}\r\n\
         --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nRIFF"
    );
    let waits = Arc::clone(waits);
    let never = stream::once(async move {
        waits.add_permits(1);
        pending::<Result<Bytes, std::io::Error>>().await
    });
    Body::from_stream(stream::iter([Ok(Bytes::from(head))]).chain(never))
}

/// An editor who is removed cannot delay that with forms that never end.
async fn slow_forms_keep_nobody_waiting(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut ada, id) = (house.administrator().await, house.collection("By hand").await);
    let track = house.track(id, "ebb.wav").await;
    let mut bea = house.invited(&mut ada, "Bea", "editor").await;
    let secret = bea.get(&house.path("/library")).await.form_secret();
    let mut forms = JoinSet::new();
    for path in [
        format!("/collections/{id}/files"),
        format!("/collections/{id}/cover"),
        format!("/tracks/{track}/cover"),
        format!("/tracks/{track}/transcript"),
        "/selection/cover".to_owned(),
    ] {
        let (waits, most) = (Arc::new(Semaphore::new(0)), 2 * requests_at_once());
        for _ in 0..most {
            let request = Request::post(house.path(&path))
                .header("sec-fetch-site", "same-origin")
                .header("content-type", "multipart/form-data; boundary=x")
                .body(stalled(&secret, &waits))
                .unwrap();
            let bea = bea.clone();
            forms.spawn(async move { bea.open(request).await });
        }
        drop(waits.acquire_many(most as u32).await.unwrap());
        assert_eq!(ada.get(&house.path("/library")).await.status, 200, "{path}");
    }
    let bea_id = house.people.person_by_email("bea@example.com").await.unwrap().id;
    let (members, remove) = (house.path("/members"), house.path(&format!("/members/{bea_id}/remove")));
    assert_eq!(ada.submit(&members, &remove, &[]).await.status, 303);
}
