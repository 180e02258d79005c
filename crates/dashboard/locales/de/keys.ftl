# API keys, share links, and the keys that sign URLs.

## All keys

keys-new = Neuer Schlüssel
keys-explanation = Schlüssel werden nur einmal angezeigt, wenn sie erstellt werden. Freigabelinks lassen sich erneut kopieren.
keys-explanation-reference = Die <a href="/docs" target="_blank" rel="noopener">API-Referenz</a> (englisch) enthält zu jeder Anfrage einen Befehl.
keys-explanation-signing = Um URLs im eigenen Backend zu signieren, verwenden Sie <a href="{ $base }/signing-keys">Signaturschlüssel</a>.
keys-explanation-sessions = Mit Schlüsseln öffnen Player und Uploader <a href="{ $base }/sessions">Sitzungen</a>.
keys-valid = Gültig
keys-expired = Abgelaufen
keys-revoked = Widerrufen
keys-search = Schlüssel nach Namen suchen
keys-search-hint = Nach Namen suchen
keys-all-types = Alle Typen
keys-none-found = Keine Schlüssel gefunden
keys-no-valid-match = Kein gültiger Schlüssel passt.
keys-no-expired-match = Kein abgelaufener Schlüssel passt.
keys-no-revoked-match = Kein widerrufener Schlüssel passt.
keys-show-valid = Alle gültigen Schlüssel anzeigen
keys-none = Noch keine Schlüssel
keys-none-hint = Mit Freigabelinks können alle zuhören. Andere Schlüssel sind für Programme, die Titel verwalten, abspielen oder hochladen.
keys-create = Schlüssel erstellen
keys-list = Schlüssel
keys-access = Zugriff
keys-allows = Erlaubt
keys-last-used = Zuletzt verwendet
keys-never = Nie
keys-until = bis <time data-exact datetime="{ $at }">{ $at }</time>
keys-edit-one = Bearbeiten<span class="hidden">: { $title }</span>
keys-confirm-revoke = „{ $title }“ widerrufen? Alles, was den Schlüssel verwendet, funktioniert dann nicht mehr. Das lässt sich nicht rückgängig machen.
keys-revoke-one = Widerrufen<span class="hidden">: { $title }</span>
keys-confirm-revoke-made = „{ $title }“ und alles widerrufen, was damit erstellt wurde ({ $count })? Diese Schlüssel, Signaturschlüssel und Webhooks funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.
keys-revoke-made = Mit allem Erstellten widerrufen ({ $count })<span class="hidden">: { $title }</span>

## Sessions

keys-sessions = Sitzungen
keys-sessions-play = Wiedergabesitzungen
keys-sessions-upload = Upload-Sitzungen
keys-sessions-hint = Sitzungen, die jetzt gültig sind. Sie enden, wenn sie ablaufen oder ihr Schlüssel widerrufen wird.
keys-sessions-none = Keine gültigen Sitzungen
keys-sessions-index = Externe ID
keys-sessions-key = Schlüssel
keys-sessions-until = Gültig bis
keys-sessions-confirm = Diese Sitzung beenden? Ihr Player oder Uploader funktioniert innerhalb von zwei Sekunden nicht mehr; signierte URLs bleiben gültig, bis sie ablaufen.
keys-sessions-end = Beenden<span class="hidden">: Sitzung von { $title }</span>

## What a key is

keys-type-api = API
keys-type-player = Player
keys-type-uploader = Uploader
keys-type-share = Freigabelink
keys-whole-organization = Ganze Organisation
keys-allows-nothing = keine Variante
keys-allows-downloads = Herunterladen
keys-allows-origin = Seiten von { $origin }
keys-allows-origins = Seiten von { $count } Origins

## A new key

