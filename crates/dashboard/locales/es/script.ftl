# Texts of scripts. Plural forms are attributes, named as by Intl.PluralRules; there are no selections.

# Questions, copying and forms.

script-cancel = Cancelar
script-close = Cerrar
script-yes = Sí
script-undo = Deshacer
script-try-again = Reintentar
script-copy-done = Copiado
script-copy-failed = No se pudo copiar
script-copy-keys = Pulse Ctrl+C
script-form-problems = No se ha guardado nada. Corrija el formulario y envíelo de nuevo:
script-form-unanswered = Corrija el formulario y envíelo de nuevo:
script-form-problem = { $field }: { $problem }
script-draft-signed-out = La sesión había caducado antes de que se guardara este formulario.
script-draft-refused = Este formulario no se ha guardado.
script-draft-back = Se ha recuperado lo que escribió. Revíselo y guárdelo de nuevo.
script-draft-file = Elija el archivo de nuevo.
script-draft-kept = Lo que escribió se conserva en esta pestaña.
script-draft-after-sign-in = Lo recuperará después de iniciar sesión.
script-draft-go-back = Volver al formulario.

# Signing in again.

script-signed-out = La sesión ha caducado. Inicie sesión de nuevo para continuar: esta página se queda como está.
script-signed-out-link = Iniciar sesión en una pestaña nueva
script-signed-out-other = Ahora hay otra persona con la sesión iniciada en este navegador. Para continuar aquí, cierre esa sesión e inicie la suya de nuevo.

# Covers.

script-crop-preview = Vista previa de la carátula recortada
script-crop-across = Posición horizontal
script-crop-down = Posición vertical
script-crop-zoom = Zoom

# Uploads, and how far tracks are.

script-upload-left-out =
    .one = «{ $names }» no es un archivo de audio y se ha omitido.
    .other = { $count } archivos no son de audio y se han omitido: { $names }.
script-upload-interrupted =
    .one = La subida de «{ $name }» se interrumpió. Añada el mismo archivo de nuevo para continuarla.
    .other = La subida de { $count } archivos se interrumpió. Añada los mismos archivos de nuevo para continuarla.
script-upload-of = Subida de { $name }
script-upload-pause = Pausar
script-upload-pause-name = Pausar { $name }
script-upload-resume = Reanudar
script-upload-resume-name = Reanudar { $name }
script-upload-try-again-name = Reintentar { $name }
script-upload-cancel-name = Cancelar { $name }
script-upload-waiting = En espera
script-uploading = Subiendo
script-uploading-percent = Subiendo: { $percent } %
script-upload-paused = En pausa
script-upload-cancelled = Cancelada
script-processing = Procesando
script-upload-empty = Este archivo está vacío. Elija otro.
script-upload-not-started = No se pudo iniciar la subida. Inténtelo de nuevo.
script-upload-disconnected = Se perdió la conexión. Reintentando…
script-upload-unavailable = El servicio no está disponible. Reintentando…
script-upload-file-gone = No se puede leer el archivo. Es posible que se haya modificado, movido o eliminado, o que sea una carpeta. Elimínelo aquí y añádalo de nuevo.
script-upload-expired = Esta subida ha caducado. Elimínela y añada el archivo de nuevo.
script-upload-rejected = El servidor ha rechazado la subida.
script-upload-rejected-again = El servidor ha rechazado la subida. Elimínela y añada el archivo de nuevo.
script-upload-unreadable = El archivo no ha llegado intacto: está vacío o se dañó por el camino. Compruébelo y súbalo de nuevo.
script-upload-quota = La cuota de la organización está agotada. Elimine pistas o pida al operador que aumente la cuota.
script-upload-too-large = El archivo es más grande de lo que permite este servicio.
script-upload-used = Esta subida ya ha terminado. Añada el archivo de nuevo para subirlo otra vez.
script-upload-speed = { $speed } MB/s · { $left }
script-left-moment = casi listo
script-left-seconds = quedan { $seconds } s
script-left-minutes = quedan { $minutes } min
script-left-hours = quedan { $hours } h { $minutes } min
script-progress = { $status }: { $percent } %
script-file-waiting = { $file } en espera
script-file-running = { $file } { $percent } %
script-file-made = { $file } listo
script-file-failed = { $file } con error

# Lists of tracks.

script-selected =
    .one = { $count } seleccionada
    .other = { $count } seleccionadas
script-selected-elsewhere =
    .one = { $count } seleccionada, fuera de esta página
    .other = { $count } seleccionadas, { $elsewhere } fuera de esta página
script-selected-too-many = { $count } seleccionadas. Se pueden cambiar como máximo { $most } pistas a la vez.
script-order-saved = Orden guardado.
script-order-not-saved = No se pudo guardar el orden. Compruebe la conexión e inténtelo de nuevo.
script-row = La fila
script-row-taken = { $name }: tomado en la posición { $at } de { $count }. Mueva con las flechas, suelte con Espacio, cancele con Escape.
script-row-moved = { $name }, posición { $at } de { $count }.
script-row-dropped = { $name }: colocado en la posición { $at } de { $count }.
script-row-back = Cancelado. { $name } vuelve a la posición { $at } de { $count }.
script-play-track = Reproducir { $title }
script-pause-track = Pausar { $title }
script-more-for-track = Más acciones para { $title }
script-reorder-track = Mover { $title }
script-play-next = Reproducir a continuación
script-add-to-queue = Añadir a la cola
script-share-track = Compartir

# The player bar and its queue.

script-bar = Reproductor
script-bar-page = Página
script-bar-play = Reproducir
script-bar-pause = Pausar
script-bar-previous = Pista anterior
script-bar-next = Pista siguiente
script-bar-back = Retroceder 10 segundos
script-bar-forward = Avanzar 10 segundos
script-bar-position = Posición
script-bar-time = { $position } de { $duration }
script-bar-mute = Silenciar
script-bar-unmute = Activar el sonido
script-bar-volume = Volumen
script-bar-close = Cerrar el reproductor
script-bar-skipped = Se reproduce la pista siguiente.
script-queue = Cola
script-queue-clear = Vaciar la cola
script-queue-remove = Quitar { $title } de la cola
script-queue-next = { $title } se reproducirá a continuación.
script-queue-added = { $title } se ha añadido a la cola.
script-queue-full = La cola está llena. Quite antes alguna pista.

# Keyboard shortcuts.

script-shortcuts = Atajos de teclado
script-shortcuts-use = Usar los atajos de teclado
script-shortcuts-show = Mostrar los atajos de teclado
script-shortcuts-search = Buscar
script-shortcuts-toggle = Reproducir o pausar
script-space-key = Espacio
