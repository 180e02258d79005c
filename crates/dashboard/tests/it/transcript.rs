//! Transcripts that people edit, and sources that people replace.

use axum::body::{Body, Bytes};
use futures::stream;
use http::Request;
use tonearm_domain::{Clock, TrackId, TrackStatus, Transcription, TranscriptionState, Utterance};
use tonearm_fixtures::TestDatabase;

use crate::browser::{Browser, Page};
use crate::house::House;

crate::on_both!(
    words_are_edited_and_saved_as_captions,
    what_is_not_kept_is_told_with_its_line,
    what_is_no_transcript_is_refused_and_kept_in_the_form,
    a_change_meanwhile_is_not_overwritten_unseen,
    viewers_read_and_editors_write,
    a_source_is_replaced_only_where_there_is_one,
    the_page_of_a_track_tells_how_far_its_transcription_is,
);

impl House {
    /// A track of half a minute with speech.
    async fn spoken_track(&self) -> TrackId {
        let collection = self.collection("Talks").await;
        let id = self.track(collection, "talk.wav").await;
        let tx = self.catalog.begin().await.unwrap();
        let mut track = tx.track(self.organization_id, id).await.unwrap().unwrap();
        (track.duration, track.transcription) = (30.0, Some("Ebb & flow.".to_owned()));
        track.transcription_language = Some("en".to_owned());
        tx.update_track(&track).await.unwrap();
        let said = Utterance { start: 1.0, end: 4.5, text: "Ebb & flow.".to_owned() };
        tx.put_track_words(id, &[said]).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    async fn edit(&self, browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
        let secret = browser.get(&self.path("/library")).await.form_secret();
        let mut form = String::new();
        for (name, value) in [("form_secret", secret.as_str())].iter().chain(fields) {
            let file = if *name == "file" { "; filename=\"a.vtt\"" } else { "" };
            form.push_str(&format!(
                "--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n"
            ));
        }
        form.push_str("--x--\r\n");
        // The body in pieces, as it arrives over a connection.
        let pieces: Vec<Result<Bytes, std::io::Error>> =
            form.as_bytes().chunks(8192).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let request = Request::post(path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "multipart/form-data; boundary=x")
            .body(Body::from_stream(stream::iter(pieces)))
            .unwrap();
        browser.send(request).await
    }
}

fn version(page: &Page) -> String {
    page.between("name=\"version\" value=\"", "\"")
}

const CAPTIONS: &str = "WEBVTT\r\n\r\n00:02.000 --> 00:03.000\r\nSlack water &amp; tide\r\n";

async fn words_are_edited_and_saved_as_captions(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.spoken_track().await);
    let (track, path) =
        (house.path(&format!("/tracks/{id}")), house.path(&format!("/tracks/{id}/transcript")));
    let page = browser.get(&path).await;
    assert!(page.html.contains("00:00:01.000 --&#62; 00:00:04.500\nEbb &#38;amp; flow."), "{}", page.html);
    let fields = [("captions", CAPTIONS), ("language", "de_at"), ("version", &version(&page))];
    let saved = house.edit(&mut browser, &path, &fields).await;
    assert_eq!((saved.status, saved.location.as_str()), (303, track.as_str()), "{}", saved.html);
    let shown = browser.get(&track).await;
    assert!(
        shown.html.contains("<div class=\"said\" dir=\"auto\" lang=\"de-AT\">Slack water &#38; tide</div>"),
        "{}",
        shown.html
    );
    let captions = browser.get(&format!("{track}/captions.vtt?download=1")).await;
    assert_eq!(captions.headers["content-type"], "text/vtt; charset=utf-8");
    assert_eq!(captions.headers["content-disposition"], "attachment; filename=\"captions.vtt\"");
    assert_eq!(captions.html, "WEBVTT\n\n00:00:02.000 --> 00:00:03.000\nSlack water &amp; tide\n");
    assert!(house.catalog.transcript_edited_at(id).await.unwrap().is_some());
    assert!(browser.get(&path).await.html.contains("Transcription does not replace it."));

    // A file replaces the text, and a file without captions removes the transcript.
    house.clock.advance_seconds(1);
    let version_now = version(&browser.get(&path).await);
    let fields = [("captions", CAPTIONS), ("version", &version_now), ("file", "WEBVTT\n")];
    assert_eq!(house.edit(&mut browser, &path, &fields).await.status, 303);
    let stored = house.catalog.track(house.organization_id, id).await.unwrap().unwrap();
    assert_eq!((stored.transcription, stored.transcription_language), (None, None));
    assert!(browser.get(&track).await.html.contains("Add transcript"));
}

