# Dar un secreto nuevo a una clave.

key-rotate = Secreto nuevo
key-rotate-about = La clave recibe un secreto nuevo y conserva todo lo demás. El secreto anterior sigue siendo válido un tiempo, para que pueda sustituirlo en todas partes.
key-overlap = El secreto anterior sigue siendo válido
key-overlap-none = Anularlo ahora
key-overlap-hours = { $count ->
    [one] { $count } hora
   *[other] { $count } horas
}
key-overlap-days = { $count ->
    [one] { $count } día
   *[other] { $count } días
}
key-rotate-button = Crear un secreto nuevo
key-rotated = Secreto nuevo creado
key-shown-once = Cópielo ahora. Solo se muestra una vez, porque únicamente se guarda un hash.
key-back = Claves y enlaces
key-old-until = El secreto anterior es válido hasta
key-old-ended = El secreto anterior ya no es válido.
key-end-old = Anular ahora el secreto anterior
key-end-old-confirm = ¿Anular el secreto anterior? Todo lo que aún lo use dejará de funcionar, y terminarán todas las sesiones y las subidas sin completar de la clave. Esta acción no se puede deshacer.
