# What was listened to and delivered.

## The period

usage-hint = Listens, listeners and data delivered per day (UTC).
usage-period = Period
usage-days = { $count } days
usage-from = From
usage-to = To
usage-none = No usage in this period
usage-appears = New listens appear here within seconds.

## Numbers

usage-listens = Listens
usage-listeners = Listeners
usage-heard = Listening time
usage-delivered = Delivered
usage-stored = Stored
usage-now = Listening now
usage-listeners-added = Listeners per day, added up
usage-counted = How listens are counted
usage-counted-hint = A listen is counted when at least one minute of a track, or a whole track that is shorter, is delivered to one listener on one day. A listener is a network address and a browser or app; known bots are left out. The same person counts again on another day. Opening a page or a share link without playing is not a listen. Listening time is what was played, where players report it (Tonearm’s own do: { $played }), and otherwise the length of what was delivered: players load ahead, so less may have been heard.

## Charts

usage-listens-per-day = Listens per day
usage-listeners-per-day = Listeners per day
usage-heard-per-day = Listening time per day
usage-delivered-per-day = Delivered per day
usage-day = Day
usage-show-table = Show as table
usage-show-table-of = Show as table: { $title }

## Tables

usage-export = Export CSV
usage-export-days = Export listens by day (CSV)
usage-by-track = By track
usage-by-collection = By collection
usage-by-share-link = By share link
usage-by-site = By site
usage-by-country = By country
usage-export-by-track = Export CSV by track
usage-export-by-collection = Export CSV by collection
usage-export-by-share-link = Export CSV by share link
usage-export-by-site = Export CSV by site
usage-export-by-country = Export CSV by country
usage-listens-by-track = Listens by track
usage-listens-by-collection = Listens by collection
usage-listens-by-share-link = Listens by share link
usage-listens-by-site = Listens by site
usage-listens-by-country = Listens by country
usage-share-key = Share key
usage-site = Site
usage-country = Country
usage-no-track = No track was listened to in this period.
usage-no-collection = No collection was listened to in this period.
usage-no-share-link = No share link was listened to in this period.
usage-no-site = No other site with a player was seen in this period.
usage-no-country = No country was seen in this period.
usage-more = { $count } more in the CSV.
usage-deleted-key = Deleted key
usage-other-sites = Other sites
usage-delivered-by-track = Delivered by track
usage-delivered-by-variant = Delivered by variant
usage-export-delivered-by-track = Export CSV of what was delivered by track
usage-export-delivered-by-variant = Export CSV of what was delivered by variant
usage-requests = Requests
usage-starts = Starts
usage-downloads = Downloads
usage-requests-hint = Requests are share links opened and tracks fetched by players, whether or not anything was heard. Starts are deliveries of sound from the beginning of a file.
usage-shared-covers = Shared covers
usage-unknown-variant = Unknown variant
usage-largest = Largest tracks

## How far listeners get

usage-drop-off-of = Drop-off of { $title }
usage-drop-off-hint = Which parts were delivered to listeners in the last seven days.
usage-open-track = Open the track
usage-no-listens = No listens in the last seven days
usage-listens-by-part = Listens by part of the track
usage-count-by-part = { $count ->
    [one] 1 listen by part of the track
   *[other] { $count } listens by part of the track
}
usage-parts-hint = Parts count once they were played, where players report it (Tonearm’s own do), and otherwise once they were delivered, which is some time before.
usage-share = Share
