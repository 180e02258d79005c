# The audit log.

audit-export = Als NDJSON exportieren
audit-hint = Änderungen an dieser Organisation, die neuesten zuerst.
audit-action = Aktion
audit-all-actions = Alle Aktionen
audit-filter = Filtern
audit-none = Noch keine Einträge
audit-none-hint = Änderungen durch Personen, Schlüssel und die Befehlszeile erscheinen hier.
audit-actor = Von
audit-target = Ziel
audit-address = IP-Adresse
audit-former-member = Ehemaliges Mitglied
audit-key = API-Schlüssel
audit-uploader = Uploader
audit-command-line = Befehlszeile
audit-stranger = Nicht angemeldet
