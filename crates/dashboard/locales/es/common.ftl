# Words of several pages.

common-count-tracks = { $count ->
    [one] 1 pista
   *[other] { $count } pistas
}
common-actions = Acciones
common-cancel = Cancelar
common-collections-and-tracks = Colecciones y pistas
common-copy = Copiar
common-copy-id = Copiar<span class="hidden"> el ID</span>
common-deleted-collection = Colección eliminada
common-deleted-track = Pista eliminada
common-id = ID
common-name = Nombre
common-newer = Más recientes
common-older = Más antiguos
common-optional = (opcional)
common-pages = Paginación
common-remove-one = Eliminar<span class="hidden"> { $name }</span>
common-save = Guardar cambios
common-search = Buscar
common-status = Estado
common-time = Fecha
common-track = Pista
common-type = Tipo
common-unnamed = Sin nombre
common-url = URL
common-website-example = por ejemplo, Sitio web
