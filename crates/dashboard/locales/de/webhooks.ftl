# Webhooks: endpoints, and what was sent to them.

## Endpoints

webhooks-hint = Signierte JSON-Ereignisse, die wiederholt werden, bis Ihr Server sie annimmt.
webhooks-tracks = Titel
webhooks-files = Dateien
webhooks-collections = Sammlungen
webhooks-tracks-hint = Wird gesendet, wenn ein Titel bereit, unvollständig oder fehlgeschlagen ist.
webhooks-files-hint = Wird für jede Datei eines Titels gesendet, die erstellt wird oder fehlschlägt.
webhooks-collections-hint = Wird gesendet, wenn eine Sammlung erstellt, geändert oder gelöscht wird.
webhooks-secret-of-tracks = Geheimnis des Endpunkts für Titel
webhooks-secret-of-files = Geheimnis des Endpunkts für Dateien
webhooks-secret-of-collections = Geheimnis des Endpunkts für Sammlungen
webhooks-secret-hint = Damit prüfen Sie Signaturen. Bewahren Sie es wie ein Passwort auf.
webhooks-on = Ein
webhooks-paused = Pausiert
webhooks-failed-in-a-row = { $count } in Folge fehlgeschlagen
webhooks-paused-until = Pausiert bis <time data-exact datetime="{ $at }">{ $at }</time>, nach { $count } Fehlern in Folge.
webhooks-old-secret = Ereignisse werden bis <time data-exact datetime="{ $at }">{ $at }</time> auch mit dem alten Geheimnis signiert.
webhooks-save = Endpunkt speichern
webhooks-send-test = Testereignis senden
webhooks-show-secret = Geheimnis anzeigen
webhooks-confirm-rotate = Ein neues Geheimnis erstellen? Ereignisse werden einen Tag lang mit beiden Geheimnissen signiert, damit Sie Ihren Server aktualisieren können.
webhooks-rotate = Geheimnis erneuern
webhooks-redeliver-failed = Fehlgeschlagene Ereignisse erneut zustellen
webhooks-confirm-remove = Diesen Endpunkt entfernen? Ausstehende Zustellungen werden verworfen.
webhooks-remove = Endpunkt entfernen

## Deliveries

webhooks-recent = Letzte Zustellungen
webhooks-delivery-status = Status der Zustellung
webhooks-all = Alle
webhooks-pending = Ausstehend
webhooks-delivered = Zugestellt
webhooks-failed = Fehlgeschlagen
webhooks-retrying = Wird wiederholt
webhooks-none = Keine Zustellungen.
webhooks-event = Ereignis
webhooks-created = Erstellt
webhooks-attempts = Versuche
webhooks-next-attempt = Nächster Versuch
webhooks-newest = Neueste
webhooks-redeliver = Ereignis erneut zustellen
webhooks-queued-at = Eingereiht: <time datetime="{ $at }">{ $at }</time>.
webhooks-next-attempt-at = Nächster Versuch: <time datetime="{ $at }">{ $at }</time>.
webhooks-id = ID: <code>{ $id }</code>
webhooks-payload = Inhalt
webhooks-cut = … insgesamt { $count } Bytes
webhooks-no-attempts = Noch keine Versuche.
webhooks-hidden-attempts = Gezeigt werden die letzten 8 Versuche. Frühere, nicht gezeigte Versuche: { $count }.
webhooks-attempt = Versuch { $number }
webhooks-no-response = Keine Antwort
webhooks-response = Antwort
