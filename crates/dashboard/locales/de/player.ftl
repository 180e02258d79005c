# The player (`assets/player`). Its modules have the English sentences; those of the other languages are found by them.

player-play = Abspielen
player-pause = Anhalten
player-name = Audioplayer
player-name-title = Audioplayer: { $title }
player-position = Position
player-time = { $position } von { $duration }
player-previous = Vorheriger Titel
player-next = Nächster Titel
player-speed = Wiedergabegeschwindigkeit
player-quality = Qualität
player-mute = Ton aus
player-unmute = Ton an
player-volume = Lautstärke
player-tracks = Titel
player-not-available = Nicht verfügbar
player-chapters = Kapitel
player-transcript = Transkript

# Names of what has none.

player-chapter = Kapitel { $number }
player-track = Titel { $number }
player-untitled = Ohne Titel

# What went wrong.

player-link = Dieser Link ist nicht mehr gültig. Bitten Sie um einen neuen.
player-session = Die Sitzung ist abgelaufen. Laden Sie die Seite neu, um fortzufahren.
player-setup = Diese Seite nennt die Titel nicht, die gespielt werden sollen: Setzen Sie das Attribut „tracks“ oder api.public_play_sessions.
player-offline = Keine Verbindung zum Server.
player-unavailable = Das Audio ist nicht verfügbar.
player-missing = Dieser Titel ist nicht mehr verfügbar.
player-missing-title = „{ $title }“ ist nicht mehr verfügbar.
player-unsupported = Dieser Browser kann diesen Titel nicht abspielen.
player-unsupported-title = Dieser Browser kann „{ $title }“ nicht abspielen.
player-damaged = Die Audiodatei dieses Titels ist beschädigt.
player-damaged-title = Die Audiodatei von „{ $title }“ ist beschädigt.
player-device = Dieser Browser kann gerade keinen Ton abspielen.
player-continues = Die Wiedergabe wird fortgesetzt, sobald es geht.
player-empty = Noch keine Titel zum Abspielen.
player-empty-title = { $title } hat noch keine Titel zum Abspielen.
player-skipped = Der nächste Titel wird abgespielt.
player-try-again = Erneut versuchen
