# What is decided about an organization: its appearance, members, variants and transcription.

## The organization

organization-hint = Was Player für { $name } zeigen, sofern eine Sammlung oder ein Titel nichts anderes festlegt.
organization-appearance = Aussehen
organization-subtitle-hint = Steht unter dem Namen von Titeln ohne eigenen Untertitel.
organization-colour-hint = Player verwenden einen Farbton, der auf ihrem Hintergrund lesbar ist.
organization-covers = Eigene Cover zulassen
organization-colours = Eigene Farben zulassen
organization-cover-hint = JPEG, PNG, WebP oder GIF, bis zu { $megabytes } MB. Wird quadratisch zugeschnitten.
organization-cover-colours = Farben des Covers
organization-id = ID der Organisation
organization-id-hint = Bezeichnet diese Organisation in der API und auf der Befehlszeile.

## Members

members-roles = Betrachter können ansehen und zuhören. Bearbeiter können außerdem die Bibliothek und Freigabelinks ändern. Inhaber können alles ändern.
members-invitation-created = Einladung erstellt
members-invitation-hint = Kopieren Sie diesen Link jetzt und senden Sie ihn an das neue Mitglied. Er wird nur einmal angezeigt, funktioniert einmal und gilt bis <time data-exact datetime="{ $at }">{ $at }</time>.
members-role = Rolle
members-joined = Beigetreten
members-role-of = Rolle von { $name }
members-change-role = Rolle ändern<span class="hidden">: { $name }</span>
members-confirm-leave = Diese Organisation verlassen?
members-confirm-remove = { $name } aus dieser Organisation entfernen?
members-leave = Verlassen
members-remove = Entfernen
members-remove-one = Entfernen<span class="hidden">: { $name }</span>
members-invite = Mitglied einladen
members-email = E-Mail-Adresse
members-email-hint = Es wird keine E-Mail gesendet: Sie geben den Link selbst weiter. Mit Single Sign-on tritt auch ohne den Link bei, wer sich mit dieser Adresse anmeldet.
members-create-invitation = Einladung erstellen
members-pending = Offene Einladungen
members-none-pending = Keine offenen Einladungen.
members-pending-hint = Einladungen enden, wenn die Person, die sie erstellt hat, nicht mehr Inhaber ist. Wenn ein Mitglied geht, ziehen Sie solche ohne Adresse zurück, die es haben kann.
members-valid-until = Gültig bis <time data-exact datetime="{ $at }">{ $at }</time>
members-withdraw-one = Zurückziehen<span class="hidden">: Einladung für { $person }</span>
members-anyone = Alle mit dem Link

## Variants

variants-hint = Dateien, die aus jedem hochgeladenen Titel erstellt werden. Player und Schlüssel nennen eine Variante bei ihrem Namen.
variants-existing = Vorhandene Titel
variants-done = Fertig
variants-rendering = { $variant } wird erstellt
variants-tracks-done = { $done } von { $total } Titeln fertig
variants-making = { $count ->
    [one] 1 Titel bei { $percent } %
   *[other] { $count } Titel im Mittel bei { $percent } %
}
variants-failed = { $count } fehlgeschlagen
variants-confirm-render = „{ $variant }“ für alle Titel erstellen, die sie nicht haben? Bei großen Bibliotheken dauert das eine Weile. Die Titel bleiben abspielbar.
variants-render-one = Für vorhandene Titel erstellen<span class="hidden">: { $variant }</span>
variants-confirm-remove = „{ $variant }“ und alle ihre Dateien entfernen? Links und Player, die sie verwenden, funktionieren sofort nicht mehr. Die Dateien werden im Hintergrund gelöscht.
variants-being-removed = Wird entfernt
variants-left = { $count ->
    [one] Noch 1 Datei
   *[other] Noch { $count } Dateien
}
variants-more-left = Noch mehr als { $count } Dateien
variants-new = Neue Variante
variants-name-example = etwa mobile
variants-audio = Audio
variants-bitrate = Bitrate <span class="hint">(kbit/s)</span>
variants-loudness = Lautheit <span class="hint">(LUFS, optional)</span>
variants-loudness-example = etwa -16
variants-mono = Zu Mono mischen
variants-length = Länge <span class="hint">(Sekunden)</span>
variants-start = Beginn <span class="hint">(% des Titels)</span>
variants-samples = Anzahl der Pegel
variants-metric = Messgröße
variants-peak = Spitzenwert
variants-rms = RMS
variants-public = CDNs dürfen ihre Dateien zwischenspeichern
variants-add = Variante hinzufügen
variants-transcode = Transkodierung
variants-preview = Hörprobe
variants-levels = Wellenformdaten
variants-waveform-image = Wellenform als Bild
variants-waveform-video = Wellenform als Video
variants-original = Original
variants-whole-track = Transkodierung (ganzer Titel)
variants-part-of-track = Hörprobe (Teil des Titels)
variants-waveform-data = Wellenformdaten (Pegel)
variants-uploaded-file = Original (hochgeladene Datei)
variants-lossless = { $codec } (verlustfrei)
variants-part = { $sound }, Teil des Titels
variants-peak-levels = { $count } Spitzenpegel
variants-rms-levels = { $count } RMS-Pegel
variants-cached = von CDNs zwischengespeichert
variants-bad-name = Verwenden Sie 2 bis 64 Zeichen: a-z, 0-9, _ oder -
variants-no-number = Geben Sie eine Zahl ein.
variants-choose-type = Wählen Sie einen Typ aus der Liste.

## Transcription

transcription-on = Ein
transcription-off = Aus
transcription-turn-on = Transkription einschalten
transcription-turn-off = Transkription ausschalten
transcription-hint = Sobald ein neuer Titel bereit ist, wird sein Audio an einen Anbieter Ihrer Wahl gesendet und transkribiert.
transcription-provider = Anbieter
transcription-url-hint = Jeder Dienst mit einem OpenAI-kompatiblen Endpunkt <code>/audio/transcriptions</code>.
transcription-model = Modell
transcription-model-example = etwa whisper-1
transcription-language = Sprache <span class="hint">(optional)</span>
transcription-detected = Wird automatisch erkannt
transcription-language-hint = Ein Sprachcode wie de oder pt-BR.
transcription-key = API-Schlüssel
transcription-keep-key = Leer lassen, um den aktuellen Schlüssel zu behalten
transcription-no-key = Keiner
transcription-key-hint = Wird verschlüsselt gespeichert und nie wieder angezeigt. Wenn Sie die URL ändern, geben Sie den Schlüssel noch einmal ein.
transcription-remove-key = API-Schlüssel entfernen
transcription-save-on = Speichern und einschalten
transcription-test = Test
transcription-test-hint = Sendet mit den gespeicherten Einstellungen einen Ton von einer Sekunde an den Anbieter. Das kann bis zu 30 Sekunden dauern.
transcription-test-button = Anbieter testen
transcription-silent = Der Anbieter funktioniert: Er hat nach { $seconds } s geantwortet und im Testton wie erwartet keine Sprache erkannt.
transcription-heard = Der Anbieter funktioniert: Er hat nach { $seconds } s geantwortet und den Testton als „{ $words }“ transkribiert.
transcription-test-failed = Der Test ist fehlgeschlagen: { $reason }
transcription-failures = Letzte Fehler
transcription-reason = Grund
transcription-retried = Wird wiederholt
transcription-failed = Fehlgeschlagen
