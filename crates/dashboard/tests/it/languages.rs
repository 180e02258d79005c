//! Pages in the language of the reader.

use axum::body::Body;
use http::Request;
use tonearm_domain::{CollectionId, TrackId};
use tonearm_fixtures::TestDatabase;

use crate::browser::Page;
use crate::house::{House, PASSWORD};

crate::on_both!(
    the_browser_decides_until_the_person_does,
    refusals_are_said_in_the_language_of_the_page,
    every_page_is_written_in_every_language,
    owners_settle_things_in_their_language,
    scripts_have_the_texts_of_their_page,
    what_went_wrong_is_told_in_german,
);

/// The heading of the sign-in page.
const SIGN_IN: [(&str, &str, &str); 5] = [
    ("de-AT, en;q=0.5", "de", "Anmelden"),
    ("fr", "fr", "Se connecter"),
    ("es-MX", "es", "Iniciar sesión"),
    ("ja", "en", "Sign in"),
    ("", "en", "Sign in"),
];

async fn the_browser_decides_until_the_person_does(database: TestDatabase) {
    let house = House::open(database).await;
    for (header, language, text) in SIGN_IN {
        let page = house.browser().reading(header).get("/dashboard/sign-in").await;
        assert!(page.html.contains(&format!("<html lang=\"{language}\"")), "{header}: {}", page.html);
        assert!(page.html.contains(&format!("<h1>{text}</h1>")), "{header}: {}", page.html);
        assert_eq!(page.headers["content-language"], language);
        let vary: Vec<_> = page.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
        assert!(vary.iter().any(|value| value.contains("accept-language")), "{vary:?}");
    }
    let mut ada = house.administrator().await.reading("de");
    let profile = "/dashboard/profile";
    assert!(ada.get(profile).await.html.contains("<h1>Ihr Profil</h1>"));
    let set = |tag| [("language", tag)];
    let saved = ada.submit(profile, &format!("{profile}/language"), &set("fr")).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    let page = ada.get(profile).await.html;
    assert!(
        page.contains("<h1>Votre profil</h1>") && page.contains("<option value=\"fr\" lang=\"fr\" selected>")
    );
    assert!(page.contains("Modifications enregistrées."), "{page}");
    // The language applies in another browser too.
    let mut elsewhere = house.browser().reading("es");
    elsewhere.sign_in("ada@example.com", PASSWORD).await;
    assert!(elsewhere.get(profile).await.html.contains("<html lang=\"fr\""));
    for unknown in ["xx", "EN", "fr-CA", "../de"] {
        let refused = ada.submit(profile, &format!("{profile}/language"), &set(unknown)).await;
        assert_eq!(refused.status, 400, "{unknown}");
    }
    ada.submit(profile, &format!("{profile}/language"), &set("")).await;
    assert!(ada.get(profile).await.html.contains("<html lang=\"de\""));
}

async fn refusals_are_said_in_the_language_of_the_page(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await.reading("de");
    let wrong = [("email", "ada@example.com"), ("password", "a wrong guess")];
    let page = house.browser().reading("de").post("/dashboard/sign-in", &wrong).await;
    assert!(page.html.contains("E-Mail-Adresse oder Passwort ist falsch."), "{}", page.html);
    let name = ("name", &*"x".repeat(101));
    let page = ada.submit("/dashboard/profile", "/dashboard/profile/name", &[name]).await;
    assert!(page.html.contains("Muss 1 bis 100 Zeichen haben."), "{}", page.html);
    let gone = ada.get(&house.path("/tracks/00000000-0000-7000-8000-000000000000")).await;
    assert!(gone.html.contains("Dieser Titel existiert nicht"), "{}", gone.html);
    let english = ada.reading("en").get(&house.path("/tracks/00000000-0000-7000-8000-000000000000")).await;
    assert!(english.html.contains("This track does not exist"), "{}", english.html);
}

