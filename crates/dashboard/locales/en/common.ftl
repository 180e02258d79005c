# Words of several pages.

common-count-tracks = { $count ->
    [one] 1 track
   *[other] { $count } tracks
}
common-actions = Actions
common-cancel = Cancel
common-collections-and-tracks = Collections and tracks
common-copy = Copy
common-copy-id = Copy<span class="hidden"> ID</span>
common-deleted-collection = Deleted collection
common-deleted-track = Deleted track
common-id = ID
common-name = Name
common-newer = Newer
common-older = Older
common-optional = (optional)
common-pages = Pagination
common-remove-one = Remove<span class="hidden"> { $name }</span>
common-save = Save changes
common-search = Search
common-status = Status
common-time = Time
common-track = Track
common-type = Type
common-unnamed = Unnamed
common-url = URL
common-website-example = such as Website
