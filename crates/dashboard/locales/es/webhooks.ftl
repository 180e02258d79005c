# Webhooks: endpoints, and what was sent to them.

## Endpoints

webhooks-hint = Eventos JSON firmados que se reintentan hasta que su servidor los acepta.
webhooks-tracks = Pistas
webhooks-files = Archivos
webhooks-collections = Colecciones
webhooks-tracks-hint = Se envía cuando una pista está lista, incompleta o con errores.
webhooks-files-hint = Se envía por cada archivo de una pista que se crea o falla.
webhooks-collections-hint = Se envía cuando se crea, cambia o elimina una colección.
webhooks-secret-of-tracks = Secreto del endpoint de pistas
webhooks-secret-of-files = Secreto del endpoint de archivos
webhooks-secret-of-collections = Secreto del endpoint de colecciones
webhooks-secret-hint = Úselo para verificar firmas. Guárdelo como una contraseña.
webhooks-on = Activado
webhooks-paused = En pausa
webhooks-failed-in-a-row = { $count ->
    [one] 1 error seguido
   *[other] { $count } errores seguidos
}
webhooks-paused-until = En pausa hasta el <time data-exact datetime="{ $at }">{ $at }</time> tras { $count } errores seguidos.
webhooks-old-secret = Los eventos también se firman con el secreto anterior hasta el <time data-exact datetime="{ $at }">{ $at }</time>.
webhooks-save = Guardar endpoint
webhooks-send-test = Enviar evento de prueba
webhooks-show-secret = Mostrar secreto
webhooks-confirm-rotate = ¿Crear un secreto nuevo? Los eventos se firman con ambos secretos durante un día, para que pueda actualizar su servidor.
webhooks-rotate = Renovar secreto
webhooks-redeliver-failed = Reenviar eventos fallidos
webhooks-confirm-remove = ¿Eliminar este endpoint? Sus entregas pendientes se descartan.
webhooks-remove = Eliminar endpoint

## Deliveries

webhooks-recent = Entregas recientes
webhooks-delivery-status = Estado de la entrega
webhooks-all = Todas
webhooks-pending = Pendiente
webhooks-delivered = Entregada
webhooks-failed = Fallida
webhooks-retrying = Reintentando
webhooks-none = No hay entregas.
webhooks-event = Evento
webhooks-created = Creación
webhooks-attempts = Intentos
webhooks-next-attempt = Próximo intento
webhooks-newest = Más recientes
webhooks-redeliver = Reenviar evento
webhooks-queued-at = En cola: <time datetime="{ $at }">{ $at }</time>.
webhooks-next-attempt-at = Próximo intento: <time datetime="{ $at }">{ $at }</time>.
webhooks-id = ID: <code>{ $id }</code>
webhooks-payload = Contenido
webhooks-cut = … { $count } bytes en total
webhooks-no-attempts = Aún no hay intentos.
webhooks-hidden-attempts = Se muestran los últimos 8 intentos. Intentos anteriores no mostrados: { $count }.
webhooks-attempt = Intento { $number }
webhooks-no-response = Sin respuesta
webhooks-response = Respuesta