async fn every_page_is_written_in_every_language(database: TestDatabase) {
    let house = House::open(database).await;
    let ada = house.administrator().await;
    let collection = house.collection("Season <1>").await;
    let track = house.track(collection, "ebb.wav").await;
    let ends = [
        "/library",
        "/library?q=nothing",
        "/usage",
        "/keys",
        "/keys/new",
        "/sessions",
        "/variants",
        "/webhooks",
        "/transcription",
        "/members",
        "/audit",
        "/organization",
        "/profile",
        "/profile/second-factor",
        "/trash",
    ];
    let mut paths: Vec<_> = ends.iter().map(|end| house.path(end)).collect();
    for end in ["", "/share", "/transcript"] {
        paths.push(house.path(&format!("/tracks/{track}{end}")));
    }
    for end in ["", "/share"] {
        paths.push(house.path(&format!("/collections/{collection}{end}")));
    }
    paths.extend(
        ["/dashboard/people", "/dashboard/status", "/dashboard/profile", "/dashboard/start"]
            .map(str::to_owned),
    );
    for language in ["en", "de", "fr", "es"] {
        let mut browser = ada.clone().reading(language);
        for path in &paths {
            let page = browser.get(path).await;
            assert!(matches!(page.status, 200 | 303), "{path}: {}", page.html);
            if page.status == 200 {
                assert!(page.html.contains(&format!("<html lang=\"{language}\" dir=\"ltr\"")), "{path}");
            }
            if language == "de" {
                has_no_english_sentence(&page, path);
            }
            assert!(!page.html.contains("{ $") && !page.html.contains("{$"), "{path}: {}", page.html);
        }
    }
}

/// The pages of owners, and a text of each in German and in French.
const OF_OWNERS: [(&str, [&str; 2]); 10] = [
    ("/keys", ["Neuer Schlüssel", "Nouvelle clé"]),
    ("/keys/new?type=player", ["Varianten in Wiedergabesitzungen", "Variantes dans les sessions d’écoute"]),
    ("/signing-keys", ["Signaturschlüssel erstellen", "Créer la clé de signature"]),
    ("/variants", ["Transkodierung (ganzer Titel)", "Transcodage (piste entière)"]),
    ("/transcription", ["Speichern und einschalten", "Enregistrer et activer"]),
    ("/members", [">Bearbeiter</option>", ">éditeur</option>"]),
    ("/organization", ["Eigene Farben zulassen", "Autoriser les couleurs personnalisées"]),
    ("/webhooks", ["Endpunkt speichern", "Enregistrer le point de terminaison"]),
    ("/audit", ["Alle Aktionen", "Toutes les actions"]),
    ("/usage", ["Zuhörer pro Tag, addiert", "Auditeurs par jour, additionnés"]),
];

/// Headings that are the same in English and in another language.
const ALIKE: [&str; 3] = ["Webhooks", "Cover", "Collections"];

fn headings(page: &Page) -> Vec<&str> {
    let starts =
        page.html.split("<h").skip(1).filter_map(|rest| rest.strip_prefix(['1', '2'])?.strip_prefix('>'));
    starts.filter_map(|rest| Some(rest.split_once("</h")?.0)).collect()
}

async fn owners_settle_things_in_their_language(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await.reading("en");
    let mut english = Vec::new();
    for (path, _) in OF_OWNERS {
        english.push(ada.get(&house.path(path)).await);
    }
    for (at, language) in ["de", "fr"].into_iter().enumerate() {
        let profile = "/dashboard/profile";
        ada.submit(profile, &format!("{profile}/language"), &[("language", language)]).await;
        for ((path, words), english) in OF_OWNERS.into_iter().zip(&english) {
            let page = ada.get(&house.path(path)).await;
            assert!(page.html.contains(words[at]), "{path} in {language}: {}", page.html);
            let (told, expected) = (headings(&page), headings(english));
            assert!(!told.is_empty() && told.len() == expected.len(), "{path}: {told:?} {expected:?}");
            for (told, english) in told.into_iter().zip(expected) {
                assert!(told != english || ALIKE.contains(&told), "{path} says “{told}” in {language}");
            }
        }
    }
    let new = house.path("/keys/new");
    let made = ada.submit(&new, &new, &[("type", "api"), ("title", "Backend")]).await;
    assert!(made.html.contains("Clé créée") && made.html.contains("Liste les pistes."), "{}", made.html);
    let refused = ada.submit(&new, &new, &[("type", "api"), ("title", ""), ("expires_at", "soon")]).await;
    assert!(refused.html.contains("Saisissez une date et une heure valides."), "{}", refused.html);
    let list = ada.get(&house.path("/keys")).await.html;
    assert!(list.contains("<td>Organisation entière</td>") && list.contains(">Valide</span>"), "{list}");
    let webhooks = house.path("/webhooks");
    let set = [("url", "https://example.com/hook")];
    ada.submit(&webhooks, &format!("{webhooks}/track/set"), &set).await;
    let sent = ada.submit(&webhooks, &format!("{webhooks}/track/test"), &[]).await;
    let delivery = ada.get(&sent.location).await.html;
    assert!(
        delivery.contains("Aucune tentative pour l’instant.") && delivery.contains(">En attente<"),
        "{delivery}"
    );
}

