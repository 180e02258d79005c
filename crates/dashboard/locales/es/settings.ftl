# What is decided about an organization: its appearance, members, variants and transcription.

## The organization

organization-hint = Lo que muestran los reproductores para { $name }, salvo que una colección o pista indique otra cosa.
organization-appearance = Aspecto
organization-subtitle-hint = Se muestra bajo el título de las pistas sin subtítulo propio.
organization-colour-hint = Los reproductores usan un tono legible sobre su fondo.
organization-covers = Permitir carátulas propias
organization-colours = Permitir colores propios
organization-cover-hint = JPEG, PNG, WebP o GIF, hasta { $megabytes } MB. Se recorta en forma de cuadrado.
organization-cover-colours = Colores de la carátula
organization-id = ID de la organización
organization-id-hint = Identifica esta organización en la API y en la línea de comandos.

## Members

members-roles = Los lectores pueden ver y escuchar. Los editores también pueden cambiar la biblioteca y los enlaces compartidos. Los propietarios pueden cambiarlo todo.
members-invitation-created = Invitación creada
members-invitation-hint = Copie este enlace ahora y envíelo al nuevo miembro. Se muestra una sola vez, funciona una vez y es válido hasta el <time data-exact datetime="{ $at }">{ $at }</time>.
members-role = Rol
members-joined = Incorporación
members-role-of = Rol de { $name }
members-change-role = Cambiar rol<span class="hidden"> de { $name }</span>
members-confirm-leave = ¿Abandonar esta organización?
members-confirm-remove = ¿Eliminar a { $name } de esta organización?
members-leave = Abandonar
members-remove = Eliminar
members-remove-one = Eliminar<span class="hidden"> a { $name }</span>
members-invite = Invitar a un miembro
members-email = Dirección de correo
members-email-hint = No se envía ningún correo: usted mismo comparte el enlace. Con el inicio de sesión único (SSO), quien inicie sesión con esta dirección se une también sin el enlace.
members-create-invitation = Crear invitación
members-pending = Invitaciones pendientes
members-none-pending = No hay invitaciones pendientes.
members-pending-hint = Las invitaciones terminan cuando quien las creó deja de ser propietario. Si un miembro se va, retire las que no tienen dirección y que el miembro pueda tener.
members-valid-until = Válida hasta el <time data-exact datetime="{ $at }">{ $at }</time>
members-withdraw-one = Retirar<span class="hidden"> la invitación para { $person }</span>
members-anyone = Cualquiera que tenga el enlace

## Variants

variants-hint = Archivos que se crean de cada pista subida. Los reproductores y las claves se refieren a una variante por su nombre.
variants-existing = Pistas existentes
variants-done = Listo
variants-rendering = Generación de { $variant }
variants-tracks-done = { $done } de { $total } pistas listas
variants-making = { $count ->
    [one] 1 pista al { $percent } %
   *[other] { $count } pistas al { $percent } % de media
}
variants-failed = { $count } con errores
variants-confirm-render = ¿Generar «{ $variant }» para todas las pistas que no la tienen? Las bibliotecas grandes tardan un rato. Las pistas se pueden seguir reproduciendo.
variants-render-one = Generar para las pistas existentes<span class="hidden">: { $variant }</span>
variants-confirm-remove = ¿Eliminar «{ $variant }» y todos sus archivos? Los enlaces y reproductores que la usan dejan de funcionar de inmediato. Los archivos se borran en segundo plano.
variants-being-removed = Se está eliminando
variants-left = { $count ->
    [one] Queda 1 archivo
   *[other] Quedan { $count } archivos
}
variants-more-left = Quedan más de { $count } archivos
variants-new = Nueva variante
variants-name-example = por ejemplo, mobile
variants-audio = Audio
variants-bitrate = Tasa de bits <span class="hint">(kbit/s)</span>
variants-loudness = Sonoridad <span class="hint">(LUFS, opcional)</span>
variants-loudness-example = por ejemplo, -16
variants-mono = Mezclar a mono
variants-length = Duración <span class="hint">(segundos)</span>
variants-start = Inicio <span class="hint">(% de la pista)</span>
variants-samples = Número de niveles
variants-metric = Medida
variants-peak = Pico
variants-rms = RMS
variants-public = Permitir que las CDN guarden sus archivos en caché
variants-add = Añadir variante
variants-transcode = Transcodificación
variants-preview = Avance
variants-levels = Niveles
variants-waveform-image = Imagen de la forma de onda
variants-waveform-video = Vídeo de la forma de onda
variants-original = Original
variants-whole-track = Transcodificación (pista completa)
variants-part-of-track = Avance (parte de la pista)
variants-waveform-data = Niveles (datos de la forma de onda)
variants-uploaded-file = Original (archivo subido)
variants-lossless = { $codec } (sin pérdida)
variants-part = { $sound }, parte de la pista
variants-peak-levels = { $count } niveles de pico
variants-rms-levels = { $count } niveles RMS
variants-cached = en caché en las CDN
variants-bad-name = Use de 2 a 64 caracteres: a-z, 0-9, _ o -
variants-no-number = Escriba un número.
variants-choose-type = Elija un tipo de la lista.

## Transcription

transcription-on = Activada
transcription-off = Desactivada
transcription-turn-on = Activar la transcripción
transcription-turn-off = Desactivar la transcripción
transcription-hint = Cuando una pista nueva está lista, su audio se envía a un proveedor de su elección y se transcribe.
transcription-provider = Proveedor
transcription-url-hint = Cualquier servicio con un endpoint <code>/audio/transcriptions</code> compatible con OpenAI.
transcription-model = Modelo
transcription-model-example = por ejemplo, whisper-1
transcription-language = Idioma <span class="hint">(opcional)</span>
transcription-detected = Se detecta automáticamente
transcription-language-hint = Un código de idioma como de o pt-BR.
transcription-key = Clave de API
transcription-keep-key = Déjelo vacío para conservar la clave actual
transcription-no-key = Ninguna
transcription-key-hint = Se guarda cifrada y no se vuelve a mostrar. Si cambia la URL, escriba la clave de nuevo.
transcription-remove-key = Eliminar la clave de API
transcription-save-on = Guardar y activar
transcription-test = Prueba
transcription-test-hint = Envía un tono de un segundo al proveedor, con los ajustes guardados. Puede tardar hasta 30 segundos.
transcription-test-button = Probar el proveedor
transcription-silent = El proveedor funciona: respondió en { $seconds } s y no oyó ninguna palabra.
transcription-heard = El proveedor funciona: respondió en { $seconds } s y oyó «{ $words }».
transcription-test-failed = La prueba ha fallado: { $reason }
transcription-failures = Errores recientes
transcription-reason = Motivo
transcription-retried = Se reintentará
transcription-failed = Con errores
