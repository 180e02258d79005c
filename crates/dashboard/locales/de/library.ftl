# The library: collections, lists of tracks, selections, sharing, first steps, deleted items.

## Words of several pages

library-heading = Bibliothek
library-all-tracks = Alle Titel
library-deleted-items = Gelöschte Elemente
library-collection = Sammlung
library-variant = Variante
library-title = Name
library-name = Name
library-cover = Cover
library-cover-remove = Cover entfernen
library-share = Teilen
library-open = Öffnen
library-copy = Kopieren
library-download = Herunterladen
library-save = Änderungen speichern
library-cancel = Abbrechen
library-delete = Löschen
library-previous = Zurück
library-next = Weiter
library-pages = Seitennavigation

## Numbers

library-collections = { $count ->
    [one] 1 Sammlung
   *[other] { $count } Sammlungen
}
library-more-tracks = mehr als { $count } Titel
library-more-collections = mehr als { $count } Sammlungen
library-found-tracks = { $count ->
    [one] 1 Titel gefunden
   *[other] { $count } Titel gefunden
}
library-found-collections = { $count ->
    [one] 1 Sammlung gefunden
   *[other] { $count } Sammlungen gefunden
}
library-found-more-tracks = mehr als { $count } Titel gefunden
library-found-more-collections = mehr als { $count } Sammlungen gefunden

## Search and order

library-search-collections = Sammlungen suchen
library-search-tracks = Titel suchen
library-search = Suchen
library-apply = Anwenden
library-sort = Sortieren nach
library-sort-order = Manuelle Reihenfolge
library-sort-newest = Neueste zuerst
library-sort-oldest = Älteste zuerst
library-sort-longest = Längste zuerst
library-sort-status = Status
library-no-matching-collections = Keine passenden Sammlungen
library-no-such-collection = Kein Name einer Sammlung enthält alle Suchwörter.
library-search-tracks-instead = Kein Name einer Sammlung enthält alle Suchwörter. <a href="{ $base }/tracks?{ $query }">Stattdessen Titel suchen</a>.
library-no-matching-tracks = Keine passenden Titel
library-search-all-collections = Kein Titel in dieser Sammlung enthält alle Suchwörter. <a href="{ $base }/tracks?{ $query }">Alle Sammlungen durchsuchen</a>.
library-no-such-track = Bei keinem Titel kommen alle Suchwörter in Name, Untertitel, Dateiname, eigener ID oder Tags vor.

## Collections

library-no-collections = Noch keine Sammlungen
library-what-is-a-collection = Eine Sammlung fasst Titel zusammen, etwa die eines Albums, einer Sendung oder eines Kurses.
library-ask-editor = Bitten Sie einen Bearbeiter, eine anzulegen.
library-new-collection = Neue Sammlung
library-create-collection = Sammlung erstellen
library-add-tracks = Titel hinzufügen
library-drop-files = Audiodateien oder Ordner hier ablegen oder Dateien auswählen.
library-choose-folder = Ordner auswählen
library-upload-files = Dateien hochladen
library-import-from = Von einer URL importieren
library-import-example = https://example.com/song.mp3 oder s3://bucket/song.mp3
library-import = Importieren
library-no-tracks = Noch keine Titel
library-tracks-appear = Hochgeladene Titel erscheinen hier.
library-open-to-upload = Zum Hochladen von Titeln eine Sammlung öffnen.
library-collection-details = Angaben zur Sammlung
library-player-subtitle = Untertitel im Player
library-cover-of = Cover von { $title }
library-deletes-collection = Löscht die Sammlung und ihre Titel. Die Links dazu funktionieren dann nicht mehr. Eine Wiederherstellung ist für begrenzte Zeit möglich.
library-confirm-delete-collection = { $count ->
    [0] Diese leere Sammlung löschen?
    [one] Diese Sammlung und ihren Titel löschen?
   *[other] Diese Sammlung und ihre { $count } Titel löschen?
}
library-delete-collection = Sammlung löschen

## Selected tracks

library-select = Auswählen
library-select-track = { $title } auswählen
library-select-all = Alle auf dieser Seite auswählen
library-move = Verschieben …
library-retitle = Umbenennen …
library-move-count = { $count ->
    [one] 1 Titel verschieben
   *[other] { $count } Titel verschieben
}
library-move-hint = Die Titel werden am Ende der Sammlung angefügt. Ein Titel ist immer in genau einer Sammlung.
library-more-to-find = Es gibt weitere Sammlungen. Die Suche findet sie.
library-move-tracks = Titel verschieben
library-create-and-move = Sammlung erstellen und Titel verschieben
library-choose-collection = Wählen Sie eine Sammlung aus.
library-unselect = Auswahl aufheben
library-move-to-position = An Position verschieben …
library-position = Position
library-position-hint = { $count ->
    [one] Die Sammlung hat 1 Titel.
   *[other] Die Sammlung hat { $count } Titel. Der erste ausgewählte Titel erhält diese Position, die anderen folgen ihm.
}
library-position-number = Geben Sie eine ganze Zahl ab 1 ein.
library-move-to-start = An den Anfang verschieben
library-move-to-end = Ans Ende verschieben
library-retitle-count = { $count ->
    [one] 1 Titel umbenennen
   *[other] { $count } Titel umbenennen
}
library-retitle-hint = Ein Titel ohne eigenen Namen zeigt den Namen aus seiner Datei.
library-tracks-left-out = Einige der ausgewählten Titel wurden inzwischen gelöscht oder verschoben. Sie fehlen hier.
library-save-titles = Namen speichern

## Deleted items

