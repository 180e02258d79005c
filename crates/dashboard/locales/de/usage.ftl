# What was listened to and delivered.

## The period

usage-hint = Wiedergaben, Zuhörer und ausgelieferte Daten pro Tag (UTC).
usage-period = Zeitraum
usage-days = { $count } Tage
usage-from = Von
usage-to = Bis
usage-none = Keine Nutzung in diesem Zeitraum
usage-appears = Neue Wiedergaben erscheinen hier innerhalb von Sekunden.

## Numbers

usage-listens = Wiedergaben
usage-listeners = Zuhörer
usage-heard = Hördauer
usage-delivered = Ausgeliefert
usage-stored = Gespeichert
usage-now = Hören gerade zu
usage-listeners-added = Zuhörer pro Tag, addiert
usage-counted = Wie Wiedergaben gezählt werden
usage-counted-hint = Eine Wiedergabe zählt, wenn an einem Tag mindestens eine Minute eines Titels, oder ein kürzerer Titel ganz, an einen Zuhörer ausgeliefert wurde. Ein Zuhörer ist eine Netzwerkadresse mit einem Browser oder einer App; bekannte Bots zählen nicht. Dieselbe Person zählt an einem anderen Tag noch einmal. Eine Seite oder einen Freigabelink zu öffnen, ohne etwas abzuspielen, ist keine Wiedergabe. Die Hördauer ist, was gespielt wurde, wo Player das melden (die von Tonearm tun es: { $played }), und sonst die Länge dessen, was ausgeliefert wurde: Player laden voraus, also kann weniger gehört worden sein.

## Charts

usage-listens-per-day = Wiedergaben pro Tag
usage-listeners-per-day = Zuhörer pro Tag
usage-heard-per-day = Hördauer pro Tag
usage-delivered-per-day = Ausgeliefert pro Tag
usage-day = Tag
usage-show-table = Als Tabelle anzeigen
usage-show-table-of = Als Tabelle anzeigen: { $title }

## Tables

usage-export = CSV exportieren
usage-export-days = Wiedergaben nach Tagen exportieren (CSV)
usage-by-track = Nach Titel
usage-by-collection = Nach Sammlung
usage-by-share-link = Nach Freigabelink
usage-by-site = Nach Website
usage-by-country = Nach Land
usage-export-by-track = CSV nach Titel exportieren
usage-export-by-collection = CSV nach Sammlung exportieren
usage-export-by-share-link = CSV nach Freigabelink exportieren
usage-export-by-site = CSV nach Website exportieren
usage-export-by-country = CSV nach Land exportieren
usage-listens-by-track = Wiedergaben nach Titel
usage-listens-by-collection = Wiedergaben nach Sammlung
usage-listens-by-share-link = Wiedergaben nach Freigabelink
usage-listens-by-site = Wiedergaben nach Website
usage-listens-by-country = Wiedergaben nach Land
usage-share-key = Freigabelink
usage-site = Website
usage-country = Land
usage-no-track = In diesem Zeitraum wurde kein Titel gehört.
usage-no-collection = In diesem Zeitraum wurde keine Sammlung gehört.
usage-no-share-link = In diesem Zeitraum wurde über keinen Freigabelink gehört.
usage-no-site = In diesem Zeitraum gab es keine andere Website mit einem Player.
usage-no-country = In diesem Zeitraum wurde kein Land erkannt.
usage-more = { $count } weitere in der CSV-Datei.
usage-deleted-key = Gelöschter Schlüssel
usage-other-sites = Andere Websites
usage-delivered-by-track = Ausgeliefert nach Titel
usage-delivered-by-variant = Ausgeliefert nach Variante
usage-export-delivered-by-track = CSV der Auslieferungen nach Titel exportieren
usage-export-delivered-by-variant = CSV der Auslieferungen nach Variante exportieren
usage-requests = Anfragen
usage-starts = Starts
usage-downloads = Downloads
usage-requests-hint = Anfragen sind geöffnete Freigabelinks und von Playern abgerufene Titel, ob etwas gehört wurde oder nicht. Starts sind Auslieferungen von Ton vom Anfang einer Datei an.
usage-shared-covers = Gemeinsame Cover
usage-unknown-variant = Unbekannte Variante
usage-largest = Größte Titel

## How far listeners get

usage-drop-off-of = Absprünge bei { $title }
usage-drop-off-hint = Welche Teile Zuhörer in den letzten sieben Tagen abgerufen haben.
usage-open-track = Titel öffnen
usage-no-listens = Keine Wiedergaben in den letzten sieben Tagen
usage-listens-by-part = Wiedergaben nach Teilen des Titels
usage-count-by-part = { $count ->
    [one] 1 Wiedergabe nach Teilen des Titels
   *[other] { $count } Wiedergaben nach Teilen des Titels
}
usage-parts-hint = Teile zählen, sobald sie gespielt wurden, wo Player das melden (die von Tonearm tun es), und sonst, sobald sie ausgeliefert wurden, was einige Zeit davor geschieht.
usage-share = Anteil
