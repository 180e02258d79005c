# Texts of scripts. Plural forms are attributes, named as by Intl.PluralRules; there are no selections.

# Questions, copying and forms.

script-cancel = Abbrechen
script-close = Schließen
script-yes = Ja
script-undo = Rückgängig machen
script-try-again = Erneut versuchen
script-copy-done = Kopiert
script-copy-failed = Kopieren fehlgeschlagen
script-copy-keys = Strg+C drücken
script-form-problems = Es wurde nichts gespeichert. Korrigieren Sie das Formular und senden Sie es erneut:
script-form-unanswered = Korrigieren Sie das Formular und senden Sie es erneut:
script-form-problem = { $field }: { $problem }
script-draft-signed-out = Ihre Anmeldung war abgelaufen, bevor dieses Formular gespeichert wurde.
script-draft-refused = Dieses Formular wurde nicht gespeichert.
script-draft-back = Ihre Eingaben sind wieder da. Prüfen Sie sie und speichern Sie erneut.
script-draft-file = Wählen Sie die Datei erneut aus.
script-draft-kept = Ihre Eingaben bleiben in diesem Tab erhalten.
script-draft-after-sign-in = Nach der Anmeldung sind sie wieder da.
script-draft-go-back = Zurück zum Formular.

# Signing in again.

script-signed-out = Ihre Anmeldung ist abgelaufen. Melden Sie sich erneut an, um fortzufahren: Diese Seite bleibt, wie sie ist.
script-signed-out-link = In neuem Tab anmelden
script-signed-out-other = In diesem Browser ist jetzt jemand anderes angemeldet. Melden Sie diese Person ab und sich selbst wieder an, um hier fortzufahren.

# Covers.

script-crop-preview = Vorschau des zugeschnittenen Covers
script-crop-across = Horizontale Position
script-crop-down = Vertikale Position
script-crop-zoom = Zoom

# Uploads, and how far tracks are.

script-upload-left-out =
    .one = „{ $names }“ ist keine Audiodatei und wurde ausgelassen.
    .other = { $count } Dateien sind keine Audiodateien und wurden ausgelassen: { $names }.
script-upload-interrupted =
    .one = Das Hochladen von „{ $name }“ wurde unterbrochen. Fügen Sie die Datei erneut hinzu, um es fortzusetzen.
    .other = Das Hochladen von { $count } Dateien wurde unterbrochen. Fügen Sie dieselben Dateien erneut hinzu, um es fortzusetzen.
script-upload-of = Hochladen von { $name }
script-upload-pause = Pausieren
script-upload-pause-name = { $name } pausieren
script-upload-resume = Fortsetzen
script-upload-resume-name = { $name } fortsetzen
script-upload-try-again-name = { $name } erneut versuchen
script-upload-cancel-name = { $name } abbrechen
script-upload-waiting = Wartet
script-uploading = Wird hochgeladen
script-uploading-percent = Wird hochgeladen: { $percent } %
script-upload-paused = Pausiert
script-upload-cancelled = Abgebrochen
script-processing = Wird verarbeitet
script-upload-empty = Diese Datei ist leer. Wählen Sie eine andere.
script-upload-not-started = Das Hochladen konnte nicht beginnen. Versuchen Sie es erneut.
script-upload-disconnected = Verbindung unterbrochen. Neuer Versuch…
script-upload-unavailable = Der Dienst ist nicht verfügbar. Neuer Versuch…
script-upload-file-gone = Die Datei kann nicht gelesen werden. Vielleicht wurde sie geändert, verschoben oder gelöscht, oder es ist ein Ordner. Entfernen Sie sie hier und fügen Sie die Datei erneut hinzu.
script-upload-expired = Dieser Upload ist abgelaufen. Entfernen Sie ihn und fügen Sie die Datei erneut hinzu.
script-upload-rejected = Der Server hat den Upload abgelehnt.
script-upload-rejected-again = Der Server hat den Upload abgelehnt. Entfernen Sie ihn und fügen Sie die Datei erneut hinzu.
script-upload-unreadable = Die Datei ist nicht unversehrt angekommen: Sie ist leer oder wurde unterwegs beschädigt. Prüfen Sie sie und laden Sie sie erneut hoch.
script-upload-quota = Das Kontingent der Organisation ist ausgeschöpft. Löschen Sie Titel oder bitten Sie den Betreiber, das Kontingent zu erhöhen.
script-upload-too-large = Die Datei ist größer, als dieser Dienst erlaubt.
script-upload-used = Dieser Upload ist bereits abgeschlossen. Fügen Sie die Datei erneut hinzu, um sie noch einmal hochzuladen.
script-upload-speed = { $speed } MB/s · { $left }
script-left-moment = fast fertig
script-left-seconds = noch { $seconds } s
script-left-minutes = noch { $minutes } min
script-left-hours = noch { $hours } h { $minutes } min
script-progress = { $status }: { $percent } %
script-file-waiting = { $file } wartet
script-file-running = { $file } { $percent } %
script-file-made = { $file } fertig
script-file-failed = { $file } fehlgeschlagen

