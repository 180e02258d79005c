# The player (`assets/player`). Its modules have the English sentences; those of the other languages are found by them.

player-play = Lire
player-pause = Mettre en pause
player-name = Lecteur audio
player-name-title = Lecteur audio : { $title }
player-position = Position
player-time = { $position } sur { $duration }
player-previous = Piste précédente
player-next = Piste suivante
player-speed = Vitesse de lecture
player-quality = Qualité
player-mute = Couper le son
player-unmute = Rétablir le son
player-volume = Volume
player-tracks = Pistes
player-not-available = Non disponible
player-chapters = Chapitres
player-transcript = Transcription

# Names of what has none.

player-chapter = Chapitre { $number }
player-track = Piste { $number }
player-untitled = Sans titre

# What went wrong.

player-link = Ce lien n’est plus valable. Demandez-en un nouveau.
player-session = La session a expiré. Rechargez la page pour continuer.
player-setup = Cette page ne nomme pas les pistes à lire : définissez l’attribut « tracks » ou api.public_play_sessions.
player-offline = Aucune connexion au serveur.
player-unavailable = L’audio est indisponible.
player-missing = Cette piste n’est plus disponible.
player-missing-title = « { $title } » n’est plus disponible.
player-unsupported = Ce navigateur ne peut pas lire cette piste.
player-unsupported-title = Ce navigateur ne peut pas lire « { $title } ».
player-damaged = Le fichier audio de cette piste est endommagé.
player-damaged-title = Le fichier audio de « { $title } » est endommagé.
player-device = Ce navigateur ne peut pas lire de son pour le moment.
player-continues = La lecture reprendra dès que possible.
player-empty = Pas encore de piste à écouter.
player-empty-title = { $title } n’a pas encore de piste à écouter.
player-skipped = Lecture de la piste suivante.
player-try-again = Réessayer
