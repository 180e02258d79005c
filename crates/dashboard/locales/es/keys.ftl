# API keys, share links, and the keys that sign URLs.

## All keys

keys-new = Nueva clave
keys-explanation = Las claves se muestran una sola vez, al crearlas. Los enlaces compartidos se pueden volver a copiar.
keys-explanation-reference = La <a href="/docs" target="_blank" rel="noopener">referencia de la API</a> (en inglés) tiene un comando para cada petición.
keys-explanation-signing = Para firmar URL en su propio backend, use <a href="{ $base }/signing-keys">claves de firma</a>.
keys-explanation-sessions = Con las claves, los reproductores y los cargadores abren <a href="{ $base }/sessions">sesiones</a>.
keys-valid = Válida
keys-expired = Caducada
keys-revoked = Revocada
keys-search = Buscar claves por nombre
keys-search-hint = Buscar por nombre
keys-all-types = Todos los tipos
keys-none-found = No se encontraron claves
keys-no-valid-match = Ninguna clave válida coincide.
keys-no-expired-match = Ninguna clave caducada coincide.
keys-no-revoked-match = Ninguna clave revocada coincide.
keys-show-valid = Mostrar todas las claves válidas
keys-none = Aún no hay claves
keys-none-hint = Los enlaces compartidos permiten escuchar a cualquiera. Las demás claves son para programas que gestionan, reproducen o suben pistas.
keys-create = Crear clave
keys-list = Claves
keys-access = Acceso
keys-allows = Permite
keys-last-used = Último uso
keys-never = Nunca
keys-until = hasta el <time data-exact datetime="{ $at }">{ $at }</time>
keys-edit-one = Editar<span class="hidden"> { $title }</span>
keys-confirm-revoke = ¿Revocar «{ $title }»? Todo lo que la usa dejará de funcionar. Esta acción no se puede deshacer.
keys-revoke-one = Revocar<span class="hidden"> { $title }</span>
keys-confirm-revoke-made = ¿Revocar «{ $title }» y todo lo que ha creado ({ $count })? Esas claves, claves de firma y webhooks dejarán de funcionar. Esta acción no se puede deshacer.
keys-revoke-made = Revocar con lo que ha creado ({ $count })<span class="hidden"> { $title }</span>

## Sessions

keys-sessions = Sesiones
keys-sessions-play = Sesiones de reproducción
keys-sessions-upload = Sesiones de carga
keys-sessions-hint = Sesiones válidas en este momento. Terminan cuando caducan o cuando se revoca su clave.
keys-sessions-none = Ninguna sesión válida
keys-sessions-index = ID externo
keys-sessions-key = Clave
keys-sessions-until = Válida hasta
keys-sessions-confirm = ¿Terminar esta sesión? Su reproductor o cargador dejará de funcionar en dos segundos; las URL firmadas siguen siendo válidas hasta que caduquen.
keys-sessions-end = Terminar<span class="hidden"> la sesión de { $title }</span>

## What a key is

keys-type-api = API
keys-type-player = Reproductor
keys-type-uploader = Subida
keys-type-share = Enlace compartido
keys-whole-organization = Toda la organización
keys-allows-nothing = ninguna variante
keys-allows-downloads = descargas
keys-allows-origin = páginas de { $origin }
keys-allows-origins = páginas de { $count } orígenes

## A new key

keys-type = Tipo de clave
keys-in = en { $title }
keys-change-selection = Cambiar la selección
keys-reach = Toda la organización, salvo que elija una colección o una pista.
keys-reach-search = Buscar colecciones y pistas
keys-reach-nothing = Ninguna colección ni pista coincide con todas las palabras buscadas.
keys-explain-api = Para sus propios servidores. Permite todo dentro de su acceso. No la use nunca en un navegador.
keys-explain-player = Para abrir sesiones de reproducción, por ejemplo desde su backend. No permite nada más.
keys-explain-uploader = Para abrir sesiones de subida. No permite nada más.
keys-variants = Variantes en las sesiones de reproducción
keys-variants-all = Todas las variantes, también las futuras
keys-variants-only = Solo estas:
keys-downloads = Permitir descargas en las sesiones de reproducción
keys-expires = Caduca el <span class="hint">(UTC, opcional)</span>
keys-choose-collection = Elija una colección válida.
keys-choose-track = Elija una pista válida.
keys-one-variant = Elija exactamente una variante.
keys-all-and-some = Elija «Solo estas» o desmarque las variantes.
keys-no-variant = Marque al menos una variante o elija «Todas las variantes».
keys-no-origin = Escriba al menos un origen o elija «Todos los sitios web».
keys-not-an-origin = «{ $line }» no es un origen; escriba uno como https://www.example.com
keys-some-origins = Elija «Solo estos» o vacíe la lista.
keys-origin-list = la lista { $problem }
keys-list-of-origins = la lista de orígenes { $problem }

## The page that shows a key once

keys-created = Clave creada
keys-created-hint = Cópiela ahora. Se muestra una sola vez, porque solo se guarda un hash.
keys-link-created = Enlace compartido creado
keys-link-created-hint = Los enlaces compartidos de una pista o colección se pueden volver a copiar desde su página.
keys-key = Clave
keys-done = Listo
keys-embed-code = Código para insertar el reproductor
keys-stream-template = URL del flujo de audio: sustituya TRACK_ID por el ID de una pista
keys-use = Cómo usarla
keys-use-hint = Estos ejemplos contienen la clave. Sustituya lo que está en MAYÚSCULAS.
keys-copy-one = Copiar<span class="hidden"> { $title }</span>
keys-lists-tracks = Enumera las pistas.
keys-server-only = Para su servidor: no envíe nunca esta clave a un navegador.
keys-opens-session = Abre una sesión de reproducción.
keys-gets-urls = Abre una sesión de reproducción y obtiene las URL de su primera pista.
keys-play-page = Una página que reproduce la primera pista. Los visitantes pueden leer la clave en ella: limítela a su sitio web.
keys-uploads-file = Sube un archivo.
keys-uploads-chosen = Sube un archivo que alguien ha elegido.
keys-upload-page = Una página para subir archivos. Los visitantes pueden leer la clave en ella: limítela a su sitio web.

## One key

keys-edit = Editar clave
keys-created-at = creada el <time data-exact datetime="{ $at }">{ $at }</time>
keys-last-used-at = último uso: <time datetime="{ $at }">{ $at }</time>
keys-never-used = nunca usada
keys-is-revoked = Esta clave está revocada y no se puede cambiar. Cree otra.
keys-back = Volver a las claves
keys-expiry-hint = Déjelo vacío para una clave que no caduque. Los cambios surten efecto en dos segundos.

## Signing keys

keys-signing = Claves de firma
keys-signing-hint = Firme URL de archivos en su propio backend, sin peticiones a este servicio.
keys-signing-created = Clave de firma creada
keys-signing-created-hint = Copie el secreto ahora. Se muestra una sola vez. Guárdelo como una contraseña y no lo envíe nunca a un navegador.
keys-signing-id = ID (parámetro <code>kid</code>)
keys-signing-secret = Secreto
keys-signing-none = Aún no hay claves de firma
keys-signing-none-hint = Solo necesita una para firmar URL por su cuenta. Las sesiones de reproducción y los enlaces compartidos ya contienen URL firmadas.
keys-signing-when = Creación
keys-signing-confirm-revoke = ¿Revocar «{ $title }»? Las URL firmadas con ella dejarán de funcionar.
keys-signing-new = Nueva clave de firma
keys-signing-create = Crear clave de firma
