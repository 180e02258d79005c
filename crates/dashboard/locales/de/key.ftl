# Einem Schlüssel ein neues Geheimnis geben.

key-rotate = Geheimnis erneuern
key-rotate-about = Der Schlüssel erhält ein neues Geheimnis, alles andere bleibt. Das alte Geheimnis gilt noch eine Weile, damit Sie es überall ersetzen können.
key-overlap = Das alte Geheimnis wird ungültig
key-overlap-none = Sofort
key-overlap-hours = { $count ->
    [one] In { $count } Stunde
   *[other] In { $count } Stunden
}
key-overlap-days = { $count ->
    [one] In { $count } Tag
   *[other] In { $count } Tagen
}
key-rotate-button = Geheimnis erneuern
key-rotated = Geheimnis erneuert
key-shown-once = Kopieren Sie es jetzt. Es wird nur einmal gezeigt, weil nur ein Hash gespeichert ist.
key-back = Schlüssel und Links
key-old-until = Das alte Geheimnis gilt bis
key-old-ended = Das alte Geheimnis gilt nicht mehr.
key-end-old = Altes Geheimnis jetzt beenden
key-end-old-confirm = Das alte Geheimnis beenden? Alles, was es noch verwendet, funktioniert dann nicht mehr, und alle Sitzungen und unvollständigen Uploads des Schlüssels enden. Das lässt sich nicht rückgängig machen.
