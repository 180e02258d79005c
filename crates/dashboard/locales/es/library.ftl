# The library: collections, lists of tracks, selections, sharing, first steps, deleted items.

## Words of several pages

library-heading = Biblioteca
library-all-tracks = Todas las pistas
library-deleted-items = Elementos eliminados
library-collection = Colección
library-variant = Variante
library-title = Título
library-name = Nombre
library-cover = Carátula
library-cover-remove = Quitar carátula
library-share = Compartir
library-open = Abrir
library-copy = Copiar
library-download = Descargar
library-save = Guardar cambios
library-cancel = Cancelar
library-delete = Eliminar
library-previous = Anterior
library-next = Siguiente
library-pages = Paginación

## Numbers

library-collections = { $count ->
    [one] 1 colección
   *[other] { $count } colecciones
}
library-more-tracks = más de { $count } pistas
library-more-collections = más de { $count } colecciones
library-found-tracks = { $count ->
    [one] 1 pista encontrada
   *[other] { $count } pistas encontradas
}
library-found-collections = { $count ->
    [one] 1 colección encontrada
   *[other] { $count } colecciones encontradas
}
library-found-more-tracks = más de { $count } pistas encontradas
library-found-more-collections = más de { $count } colecciones encontradas

## Search and order

library-search-collections = Buscar colecciones
library-search-tracks = Buscar pistas
library-search = Buscar
library-apply = Aplicar
library-sort = Ordenar por
library-sort-order = Orden manual
library-sort-newest = Más recientes primero
library-sort-oldest = Más antiguas primero
library-sort-longest = Más largas primero
library-sort-status = Estado
library-no-matching-collections = No hay colecciones que coincidan
library-no-such-collection = Ningún título de colección contiene todas las palabras buscadas.
library-search-tracks-instead = Ningún título de colección contiene todas las palabras buscadas. <a href="{ $base }/tracks?{ $query }">Buscar pistas en su lugar</a>.
library-no-matching-tracks = No hay pistas que coincidan
library-search-all-collections = Ninguna pista de esta colección coincide con todas las palabras buscadas. <a href="{ $base }/tracks?{ $query }">Buscar en todas las colecciones</a>.
library-no-such-track = Ninguna pista contiene todas las palabras buscadas en el título, el subtítulo, el nombre de archivo, el ID propio o las etiquetas.

## Collections

library-no-collections = Aún no hay colecciones
library-what-is-a-collection = Una colección agrupa pistas, como las de un álbum, un programa o un curso.
library-ask-editor = Pida a un editor que añada una.
library-new-collection = Nueva colección
library-create-collection = Crear colección
library-add-tracks = Añadir pistas
library-drop-files = Arrastre archivos de audio o carpetas aquí, o elija archivos.
library-choose-folder = Elegir una carpeta
library-upload-files = Subir archivos
library-import-from = Importar desde una URL
library-import-example = https://example.com/song.mp3 o s3://bucket/song.mp3
library-import = Importar
library-no-tracks = Aún no hay pistas
library-tracks-appear = Las pistas subidas aparecen aquí.
library-open-to-upload = Abra una colección para subir pistas.
library-collection-details = Detalles de la colección
library-player-subtitle = Subtítulo en el reproductor
library-cover-of = Carátula de { $title }
library-deletes-collection = Elimina la colección y sus pistas. Sus enlaces dejan de funcionar. Se pueden restaurar durante un tiempo limitado.
library-confirm-delete-collection = { $count ->
    [0] ¿Eliminar esta colección vacía?
    [one] ¿Eliminar esta colección y su pista?
   *[other] ¿Eliminar esta colección y sus { $count } pistas?
}
library-delete-collection = Eliminar colección

## Selected tracks

library-select = Seleccionar
library-select-track = Seleccionar { $title }
library-select-all = Seleccionar todo en esta página
library-move = Mover…
library-retitle = Cambiar título…
library-move-count = { $count ->
    [one] Mover 1 pista
   *[other] Mover { $count } pistas
}
library-move-hint = Las pistas se añaden al final de la colección. Una pista solo está en una colección a la vez.
library-more-to-find = Hay más colecciones. Use la búsqueda para encontrarlas.
library-move-tracks = Mover pistas
library-create-and-move = Crear la colección y mover las pistas
library-choose-collection = Elija una colección.
library-unselect = Anular la selección
library-move-to-position = Mover a la posición…
library-position = Posición
library-position-hint = { $count ->
    [one] La colección tiene 1 pista.
   *[other] La colección tiene { $count } pistas. La primera pista seleccionada ocupa esta posición y las demás la siguen.
}
library-position-number = Introduzca un número entero a partir de 1.
library-move-to-start = Mover al principio
library-move-to-end = Mover al final
library-retitle-count = { $count ->
    [one] Cambiar el título de 1 pista
   *[other] Cambiar el título de { $count } pistas
}
library-retitle-hint = Una pista sin título muestra el título de su archivo.
library-tracks-left-out = Algunas de las pistas seleccionadas se han eliminado o movido mientras tanto. No aparecen aquí.
library-save-titles = Guardar títulos

## Deleted items

