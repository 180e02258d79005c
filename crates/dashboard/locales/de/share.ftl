# Pages for listeners: share links and framed players.

share-first-tracks = Erste Titel
share-next-tracks = Weitere Titel
share-pages = Seiten mit Titeln
share-nothing-yet = Noch keine Titel zum Abspielen.
share-download-tracks = Titel herunterladen
share-download = Herunterladen
share-powered-by = Bereitgestellt mit Tonearm
share-all-tracks = Alle Titel dieser Sammlung
share-transcript = Transkript
share-embed = Diesen Player einbetten
share-frame = Iframe, für jede Seite
share-element = Webkomponente, für eigene Seiten
share-copy = Kopieren
share-count =
    { $count ->
        [one] { $count } Titel
       *[other] { $count } Titel
    }
share-count-more =
    { $count ->
        [one] { $count } weiterer Titel
       *[other] { $count } weitere Titel
    }
share-count-over =
    { $count ->
        [one] Mehr als { $count } Titel
       *[other] Mehr als { $count } Titel
    }
share-dead = Link nicht verfügbar
share-dead-text = Dieser Link ist ungültig, abgelaufen oder widerrufen. Bitten Sie den Absender um einen neuen.
share-away = Vorübergehend nicht verfügbar
share-away-text = Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es in Kürze noch einmal.