async fn what_is_not_kept_is_told_with_its_line(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.spoken_track().await);
    let path = house.path(&format!("/tracks/{id}/transcript"));
    let text = "WEBVTT\n\n00:02.000 --> 00:03.000\nIt&#39;s 5 < 6\tand 7 > 3\n<i>Slack</i> water\n";
    let now = version(&browser.get(&path).await);
    let saved = house.edit(&mut browser, &path, &[("captions", text), ("version", &now)]).await;
    assert_eq!(saved.status, 200, "{}", saved.html);
    assert!(
        saved.html.contains("<li>Line 5: <code dir=\"auto\">&#60;i&#62;&#60;/i&#62;</code></li>"),
        "{}",
        saved.html
    );
    let words = house.catalog.track_words(id).await.unwrap();
    assert_eq!(words[0].text, "It's 5 < 6 and 7 > 3\nSlack water");
    // The page can be saved again at once.
    let now = version(&saved);
    let many = "<i>a</i>\n".repeat(22);
    let text = format!("WEBVTT\n\n00:02.000 --> 00:03.000\n{many}");
    let saved = house.edit(&mut browser, &path, &[("captions", &text), ("version", &now)]).await;
    assert!(saved.html.contains("and 2 more lines"), "{}", saved.html);
}

async fn what_is_no_transcript_is_refused_and_kept_in_the_form(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.spoken_track().await);
    let path = house.path(&format!("/tracks/{id}/transcript"));
    let now = version(&browser.get(&path).await);
    for (captions, language, said) in [
        ("", "", "Line 1: the text must begin with WEBVTT."),
        ("WEBVTT\n\n</textarea><script>", "", "Line 3: a cue must begin with its times"),
        ("WEBVTT\n\n00:31.000 --> 00:32.000\nx", "", "the track ends at 00:00:30.000"),
        (CAPTIONS, "klingonese", "a language code such as de or pt-BR"),
    ] {
        let fields = [("captions", captions), ("language", language), ("version", now.as_str())];
        let page = house.edit(&mut browser, &path, &fields).await;
        assert_eq!(page.status, 422, "{captions}");
        assert!(page.html.contains(said), "{said} in {}", page.html);
        assert!(!page.html.contains("</textarea><script>"), "{}", page.html);
    }
    let large = "x".repeat(9_000_000);
    let fields = [("captions", large.as_str()), ("version", now.as_str())];
    assert_eq!(house.edit(&mut browser, &path, &fields).await.status, 413);
    assert_eq!(house.catalog.track_words(id).await.unwrap().len(), 1, "nothing was changed");
    assert_eq!(house.catalog.transcript_edited_at(id).await.unwrap(), None);
}

async fn a_change_meanwhile_is_not_overwritten_unseen(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.spoken_track().await);
    let path = house.path(&format!("/tracks/{id}/transcript"));
    let before = version(&browser.get(&path).await);
    let fields = [("captions", CAPTIONS), ("version", before.as_str())];
    assert_eq!(house.edit(&mut browser, &path, &fields).await.status, 303);
    let mine = CAPTIONS.replace("Slack", "High");
    let fields = [("captions", mine.as_str()), ("version", before.as_str())];
    let page = house.edit(&mut browser, &path, &fields).await;
    assert_eq!(page.status, 409, "{}", page.html);
    assert!(page.html.contains("changed after you opened it") && page.html.contains("High"), "{}", page.html);
    // After the warning, the person may save anyway.
    let fields = [("captions", mine.as_str()), ("version", &version(&page))];
    assert_eq!(house.edit(&mut browser, &path, &fields).await.status, 303);
    assert!(house.catalog.track_words(id).await.unwrap()[0].text.starts_with("High"));
}

async fn viewers_read_and_editors_write(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut owner, id) = (house.administrator().await, house.spoken_track().await);
    let track = house.path(&format!("/tracks/{id}"));
    let mut viewer = house.invited(&mut owner, "Vi", "viewer").await;
    let page = viewer.get(&track).await;
    assert!(page.html.contains("Ebb &#38; flow."), "{}", page.html);
    for hidden in ["/transcript", "/original", "Replace file", "/source"] {
        assert!(!page.html.contains(hidden), "{hidden} in {}", page.html);
    }
    assert_eq!(viewer.get(&format!("{track}/captions.vtt")).await.status, 200);
    for path in ["/transcript", "/original"] {
        assert_eq!(viewer.get(&format!("{track}{path}")).await.status, 403, "{path}");
    }
    let secret = page.between("data-form-secret=\"", "\"");
    for path in ["/source", "/source/cancel", "/transcribe"] {
        let sent = viewer.post(&format!("{track}{path}"), &[("form_secret", secret.as_str())]).await;
        assert_eq!(sent.status, 403, "{path}");
    }
}

async fn a_source_is_replaced_only_where_there_is_one(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.spoken_track().await);
    let track = house.path(&format!("/tracks/{id}"));
    let page = browser.get(&track).await;
    assert!(!page.html.contains("Replace file"), "there is nothing to replace yet");
    let sent = browser.submit(&track, &format!("{track}/source"), &[("file_name", "new.wav")]).await;
    assert_eq!(sent.status, 422);
    assert!(sent.html.contains("no source file yet"), "{}", sent.html);
    assert_eq!(browser.get(&format!("{track}/original")).await.status, 422);
    assert_eq!(browser.get(&format!("{track}/source.json")).await.status, 404);
    assert_eq!(browser.submit(&track, &format!("{track}/source/cancel"), &[]).await.status, 404);
}

