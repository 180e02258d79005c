# The page of a track: its player, its files, its tags, its transcript and how it is listened to.

## Status

track-status-importing = Wird importiert
track-status-waiting = Wartet auf Upload
track-status-queued = In der Warteschlange
track-status-processing = Wird verarbeitet
track-status-processing-again = Wird erneut verarbeitet
track-status-ready = Bereit
track-status-incomplete = Unvollständig
track-status-failed = Fehlgeschlagen
track-truncated = Abgeschnitten
track-truncated-hint = Die Datei enthält weniger Audio, als sie angibt. Das vorhandene Audio wurde verarbeitet.
track-retry = Verarbeitung wiederholen
track-retry-hint = Erstellt die fehlenden Dateien und behält die vorhandenen.
track-processed = Die Verarbeitung ist abgeschlossen. Speichern Sie Ihre Änderungen oder laden Sie diese Seite neu.
track-reload-for-status = Laden Sie diese Seite neu, um den aktuellen Status zu sehen.

## Files

track-variants = Varianten
track-variant-type = Typ
track-variant-download = Download
track-try-again = Erneut versuchen
track-try-again-one = Erneut versuchen: { $variant }
track-source = Quelldatei
track-download-original = Original herunterladen
track-replacement-processing = Eine neue Datei wird verarbeitet. Bis dahin behält der Titel seine bisherige Datei.
track-replacement-completed = Die Datei wurde ersetzt. Die bisherige bleibt einen Tag lang erhalten.
track-replacement-completed-from = Die Datei wurde ersetzt. Die bisherige, „{ $name }“, bleibt einen Tag lang erhalten.
track-replacement-failed = Die Datei wurde nicht ersetzt.
track-replacement-failed-because = Die Datei wurde nicht ersetzt: { $reason }
track-undo-failed-because = Die bisherige Datei konnte nicht zurückgeholt werden: { $reason }
track-replacement-waiting = Eine neue Datei wird erwartet: Ihr Upload wurde begonnen, aber nicht abgeschlossen.
track-cancel-replacement = Ersetzen abbrechen
track-undo-replacement = Bisherige Datei zurückholen
track-if-empty = Wenn leer: { $text }
track-replace = Datei ersetzen
track-replace-hint = Der Titel, seine Links und seine Einstellungen bleiben. Zu hören ist die bisherige Datei, bis die neue bereit ist.
track-upload-progress = Fortschritt des Uploads

## Details

track-details = Angaben zum Titel
track-subtitle = Untertitel
track-own-id = Eigene ID
track-reset-cover = Cover zurücksetzen
track-reset-cover-hint = Verwendet das Bild aus der Datei oder ein erzeugtes Cover.
track-deletes = Löscht den Titel und seine Dateien. Die Links dazu funktionieren dann nicht mehr. Eine Wiederherstellung ist für begrenzte Zeit möglich.
track-confirm-delete = Diesen Titel löschen?
track-delete = Titel löschen

## What is known of the sound

track-duration = Dauer
track-container = Container
track-codec = Codec
track-sample-rate = Abtastrate
track-channels = Kanäle
track-channels-mono = 1 (Mono)
track-channels-stereo = 2 (Stereo)
track-bit-depth = Bittiefe
track-bit-rate = Bitrate
track-size = Größe
track-loudness = Lautheit
track-true-peak = True Peak

## Tags of the file

track-file-tags = Tags der Datei
track-tag-title = Titel
track-tag-artist = Interpret
track-tag-album = Album
track-tag-album-artist = Albuminterpret
track-tag-track = Titelnummer
track-tag-disc = Disc
track-tag-place = { $number } von { $total }
track-tag-composer = Komponist
track-tag-genre = Genre
track-tag-year = Jahr
track-tag-publisher = Verlag
track-tag-language = Sprache
track-tag-comment = Kommentar
track-chapters = Kapitel ({ $count })
track-chapter = Kapitel { $number }
track-lyrics = Liedtext

## Transcript

track-transcript = Transkript
track-transcript-edit = Bearbeiten
track-transcript-add = Transkript hinzufügen
track-no-transcript = Noch kein Transkript.
track-transcribing = Das Audio wird transkribiert. Das Transkript erscheint, sobald es fertig ist.
track-transcription-retried = Der letzte Versuch, diesen Titel zu transkribieren, ist fehlgeschlagen. Er wird automatisch wiederholt.
track-transcription-retried-because = Der letzte Versuch, diesen Titel zu transkribieren, ist fehlgeschlagen: { $reason } Er wird automatisch wiederholt.
track-transcription-failed = Die Transkription ist fehlgeschlagen.
track-transcription-failed-because = Transkription fehlgeschlagen: { $reason }
track-transcript-download = Als WebVTT herunterladen
track-transcript-edited = Bearbeitet: <time datetime="{ $at }">{ $at }</time>. Die automatische Transkription ersetzt es nicht.
track-captions = Transkript (WebVTT)
track-captions-hint = WebVTT: Jeder Abschnitt (Cue) beginnt mit seinen Zeiten, etwa <code>00:00:01.000 --&gt; 00:00:04.000</code>, gefolgt von seinen Worten und einer Leerzeile. Kommentare, Stile und Auszeichnungen bleiben nicht erhalten. Ohne Abschnitte hat der Titel kein Transkript.
track-captions-left-out = Gespeichert. Diese Teile des Textes bleiben nicht erhalten, denn ein Transkript hat nur Wörter und Zeiten:
track-captions-line = Zeile { $line }:
track-captions-more =
    { $count ->
    [one] und { $count } weitere Zeile
   *[other] und { $count } weitere Zeilen
}
track-captions-language = Sprache <span class="hint">(etwa en oder pt-BR, optional)</span>
track-captions-file = WebVTT-Datei <span class="hint">(ersetzt den Text oben, optional)</span>
track-save-transcript = Transkript speichern
track-transcribe = Erneut transkribieren
track-transcribe-hint = Sendet das Audio an den Transkriptionsdienst. Das Ergebnis ersetzt dieses Transkript.
track-transcribe-hint-edited = Sendet das Audio an den Transkriptionsdienst. Das Ergebnis ersetzt dieses Transkript und seine Bearbeitungen.
track-confirm-transcribe = Dieses Transkript ersetzen?
track-confirm-transcribe-edited = Dieses Transkript und seine Bearbeitungen ersetzen?

## Usage

track-usage = Nutzung in den letzten 30 Tagen
track-listens = Wiedergaben
track-heard = Hördauer
track-delivered = Ausgeliefert
track-by-day = Nach Tagen
track-usage-by-day = Nutzung nach Tagen
track-day = Tag
track-drop-off = Absprünge
