# Pages for listeners: share links and framed players.

share-first-tracks = Primeras pistas
share-next-tracks = Pistas siguientes
share-pages = Páginas de pistas
share-nothing-yet = Todavía no hay pistas que reproducir.
share-download-tracks = Descargar pistas
share-download = Descargar
share-powered-by = Con la tecnología de Tonearm
share-all-tracks = Todas las pistas de esta colección
share-transcript = Transcripción
share-embed = Insertar este reproductor
share-frame = Iframe, para cualquier página
share-element = Componente web, para sus propias páginas
share-copy = Copiar
share-count =
    { $count ->
        [one] { $count } pista
       *[other] { $count } pistas
    }
share-count-more =
    { $count ->
        [one] { $count } pista más
       *[other] { $count } pistas más
    }
share-count-over =
    { $count ->
        [one] Más de { $count } pista
       *[other] Más de { $count } pistas
    }
share-dead = Enlace no disponible
share-dead-text = Este enlace no es válido, ha caducado o ha sido revocado. Pida uno nuevo a quien se lo envió.
share-away = No disponible temporalmente
share-away-text = El servicio no está disponible temporalmente. Inténtelo de nuevo en unos instantes.