keys-type = Schlüsseltyp
keys-in = in { $title }
keys-change-selection = Auswahl ändern
keys-reach = Die ganze Organisation, wenn Sie keine Sammlung und keinen Titel auswählen.
keys-reach-search = Sammlungen und Titel suchen
keys-reach-nothing = Keine Sammlung und kein Titel enthält alle Suchwörter.
keys-explain-api = Für eigene Server. Erlaubt alles innerhalb seines Zugriffs. Verwenden Sie ihn nie in einem Browser.
keys-explain-player = Zum Erstellen von Wiedergabesitzungen, zum Beispiel von Ihrem Backend aus. Erlaubt sonst nichts.
keys-explain-uploader = Zum Erstellen von Upload-Sitzungen. Erlaubt sonst nichts.
keys-variants = Varianten in Wiedergabesitzungen
keys-variants-all = Alle Varianten, auch künftige
keys-variants-only = Nur diese:
keys-downloads = Herunterladen in Wiedergabesitzungen erlauben
keys-expires = Läuft ab am <span class="hint">(UTC, optional)</span>
keys-choose-collection = Wählen Sie eine gültige Sammlung.
keys-choose-track = Wählen Sie einen gültigen Titel.
keys-one-variant = Wählen Sie genau eine Variante.
keys-all-and-some = Wählen Sie „Nur diese“ oder heben Sie die Auswahl der Varianten auf.
keys-no-variant = Wählen Sie mindestens eine Variante aus oder wählen Sie „Alle Varianten“.
keys-no-origin = Geben Sie mindestens einen Origin ein oder wählen Sie „Alle Websites“.
keys-not-an-origin = „{ $line }“ ist kein Origin; geben Sie einen wie https://www.example.com ein
keys-some-origins = Wählen Sie „Nur diese“ oder leeren Sie die Liste.
keys-origin-list = die Liste { $problem }
keys-list-of-origins = die Liste der Origins { $problem }

## The page that shows a key once

keys-created = Schlüssel erstellt
keys-created-hint = Kopieren Sie ihn jetzt. Er wird nur einmal angezeigt, denn gespeichert wird nur ein Hash.
keys-link-created = Freigabelink erstellt
keys-link-created-hint = Freigabelinks eines Titels oder einer Sammlung lassen sich auf deren Seite erneut kopieren.
keys-key = Schlüssel
keys-done = Fertig
keys-embed-code = Code zum Einbetten des Players
keys-stream-template = URL des Audiostreams: Ersetzen Sie TRACK_ID durch die ID eines Titels
keys-use = So verwenden Sie ihn
keys-use-hint = Diese Beispiele enthalten den Schlüssel. Ersetzen Sie, was in GROSSBUCHSTABEN steht.
keys-copy-one = Kopieren<span class="hidden">: { $title }</span>
keys-lists-tracks = Listet die Titel auf.
keys-server-only = Für Ihren Server: Senden Sie diesen Schlüssel nie an einen Browser.
keys-opens-session = Erstellt eine Wiedergabesitzung.
keys-gets-urls = Erstellt eine Wiedergabesitzung und ruft die URLs ihres ersten Titels ab.
keys-play-page = Eine Seite, die den ersten Titel abspielt. Besucher können den Schlüssel darin lesen: Beschränken Sie ihn auf Ihre Website.
keys-uploads-file = Lädt eine Datei hoch.
keys-uploads-chosen = Lädt eine ausgewählte Datei hoch.
keys-upload-page = Eine Seite zum Hochladen von Dateien. Besucher können den Schlüssel darin lesen: Beschränken Sie ihn auf Ihre Website.

## One key

keys-edit = Schlüssel bearbeiten
keys-created-at = erstellt: <time data-exact datetime="{ $at }">{ $at }</time>
keys-last-used-at = zuletzt verwendet: <time datetime="{ $at }">{ $at }</time>
keys-never-used = nie verwendet
keys-is-revoked = Dieser Schlüssel ist widerrufen und lässt sich nicht ändern. Erstellen Sie einen anderen.
keys-back = Zurück zu den Schlüsseln
keys-expiry-hint = Leer lassen, wenn der Schlüssel nicht ablaufen soll. Änderungen gelten innerhalb von zwei Sekunden.

## Signing keys

keys-signing = Signaturschlüssel
keys-signing-hint = Signieren Sie Datei-URLs im eigenen Backend, ohne Anfrage an diesen Dienst.
keys-signing-created = Signaturschlüssel erstellt
keys-signing-created-hint = Kopieren Sie das Geheimnis jetzt. Es wird nur einmal angezeigt. Bewahren Sie es wie ein Passwort auf und senden Sie es nie an einen Browser.
keys-signing-id = ID (Parameter <code>kid</code>)
keys-signing-secret = Geheimnis
keys-signing-none = Noch keine Signaturschlüssel
keys-signing-none-hint = Sie brauchen einen nur, um URLs selbst zu signieren. Wiedergabesitzungen und Freigabelinks enthalten bereits signierte URLs.
keys-signing-when = Erstellt
keys-signing-confirm-revoke = „{ $title }“ widerrufen? Damit signierte URLs funktionieren dann nicht mehr.
keys-signing-new = Neuer Signaturschlüssel
keys-signing-create = Signaturschlüssel erstellen