async fn scripts_have_the_texts_of_their_page(database: TestDatabase) {
    let house = House::open(database).await;
    let page = house.browser().reading("de").get("/dashboard/sign-in").await;
    let (before, _) = page.html.split_once("/dashboard.js").unwrap();
    let (_, version) = before.rsplit_once('/').unwrap();
    assert!(version.ends_with("-de"), "{version}");
    let table = |version: String| {
        let request = Request::get(format!("/dashboard/assets/{version}/texts-table.js"));
        let browser = house.browser();
        async move { browser.open(request.body(Body::empty()).unwrap()).await }
    };
    let german = table(version.to_owned()).await;
    assert_eq!(german.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(german.headers()["cache-control"], "public, max-age=31536000, immutable");
    // A page of another version gets the current table, which is not cached.
    let other = table("0123456789abcdef-de".to_owned()).await;
    assert_eq!(
        (other.status().as_u16(), other.headers()["cache-control"].as_bytes()),
        (200, &b"no-store"[..])
    );
    for strange in ["x", "-", "x-", "x-xx", "x-de-fr"] {
        assert_eq!(table(strange.to_owned()).await.status(), 200, "{strange}");
    }
}

/// Fails if a page contains one of the service's longer English sentences without arguments.
fn has_no_english_sentence(page: &Page, path: &str) {
    let messages = include_str!("../../locales/en/service.ftl").lines();
    let sentences = messages.filter_map(|line| Some(line.split_once(" = ")?.1));
    for sentence in sentences.filter(|sentence| sentence.len() > 20 && !sentence.contains('{')) {
        // Sentences of pages begin with a capital letter.
        let sentence = sentence[1..].replace('\'', "&#39;");
        assert!(!page.html.contains(&sentence), "{path} says “…{sentence}”");
    }
}

/// Every reason that a track or a file of it can have, as it is stored.
const REASONS: [(&str, &str); 5] = [
    ("The file contains no audio.", "Die Datei enthält keinen Ton."),
    ("hq: The work exceeded its time limit.", "hq: Die Verarbeitung hat ihr Zeitlimit überschritten."),
    (
        "no file was uploaded before the upload URL expired",
        "es wurde keine Datei hochgeladen, bevor die Upload-URL ablief",
    ),
    (
        "the import from example.com failed: there is no file at this URL (404 Not Found)",
        "der Import von example.com ist fehlgeschlagen: unter dieser URL gibt es keine Datei (404 Not Found)",
    ),
    (
        "Processing was given up after 5 attempts: The file could not be analysed.",
        "Die Verarbeitung wurde nach 5 Versuchen aufgegeben: Die Datei konnte nicht analysiert werden.",
    ),
];

impl House {
    /// A track that failed for a reason.
    async fn failed_track(&self, collection: CollectionId, reason: &str) -> TrackId {
        let id = self.track(collection, "take.wav").await;
        let tx = self.catalog.begin().await.unwrap();
        let mut track = tx.track(self.organization_id, id).await.unwrap().unwrap();
        track.status_reason = Some(reason.to_owned());
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
        id
    }
}

async fn what_went_wrong_is_told_in_german(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut ada, collection) = (house.administrator().await.reading("de"), house.collection("Season").await);
    for (reason, told) in REASONS {
        let track = house.failed_track(collection, reason).await;
        for path in [format!("/tracks/{track}"), format!("/tracks/{track}/state.json"), "/tracks".to_owned()]
        {
            let page = ada.get(&house.path(&path)).await;
            assert!(page.html.contains(told) && !page.html.contains(reason), "{path}: {}", page.html);
            has_no_english_sentence(&page, &path);
        }
    }
    let people = "/dashboard/people";
    let page = ada.get(people).await.html;
    let (_, own) = page.split_once("href=\"/dashboard/people/").unwrap();
    let own = format!("{people}/{}", own.split('"').next().unwrap());
    let refused = ada.submit(&own, &format!("{own}/disable"), &[]).await;
    assert!(refused.html.contains("Sie können Ihr eigenes Konto nicht sperren"), "{}", refused.html);
    has_no_english_sentence(&refused, &own);
}