library-trash-hint = Titel und Sammlungen wiederherstellen, bevor sie endgültig entfernt werden.
library-no-deleted-items = Keine gelöschten Elemente
library-no-deleted-items-hint = Was im Dashboard gelöscht wird, lässt sich hier für begrenzte Zeit wiederherstellen.
library-trash-collections = { $count ->
    [one] 1 Sammlung mit ihren Titeln
   *[other] { $count } Sammlungen mit ihren Titeln
}
library-trash-more-collections = mehr als { $count } Sammlungen mit ihren Titeln
library-deleted-at = Gelöscht
library-restorable-until = Wiederherstellbar bis
library-actions = Aktionen
library-restore = Wiederherstellen
library-restore-one = { $title } wiederherstellen

## Sharing

library-share-title = { $title } teilen
library-share-track = Titel teilen
library-share-collection = Sammlung teilen
library-share-not-playable = Der Titel kann noch nicht abgespielt werden. Sobald das möglich ist, funktionieren seine Links.
library-share-link = Freigabelink
library-share-url = Link
library-share-embed = Einbetten
library-share-theme = Farbschema
library-theme-system = Wie das System
library-theme-light = Hell
library-theme-dark = Dunkel
library-share-size = Größe
library-size-compact = Kompakt ({ $pixels } px)
library-size-list = Mit Liste ({ $pixels } px)
library-size-tall = Mit langer Liste ({ $pixels } px)
library-share-update = Vorschau aktualisieren
library-share-preview = Vorschau des eingebetteten Players
library-iframe = Iframe, für jede Seite
library-web-component = Webkomponente, für eigene Seiten
library-stream-url = URL des Audiostreams
library-new-link = Neuer Link
library-new-link-hint = Wer den Link hat, kann zuhören, bis er abläuft oder widerrufen wird.
library-share-expires = Läuft ab
library-expires-never = Nie
library-expires-day = In 1 Tag
library-expires-week = In 7 Tagen
library-expires-month = In 30 Tagen
library-expires-year = In 1 Jahr
library-expires-date = Zu einem Zeitpunkt
library-date-and-time = Datum und Uhrzeit <span class="hint">(UTC)</span>
library-optional-name = Name <span class="hint">(optional)</span>
library-name-example = etwa Presse
library-allow-downloads = Herunterladen erlauben
library-create-link = Link erstellen
library-name-too-long = Geben Sie einen Namen mit höchstens 200 Zeichen ein.
library-choose-variant = Wählen Sie eine Variante aus der Liste.
library-enter-date = Geben Sie ein gültiges Datum mit Uhrzeit ein.
library-enter-future = Geben Sie einen Zeitpunkt in der Zukunft ein.
library-links-of-track = Links dieses Titels
library-links-of-collection = Links dieser Sammlung
library-link-downloads = Downloads
library-link-expired = Abgelaufen
library-link-expired-at = Abgelaufen: <time datetime="{ $at }">{ $at }</time>
library-link-expires-at = Läuft ab: <time datetime="{ $at }">{ $at }</time>
library-link-does-not-expire = Läuft nicht ab
library-link-last-used = zuletzt verwendet: <time datetime="{ $at }">{ $at }</time>
library-link-never-used = nie verwendet
library-link-shown-once = Dieser Link wurde nur einmal gezeigt, als er erstellt wurde. Um erneut zu teilen, einen weiteren Link erstellen.
library-link-copy = Kopieren<span class="hidden">: Link von { $title }</span>
library-link-embed = Einbetten<span class="hidden">: { $title }</span>
library-link-revoke-one = Widerrufen<span class="hidden">: { $title }</span>
library-link-confirm-revoke = „{ $title }“ widerrufen? Player, die den Link verwenden, funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.
library-link-revoke = Widerrufen
library-older-links = Ältere Links

## First steps

library-get-started = Erste Schritte
library-skip = Überspringen
library-step-name = Benennen
library-step-add = Titel hinzufügen
library-step-embed = Einbetten
library-start-question = Was soll veröffentlicht werden?
library-start-question-hint = Eine Sammlung fasst Titel zusammen, etwa die eines Albums, einer Sendung oder eines Kurses. Ihr Name lässt sich später ändern.
library-organization = Organisation
library-first-collection = Erste Sammlung
library-first-collection-example = Mein Podcast
library-continue = Weiter
library-start-failed = { $file }: { $reason } Wählen Sie eine andere Datei.
library-progress = Fortschritt der Verarbeitung
library-processed = Die Verarbeitung ist abgeschlossen. Laden Sie diese Seite neu.
library-reload-for-progress = Laden Sie diese Seite neu, um den Fortschritt zu sehen.
library-add-to = Titel zu { $title } hinzufügen
library-drop-file = Eine Audiodatei hier ablegen oder auswählen.
library-start-import = Ist das Audio schon im Web? <a href="{ $base }/collections/{ $collection }">Von einer URL importieren</a>.
library-online = Der Titel ist online
library-share-page = Freigabeseite
library-go-to-library = Zur Bibliothek
library-track-is-ready = { $title } ist bereit
library-track-is-ready-hint = Zum Anhören auf „Abspielen“ klicken. Danach den Code erstellen, der diesen Player auf der eigenen Seite zeigt.
library-create-code = Einbettungscode erstellen
library-link-revocable = Wer den Link hat, kann zuhören. Unter „Schlüssel und Links“ lässt er sich widerrufen.
library-start-no-variant = Diese Organisation hat keine Variante, die Player abspielen können.
library-set-cover = Cover setzen …
library-set-cover-count = { $count ->
    [one] Cover von 1 Titel setzen
   *[other] Cover von { $count } Titeln setzen
}
library-set-cover-hint = Jeder der Titel erhält dieses Cover anstelle seines eigenen. Sie können das eine Stunde lang rückgängig machen.
library-image = Bild
library-image-hint = Wird quadratisch zugeschnitten.
library-set-cover-button = Cover setzen