library-trash-hint = Restaure pistas y colecciones antes de que se eliminen definitivamente.
library-no-deleted-items = No hay elementos eliminados
library-no-deleted-items-hint = Los elementos eliminados en el panel se pueden restaurar aquí durante un tiempo limitado.
library-trash-collections = { $count ->
    [one] 1 colección, incluidas sus pistas
   *[other] { $count } colecciones, incluidas sus pistas
}
library-trash-more-collections = más de { $count } colecciones, incluidas sus pistas
library-deleted-at = Eliminación
library-restorable-until = Restaurable hasta
library-actions = Acciones
library-restore = Restaurar
library-restore-one = Restaurar { $title }

## Sharing

library-share-title = Compartir { $title }
library-share-track = Compartir pista
library-share-collection = Compartir colección
library-share-not-playable = La pista aún no se puede reproducir. Sus enlaces funcionarán en cuanto se pueda.
library-share-link = Enlace compartido
library-share-url = Enlace
library-share-embed = Insertar
library-share-theme = Tema
library-theme-system = Según el sistema
library-theme-light = Claro
library-theme-dark = Oscuro
library-share-size = Tamaño
library-size-compact = Compacto ({ $pixels } px)
library-size-list = Con lista ({ $pixels } px)
library-size-tall = Con lista larga ({ $pixels } px)
library-share-update = Actualizar vista previa
library-share-preview = Vista previa del reproductor insertado
library-iframe = Iframe, para cualquier página
library-web-component = Componente web, para páginas propias
library-stream-url = URL del flujo de audio
library-new-link = Nuevo enlace
library-new-link-hint = Cualquiera que tenga el enlace puede escuchar, hasta que caduque o se revoque.
library-share-expires = Caduca
library-expires-never = Nunca
library-expires-day = En 1 día
library-expires-week = En 7 días
library-expires-month = En 30 días
library-expires-year = En 1 año
library-expires-date = En una fecha y hora
library-date-and-time = Fecha y hora <span class="hint">(UTC)</span>
library-optional-name = Nombre <span class="hint">(opcional)</span>
library-name-example = por ejemplo, Prensa
library-allow-downloads = Permitir descargas
library-create-link = Crear enlace
library-name-too-long = Escriba un nombre de 200 caracteres como máximo.
library-choose-variant = Elija una variante de la lista.
library-enter-date = Escriba una fecha y hora válidas.
library-enter-future = Escriba una fecha y hora futuras.
library-links-of-track = Enlaces de esta pista
library-links-of-collection = Enlaces de esta colección
library-link-downloads = Descargas
library-link-expired = Caducado
library-link-expired-at = Caducó: <time datetime="{ $at }">{ $at }</time>
library-link-expires-at = Caduca: <time datetime="{ $at }">{ $at }</time>
library-link-does-not-expire = No caduca
library-link-last-used = último uso: <time datetime="{ $at }">{ $at }</time>
library-link-never-used = nunca usado
library-link-shown-once = Este enlace se mostró una sola vez, al crearlo. Para volver a compartir, cree otro enlace.
library-link-copy = Copiar<span class="hidden"> el enlace de { $title }</span>
library-link-embed = Insertar<span class="hidden"> { $title }</span>
library-link-revoke-one = Revocar<span class="hidden"> { $title }</span>
library-link-confirm-revoke = ¿Revocar «{ $title }»? Los reproductores que lo usan dejarán de funcionar. Esta acción no se puede deshacer.
library-link-revoke = Revocar
library-older-links = Enlaces anteriores

## First steps

library-get-started = Primeros pasos
library-skip = Omitir
library-step-name = Poner nombre
library-step-add = Añadir una pista
library-step-embed = Insertar
library-start-question = ¿Qué desea publicar?
library-start-question-hint = Una colección agrupa pistas, como las de un álbum, un programa o un curso. Su nombre se puede cambiar más tarde.
library-organization = Organización
library-first-collection = Primera colección
library-first-collection-example = Mi pódcast
library-continue = Continuar
library-start-failed = { $file }: { $reason } Elija otro archivo.
library-progress = Progreso del procesamiento
library-processed = El procesamiento ha terminado. Vuelva a cargar esta página.
library-reload-for-progress = Vuelva a cargar esta página para ver el progreso.
library-add-to = Añadir una pista a { $title }
library-drop-file = Arrastre un archivo de audio aquí o elija uno.
library-start-import = ¿El audio ya está en la web? <a href="{ $base }/collections/{ $collection }">Importarlo desde una URL</a>.
library-online = La pista está en línea
library-share-page = Página para compartir
library-go-to-library = Ir a la biblioteca
library-track-is-ready = { $title }: la pista está lista
library-track-is-ready-hint = Pulse reproducir para escuchar. Después, cree el código que muestra este reproductor en su propia página.
library-create-code = Crear código para insertar
library-link-revocable = Cualquiera que tenga el enlace puede escuchar. Se puede revocar en «Claves y enlaces».
library-start-no-variant = Esta organización no tiene ninguna variante que los reproductores puedan reproducir.
library-set-cover = Poner carátula…
library-set-cover-count = { $count ->
    [one] Poner la carátula de 1 pista
   *[other] Poner la carátula de { $count } pistas
}
library-set-cover-hint = Cada una de las pistas recibe esta carátula en lugar de la suya. Puede deshacerlo durante una hora.
library-image = Imagen
library-image-hint = Se recorta en forma cuadrada.
library-set-cover-button = Poner carátula
