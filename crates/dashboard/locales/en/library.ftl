# The library: collections, lists of tracks, selections, sharing, first steps, deleted items.

## Words of several pages

library-heading = Library
library-all-tracks = All tracks
library-deleted-items = Deleted items
library-collection = Collection
library-variant = Variant
library-title = Title
library-name = Name
library-cover = Cover
library-cover-remove = Remove cover
library-share = Share
library-open = Open
library-copy = Copy
library-download = Download
library-save = Save changes
library-cancel = Cancel
library-delete = Delete
library-previous = Previous
library-next = Next
library-pages = Pagination

## Numbers

library-collections = { $count ->
    [one] 1 collection
   *[other] { $count } collections
}
library-more-tracks = more than { $count } tracks
library-more-collections = more than { $count } collections
library-found-tracks = { $count ->
    [one] 1 track found
   *[other] { $count } tracks found
}
library-found-collections = { $count ->
    [one] 1 collection found
   *[other] { $count } collections found
}
library-found-more-tracks = more than { $count } tracks found
library-found-more-collections = more than { $count } collections found

## Search and order

library-search-collections = Search collections
library-search-tracks = Search tracks
library-search = Search
library-apply = Apply
library-sort = Sort by
library-sort-order = Manual order
library-sort-newest = Newest first
library-sort-oldest = Oldest first
library-sort-longest = Longest first
library-sort-status = Status
library-no-matching-collections = No matching collections
library-no-such-collection = No collection title contains all search words.
library-search-tracks-instead = No collection title contains all search words. <a href="{ $base }/tracks?{ $query }">Search tracks instead</a>.
library-no-matching-tracks = No matching tracks
library-search-all-collections = No track in this collection matches all search words. <a href="{ $base }/tracks?{ $query }">Search all collections</a>.
library-no-such-track = No track has all search words in its title, subtitle, file name, your own ID or tags.

## Collections

library-no-collections = No collections yet
library-what-is-a-collection = A collection groups tracks, such as an album, a show or a course.
library-ask-editor = Ask an editor to add one.
library-new-collection = New collection
library-create-collection = Create collection
library-add-tracks = Add tracks
library-drop-files = Drop audio files or folders here, or choose files.
library-choose-folder = Choose a folder
library-upload-files = Upload files
library-import-from = Import from a URL
library-import-example = https://example.com/song.mp3 or s3://bucket/song.mp3
library-import = Import
library-no-tracks = No tracks yet
library-tracks-appear = Uploaded tracks appear here.
library-open-to-upload = Open a collection to upload tracks.
library-collection-details = Collection details
library-player-subtitle = Player subtitle
library-cover-of = Cover of { $title }
library-deletes-collection = Deletes the collection and its tracks. Their links stop working. You can restore them for a limited time.
library-confirm-delete-collection = { $count ->
    [0] Delete this empty collection?
    [one] Delete this collection and its track?
   *[other] Delete this collection and its { $count } tracks?
}
library-delete-collection = Delete collection

## Selected tracks

library-select = Select
library-select-track = Select { $title }
library-select-all = Select all on this page
library-move = Move…
library-retitle = Retitle…
library-move-count = { $count ->
    [one] Move 1 track
   *[other] Move { $count } tracks
}
library-move-hint = The tracks are added at the end of the collection. A track is in one collection at a time.
library-more-to-find = There are more collections. Search to find them.
library-move-tracks = Move tracks
library-create-and-move = Create collection and move tracks
library-choose-collection = Choose a collection.
library-unselect = Clear selection
library-move-to-position = Move to position…
library-position = Position
library-position-hint = { $count ->
    [one] The collection has 1 track.
   *[other] The collection has { $count } tracks. The first of the selected tracks gets this position, and the others follow it.
}
library-position-number = Enter a whole number, 1 or more.
library-move-to-start = Move to the beginning
library-move-to-end = Move to the end
library-retitle-count = { $count ->
    [one] Retitle 1 track
   *[other] Retitle { $count } tracks
}
library-retitle-hint = A track without a title shows the title of its file.
library-tracks-left-out = Some of the selected tracks were deleted or moved in the meantime. They are left out here.
library-save-titles = Save titles

## Deleted items