impl House {
    /// Records the outcome of transcribing a track.
    pub(crate) async fn note_transcription(
        &self,
        track_id: TrackId,
        state: TranscriptionState,
        reason: Option<&str>,
    ) {
        let (organization_id, updated_at) = (self.organization_id, self.clock.now());
        let reason = reason.map(str::to_owned);
        let tx = self.catalog.begin().await.unwrap();
        let noted = Transcription { track_id, organization_id, state, reason, updated_at };
        tx.put_transcription(&noted).await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn the_page_of_a_track_tells_how_far_its_transcription_is(database: TestDatabase) {
    use TranscriptionState::{Done, Failed, Pending};
    let house = House::open(database).await;
    let (mut owner, collection) = (house.administrator().await, house.collection("Talks").await);
    let id = house.track(collection, "talk.wav").await;
    let track = house.path(&format!("/tracks/{id}"));
    let again = format!("action=\"{track}/transcribe\"");
    let mut viewer = house.invited(&mut owner, "Vi", "viewer").await;

    let empty = "the provider's response contains no text";
    let because = "The provider&#39;s response contains no text.";
    for (state, reason, to_owner, to_others) in [
        (Pending, None, "The audio is being transcribed.", "The audio is being transcribed."),
        (
            Pending,
            Some(empty),
            &format!("failed: {because} It is retried automatically."),
            "transcribe this track failed. It is retried automatically.",
        ),
        (Failed, Some(empty), &format!("Transcription failed: {because}"), "Transcription failed."),
    ] {
        house.note_transcription(id, state, reason).await;
        for (browser, told) in [(&mut owner, to_owner), (&mut viewer, to_others)] {
            let page = browser.get(&track).await.html;
            assert!(page.contains(told), "{told} in {page}");
            assert!(!page.contains("No transcript yet."), "{page}");
            assert!(!page.contains(&again), "nobody set a provider: {page}");
        }
        // The response of a provider may contain hosts and account names.
        assert!(!viewer.get(&track).await.html.contains(because));
    }
    let provider = [("base_url", "https://api.example.com/v1"), ("model", "m"), ("language", "")];
    let settings = house.path("/transcription");
    assert_eq!(owner.submit(&settings, &settings, &provider).await.status, 303);
    assert!(!owner.get(&track).await.html.contains(&again), "it is not ready");
    house.put(id, TrackStatus::Ready, None).await;
    assert!(!viewer.get(&track).await.html.contains(&again));
    let reading = owner.get(&track).await.html;
    assert!(reading.contains(&again), "{reading}");
    let reason = "given up after 5 attempts: the provider responded with 401: no such key";
    house.note_transcription(id, Failed, Some(reason)).await;
    owner = owner.reading("de");
    let german = owner.get(&track).await.html;
    let told =
        "Transkription fehlgeschlagen: Nach 5 Versuchen aufgegeben: der Anbieter hat mit 401 geantwortet";
    assert!(german.contains(told), "{german}");
    owner = owner.reading("en");
    assert_eq!(owner.submit(&track, &format!("{track}/transcribe"), &[]).await.status, 303);
    let queued = owner.get(&track).await.html;
    assert!(queued.contains("The audio is being transcribed.") && !queued.contains(&again), "{queued}");

    house.note_transcription(id, Done, None).await;
    let page = owner.get(&track).await.html;
    assert!(page.contains("No transcript yet.") && !page.contains("transcribed."), "{page}");

    // An existing transcript is not overwritten from here; the transcript page says what is replaced.
    let spoken = house.spoken_track().await;
    house.put(spoken, TrackStatus::Ready, None).await;
    house.note_transcription(spoken, Failed, Some(empty)).await;
    let page = owner.get(&house.path(&format!("/tracks/{spoken}"))).await.html;
    assert!(page.contains("Transcription failed:") && page.contains("Ebb &#38; flow."), "{page}");
    assert!(!page.contains("/transcribe\""), "{page}");
    // A page that was opened before the transcript was written does not overwrite it either.
    let path = house.path(&format!("/tracks/{spoken}"));
    let before = version(&owner.get(&format!("{path}/transcript")).await);
    let fields = [("captions", CAPTIONS), ("version", before.as_str())];
    assert_eq!(house.edit(&mut owner, &format!("{path}/transcript"), &fields).await.status, 303);
    let stale = owner.submit(&track, &format!("{path}/transcribe"), &[]).await;
    assert_eq!(stale.status, 409, "{}", stale.html);
    let knowing = owner.submit(&track, &format!("{path}/transcribe"), &[("overwrite", "1")]).await;
    assert_eq!(knowing.status, 303);
}
