# Pages for listeners: share links and framed players.

share-first-tracks = Premières pistes
share-next-tracks = Pistes suivantes
share-pages = Pages de pistes
share-nothing-yet = Pas encore de piste à écouter.
share-download-tracks = Télécharger les pistes
share-download = Télécharger
share-powered-by = Propulsé par Tonearm
share-all-tracks = Toutes les pistes de cette collection
share-transcript = Transcription
share-embed = Intégrer ce lecteur
share-frame = Iframe, pour toute page
share-element = Composant web, pour vos propres pages
share-copy = Copier
share-count =
    { $count ->
        [one] { $count } piste
       *[other] { $count } pistes
    }
share-count-more =
    { $count ->
        [one] { $count } autre piste
       *[other] { $count } autres pistes
    }
share-count-over =
    { $count ->
        [one] Plus de { $count } piste
       *[other] Plus de { $count } pistes
    }
share-dead = Lien indisponible
share-dead-text = Ce lien n’est pas valable, a expiré ou a été révoqué. Demandez-en un nouveau à l’expéditeur.
share-away = Temporairement indisponible
share-away-text = Le service est temporairement indisponible. Réessayez dans un instant.
