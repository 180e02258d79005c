# Words of several pages.

common-count-tracks = { $count ->
    [one] { $count } piste
   *[other] { $count } pistes
}
common-actions = Actions
common-cancel = Annuler
common-collections-and-tracks = Collections et pistes
common-copy = Copier
common-copy-id = Copier<span class="hidden"> l’ID</span>
common-deleted-collection = Collection supprimée
common-deleted-track = Piste supprimée
common-id = ID
common-name = Nom
common-newer = Plus récents
common-older = Plus anciens
common-optional = (facultatif)
common-pages = Pagination
common-remove-one = Supprimer<span class="hidden"> { $name }</span>
common-save = Enregistrer les modifications
common-search = Rechercher
common-status = État
common-time = Date
common-track = Piste
common-type = Type
common-unnamed = Sans nom
common-url = URL
common-website-example = par exemple Site web
