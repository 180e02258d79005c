//! The library, in the language of the reader.

use axum::body::Body;
use http::Request;
use tonearm_fixtures::TestDatabase;

use crate::browser::{Browser, Page};
use crate::house::House;

crate::on_both!(the_library_is_in_the_language_of_its_reader, what_people_write_is_text_in_every_language);

async fn get(browser: &mut Browser, path: &str, language: &str) -> Page {
    let request = Request::get(path).header("accept-language", language);
    browser.send(request.body(Body::empty()).unwrap()).await
}

async fn the_library_is_in_the_language_of_its_reader(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("Season").await);
    let track = house.track(collection, "ebb.wav").await;
    let paths = [
        "/library".to_owned(),
        "/library?q=nothing".to_owned(),
        "/tracks?q=ebb".to_owned(),
        format!("/collections/{collection}"),
        format!("/tracks/{track}"),
        format!("/tracks/{track}/share"),
        "/trash".to_owned(),
    ]
    .map(|path| house.path(&path));
    let search = house.path("/tracks?q=nothing");
    for (language, expected) in [
        (
            "en",
            [
                "1 collection<",
                "\">Search tracks instead</a>.",
                "1 track found<",
                "Drop audio files or folders here, or choose files.",
                ">Waiting for upload<",
                ">In 1 day<",
                ">No deleted items<",
            ],
        ),
        (
            "de",
            [
                "1 Sammlung<",
                "\">Stattdessen Titel suchen</a>.",
                "1 Titel gefunden<",
                "Audiodateien oder Ordner hier ablegen oder Dateien auswählen.",
                ">Wartet auf Upload<",
                ">In 1 Tag<",
                ">Keine gelöschten Elemente<",
            ],
        ),
        (
            "fr",
            [
                "1 collection<",
                "\">Rechercher plutôt des pistes</a>.",
                "1 piste trouvée<",
                "Déposez des fichiers audio ou des dossiers ici, ou choisissez des fichiers.",
                ">En attente d’envoi<",
                ">Dans 1 jour<",
                ">Aucun élément supprimé<",
            ],
        ),
        (
            "es",
            [
                "1 colección<",
                "\">Buscar pistas en su lugar</a>.",
                "1 pista encontrada<",
                "Arrastre archivos de audio o carpetas aquí, o elija archivos.",
                ">Esperando la subida<",
                ">En 1 día<",
                ">No hay elementos eliminados<",
            ],
        ),
    ] {
        for (path, told) in paths.iter().zip(expected) {
            let page = get(&mut browser, path, language).await;
            assert!(page.status == 200 && page.html.contains(told), "{told} in {path}: {}", page.html);
            assert_eq!(page.headers["content-language"], language, "{path}");
        }
        let none = get(&mut browser, &paths[1], language).await;
        assert!(none.html.contains(&format!("href=\"{search}\"")), "{}", none.html);
    }
}

async fn what_people_write_is_text_in_every_language(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, collection) = (house.administrator().await, house.collection("{ $x } <b>").await);
    let track = house.track(collection, "ebb.wav").await;
    let share = house.path(&format!("/tracks/{track}/share"));
    let form = [("variant", "hq"), ("expires", "week"), ("title", "<b>\"{ $title }\"</b>")];
    let made = browser.submit(&share, &share, &form).await;
    assert_eq!(made.status, 303, "{}", made.html);
    let list = house.path(&format!("/collections/{collection}"));
    for language in ["en", "de", "fr", "es"] {
        let page = get(&mut browser, &share, language).await;
        let written = "&#60;b&#62;&#34;{ $title }&#34;&#60;/b&#62;</span></button>";
        assert!(page.html.contains(written) && !page.html.contains("<b>"), "{}", page.html);
        assert!(page.html.contains("<time datetime=\"2"), "{}", page.html);
        let page = get(&mut browser, &list, language).await;
        assert!(page.html.contains("{ $x } &#60;b&#62;") && !page.html.contains("<b>"), "{}", page.html);
    }
}
