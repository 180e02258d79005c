# The player (`assets/player`). Its modules have the English sentences; those of the other languages are found by them.

player-play = Reproducir
player-pause = Pausar
player-name = Reproductor de audio
player-name-title = Reproductor de audio: { $title }
player-position = Posición
player-time = { $position } de { $duration }
player-previous = Pista anterior
player-next = Pista siguiente
player-speed = Velocidad de reproducción
player-quality = Calidad
player-mute = Silenciar
player-unmute = Activar el sonido
player-volume = Volumen
player-tracks = Pistas
player-not-available = No disponible
player-chapters = Capítulos
player-transcript = Transcripción

# Names of what has none.

player-chapter = Capítulo { $number }
player-track = Pista { $number }
player-untitled = Sin título

# What went wrong.

player-link = Este enlace ya no es válido. Pida uno nuevo.
player-session = La sesión ha caducado. Recargue la página para continuar.
player-setup = Esta página no indica las pistas que se deben reproducir: defina el atributo «tracks» o api.public_play_sessions.
player-offline = Sin conexión con el servidor.
player-unavailable = El audio no está disponible.
player-missing = Esta pista ya no está disponible.
player-missing-title = «{ $title }» ya no está disponible.
player-unsupported = Este navegador no puede reproducir esta pista.
player-unsupported-title = Este navegador no puede reproducir «{ $title }».
player-damaged = El archivo de audio de esta pista está dañado.
player-damaged-title = El archivo de audio de «{ $title }» está dañado.
player-device = Este navegador no puede reproducir sonido en este momento.
player-continues = La reproducción continuará en cuanto sea posible.
player-empty = Todavía no hay pistas que reproducir.
player-empty-title = { $title } todavía no tiene pistas que reproducir.
player-skipped = Se reproduce la pista siguiente.
player-try-again = Reintentar
