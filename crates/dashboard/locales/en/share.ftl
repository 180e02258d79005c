# Pages for listeners: share links and framed players.

share-first-tracks = First tracks
share-next-tracks = Next tracks
share-pages = Pages of tracks
share-nothing-yet = No tracks to play yet.
share-download-tracks = Download tracks
share-download = Download
share-powered-by = Powered by Tonearm
share-all-tracks = All tracks in this collection
share-transcript = Transcript
share-embed = Embed this player
share-frame = Iframe, for any page
share-element = Web component, for your own pages
share-copy = Copy
share-count =
    { $count ->
        [one] { $count } track
       *[other] { $count } tracks
    }
share-count-more =
    { $count ->
        [one] { $count } more track
       *[other] { $count } more tracks
    }
share-count-over =
    { $count ->
        [one] More than { $count } track
       *[other] More than { $count } tracks
    }
share-dead = Link not available
share-dead-text = This link is invalid, expired or revoked. Ask the sender for a new one.
share-away = Temporarily unavailable
share-away-text = The service is temporarily unavailable. Try again shortly.