# Lists of tracks.

script-selected =
    .one = { $count } ausgewählt
    .other = { $count } ausgewählt
script-selected-elsewhere =
    .one = { $count } ausgewählt, hier nicht angezeigt
    .other = { $count } ausgewählt, { $elsewhere } davon hier nicht angezeigt
script-selected-too-many = { $count } ausgewählt. Es können höchstens { $most } Titel auf einmal geändert werden.
script-order-saved = Reihenfolge gespeichert.
script-order-not-saved = Die Reihenfolge konnte nicht gespeichert werden. Prüfen Sie die Verbindung und versuchen Sie es erneut.
script-row = Die Zeile
script-row-taken = { $name } aufgenommen an Position { $at } von { $count }. Mit den Pfeiltasten bewegen, mit der Leertaste ablegen, mit Escape abbrechen.
script-row-moved = { $name }, Position { $at } von { $count }.
script-row-dropped = { $name } abgelegt an Position { $at } von { $count }.
script-row-back = Abgebrochen. { $name } ist wieder an Position { $at } von { $count }.
script-play-track = { $title } abspielen
script-pause-track = { $title } anhalten
script-more-for-track = Mehr zu { $title }
script-reorder-track = { $title } verschieben
script-play-next = Als Nächstes abspielen
script-add-to-queue = Zur Warteschlange hinzufügen
script-share-track = Teilen

# The player bar and its queue.

script-bar = Player
script-bar-page = Seite
script-bar-play = Abspielen
script-bar-pause = Anhalten
script-bar-previous = Vorheriger Titel
script-bar-next = Nächster Titel
script-bar-back = 10 Sekunden zurück
script-bar-forward = 10 Sekunden vor
script-bar-position = Position
script-bar-time = { $position } von { $duration }
script-bar-mute = Ton aus
script-bar-unmute = Ton an
script-bar-volume = Lautstärke
script-bar-close = Player schließen
script-bar-skipped = Der nächste Titel wird abgespielt.
script-queue = Warteschlange
script-queue-clear = Warteschlange leeren
script-queue-remove = { $title } aus der Warteschlange entfernen
script-queue-next = { $title } wird als Nächstes abgespielt.
script-queue-added = { $title } wurde zur Warteschlange hinzugefügt.
script-queue-full = Die Warteschlange ist voll. Entfernen Sie zuerst Titel daraus.

# Keyboard shortcuts.

script-shortcuts = Tastenkürzel
script-shortcuts-use = Tastenkürzel verwenden
script-shortcuts-show = Tastenkürzel anzeigen
script-shortcuts-search = Suchen
script-shortcuts-toggle = Abspielen oder anhalten
script-space-key = Leertaste
