# The page of a track: its player, its files, its tags, its transcript and how it is listened to.

## Status

track-status-importing = Importando
track-status-waiting = Esperando la subida
track-status-queued = En cola
track-status-processing = Procesando
track-status-processing-again = Procesando de nuevo
track-status-ready = Lista
track-status-incomplete = Incompleta
track-status-failed = Con errores
track-truncated = Truncada
track-truncated-hint = El archivo contiene menos audio del que indica. Se procesó el audio disponible.
track-retry = Reintentar el procesamiento
track-retry-hint = Crea los archivos que faltan y conserva los existentes.
track-processed = El procesamiento ha terminado. Guarde los cambios o vuelva a cargar esta página.
track-reload-for-status = Vuelva a cargar esta página para ver el estado actual.

## Files

track-variants = Variantes
track-variant-type = Tipo
track-variant-download = Descarga
track-try-again = Reintentar
track-try-again-one = Reintentar: { $variant }
track-source = Archivo de origen
track-download-original = Descargar original
track-replacement-processing = Se está procesando un archivo nuevo. Hasta entonces, la pista conserva su archivo actual.
track-replacement-completed = El archivo se ha reemplazado. El anterior se conserva durante un día.
track-replacement-completed-from = El archivo se ha reemplazado. El anterior, «{ $name }», se conserva durante un día.
track-replacement-failed = El archivo no se reemplazó.
track-replacement-failed-because = El archivo no se reemplazó: { $reason }
track-undo-failed-because = No se pudo recuperar el archivo anterior: { $reason }
track-replacement-waiting = Se espera un archivo nuevo: su subida empezó y no ha terminado.
track-cancel-replacement = Cancelar el reemplazo
track-undo-replacement = Recuperar el archivo anterior
track-if-empty = Si está vacío: { $text }
track-replace = Reemplazar archivo
track-replace-hint = La pista, sus enlaces y sus ajustes se conservan. Los oyentes escuchan el archivo actual hasta que el nuevo esté listo.
track-upload-progress = Progreso de la subida

## Details

track-details = Detalles de la pista
track-subtitle = Subtítulo
track-own-id = ID propio
track-reset-cover = Restablecer carátula
track-reset-cover-hint = Usa la imagen del archivo o una carátula generada.
track-deletes = Elimina la pista y sus archivos. Sus enlaces dejan de funcionar. Se puede restaurar durante un tiempo limitado.
track-confirm-delete = ¿Eliminar esta pista?
track-delete = Eliminar pista

## What is known of the sound

track-duration = Duración
track-container = Contenedor
track-codec = Códec
track-sample-rate = Frecuencia de muestreo
track-channels = Canales
track-channels-mono = 1 (mono)
track-channels-stereo = 2 (estéreo)
track-bit-depth = Profundidad de bits
track-bit-rate = Tasa de bits
track-size = Tamaño
track-loudness = Sonoridad
track-true-peak = Pico real

## Tags of the file

track-file-tags = Etiquetas del archivo
track-tag-title = Título
track-tag-artist = Artista
track-tag-album = Álbum
track-tag-album-artist = Artista del álbum
track-tag-track = Número de pista
track-tag-disc = Disco
track-tag-place = { $number } de { $total }
track-tag-composer = Compositor
track-tag-genre = Género
track-tag-year = Año
track-tag-publisher = Editor
track-tag-language = Idioma
track-tag-comment = Comentario
track-chapters = Capítulos ({ $count })
track-chapter = Capítulo { $number }
track-lyrics = Letra

## Transcript

track-transcript = Transcripción
track-transcript-edit = Editar
track-transcript-add = Añadir transcripción
track-no-transcript = Aún no hay transcripción.
track-transcribing = El audio se está transcribiendo. La transcripción aparecerá cuando esté lista.
track-transcription-retried = El último intento de transcribir esta pista falló. Se reintentará automáticamente.
track-transcription-retried-because = El último intento de transcribir esta pista falló: { $reason } Se reintentará automáticamente.
track-transcription-failed = La transcripción falló.
track-transcription-failed-because = La transcripción falló: { $reason }
track-transcript-download = Descargar como WebVTT
track-transcript-edited = Editada: <time datetime="{ $at }">{ $at }</time>. La transcripción automática no la reemplaza.
track-captions = Palabras y tiempos
track-captions-hint = WebVTT: cada bloque (cue) empieza con sus tiempos, como <code>00:00:01.000 --&gt; 00:00:04.000</code>, seguidos de sus palabras y de una línea vacía. No se conservan comentarios, estilos ni marcas. Sin bloques, la pista no tiene transcripción.
track-captions-left-out = Guardado. Estas partes del texto no se conservan, porque una transcripción solo tiene palabras y tiempos:
track-captions-line = Línea { $line }:
track-captions-more =
    { $count ->
    [one] y { $count } línea más
   *[other] y { $count } líneas más
}
track-captions-language = Idioma <span class="hint">(como en o pt-BR, opcional)</span>
track-captions-file = Archivo WebVTT <span class="hint">(reemplaza el texto anterior, opcional)</span>
track-save-transcript = Guardar transcripción
track-transcribe = Transcribir de nuevo
track-transcribe-hint = Envía el audio a su proveedor de transcripción. El resultado reemplaza esta transcripción.
track-transcribe-hint-edited = Envía el audio a su proveedor de transcripción. El resultado reemplaza esta transcripción y sus cambios.
track-confirm-transcribe = ¿Reemplazar esta transcripción?
track-confirm-transcribe-edited = ¿Reemplazar esta transcripción y sus cambios?

## Usage

track-usage = Uso en los últimos 30 días
track-listens = Escuchas
track-heard = Tiempo escuchado
track-delivered = Datos entregados
track-by-day = Por día
track-usage-by-day = Uso por día
track-day = Día
track-drop-off = Abandonos
