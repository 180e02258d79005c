# Words of several pages.

common-count-tracks = { $count ->
    [one] 1 Titel
   *[other] { $count } Titel
}
common-actions = Aktionen
common-cancel = Abbrechen
common-collections-and-tracks = Sammlungen und Titel
common-copy = Kopieren
common-copy-id = Kopieren<span class="hidden">: ID</span>
common-deleted-collection = Gelöschte Sammlung
common-deleted-track = Gelöschter Titel
common-id = ID
common-name = Name
common-newer = Neuere
common-older = Ältere
common-optional = (optional)
common-pages = Seitennavigation
common-remove-one = Entfernen<span class="hidden">: { $name }</span>
common-save = Änderungen speichern
common-search = Suchen
common-status = Status
common-time = Zeitpunkt
common-track = Titel
common-type = Typ
common-unnamed = Ohne Namen
common-url = URL
common-website-example = etwa Website