library-trash-hint = Restore tracks and collections before they are removed permanently.
library-no-deleted-items = No deleted items
library-no-deleted-items-hint = Items deleted in the dashboard can be restored here for a limited time.
library-trash-collections = { $count ->
    [one] 1 collection, including tracks
   *[other] { $count } collections, including tracks
}
library-trash-more-collections = more than { $count } collections, including tracks
library-deleted-at = Deleted
library-restorable-until = Restorable until
library-actions = Actions
library-restore = Restore
library-restore-one = Restore { $title }

## Sharing

library-share-title = Share { $title }
library-share-track = Share track
library-share-collection = Share collection
library-share-not-playable = The track cannot be played yet. Its links work as soon as it can.
library-share-link = Share link
library-share-url = Link
library-share-embed = Embed
library-share-theme = Theme
library-theme-system = Follow the system
library-theme-light = Light
library-theme-dark = Dark
library-share-size = Size
library-size-compact = Compact ({ $pixels } px)
library-size-list = With list ({ $pixels } px)
library-size-tall = With long list ({ $pixels } px)
library-share-update = Update preview
library-share-preview = Preview of the embedded player
library-iframe = Iframe, for any page
library-web-component = Web component, for your own pages
library-stream-url = Audio stream URL
library-new-link = New link
library-new-link-hint = Anyone with the link can listen, until it expires or is revoked.
library-share-expires = Expires
library-expires-never = Never
library-expires-day = In 1 day
library-expires-week = In 7 days
library-expires-month = In 30 days
library-expires-year = In 1 year
library-expires-date = At a date and time
library-date-and-time = Date and time <span class="hint">(UTC)</span>
library-optional-name = Name <span class="hint">(optional)</span>
library-name-example = such as Press
library-allow-downloads = Allow downloads
library-create-link = Create link
library-name-too-long = Enter a name of up to 200 characters.
library-choose-variant = Choose a variant from the list.
library-enter-date = Enter a valid date and time.
library-enter-future = Enter a date and time in the future.
library-links-of-track = Links of this track
library-links-of-collection = Links of this collection
library-link-downloads = Downloads
library-link-expired = Expired
library-link-expired-at = Expired <time datetime="{ $at }">{ $at }</time>
library-link-expires-at = Expires <time datetime="{ $at }">{ $at }</time>
library-link-does-not-expire = Does not expire
library-link-last-used = last used <time datetime="{ $at }">{ $at }</time>
library-link-never-used = never used
library-link-shown-once = This link was shown once, when it was created. To share it again, create another one.
library-link-copy = Copy<span class="hidden"> link of { $title }</span>
library-link-embed = Embed<span class="hidden"> { $title }</span>
library-link-revoke-one = Revoke<span class="hidden"> { $title }</span>
library-link-confirm-revoke = Revoke “{ $title }”? Players that use it stop working. You cannot undo this.
library-link-revoke = Revoke
library-older-links = Older links

## First steps

library-get-started = Get started
library-skip = Skip
library-step-name = Name it
library-step-add = Add a track
library-step-embed = Embed it
library-start-question = What do you publish?
library-start-question-hint = A collection groups tracks, such as an album, a show or a course. You can change its name later.
library-organization = Organization
library-first-collection = First collection
library-first-collection-example = My podcast
library-continue = Continue
library-start-failed = { $file }: { $reason } Choose another file.
library-progress = Processing progress
library-processed = Processing has finished. Reload this page.
library-reload-for-progress = Reload this page to see the progress.
library-add-to = Add a track to { $title }
library-drop-file = Drop an audio file here, or choose one.
library-start-import = Is your audio on the web? <a href="{ $base }/collections/{ $collection }">Import it from a URL</a>.
library-online = Your track is online
library-share-page = Share page
library-go-to-library = Go to your library
library-track-is-ready = { $title } is ready
library-track-is-ready-hint = Press play to listen. Then create the code that shows this player on your own page.
library-create-code = Create embed code
library-link-revocable = Anyone with the link can listen. You can revoke it under Keys and links.
library-start-no-variant = This organization has no variant that players can play.
library-set-cover = Set cover…
library-set-cover-count = { $count ->
    [one] Set the cover of 1 track
   *[other] Set the cover of { $count } tracks
}
library-set-cover-hint = Each of the tracks gets this cover in place of its own. You can undo it for an hour.
library-image = Image
library-image-hint = Cropped to a square.
library-set-cover-button = Set cover
