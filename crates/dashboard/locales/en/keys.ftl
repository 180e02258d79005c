# API keys, share links, and the keys that sign URLs.

## All keys

keys-new = New key
keys-explanation = Keys are shown once, when they are created. Share links can be copied again.
keys-explanation-reference = The <a href="/docs" target="_blank" rel="noopener">API reference</a> has a command for each request.
keys-explanation-signing = To sign URLs in your own backend, use <a href="{ $base }/signing-keys">signing keys</a>.
keys-explanation-sessions = With keys, players and uploaders open <a href="{ $base }/sessions">sessions</a>.
keys-valid = Valid
keys-expired = Expired
keys-revoked = Revoked
keys-search = Search keys by name
keys-search-hint = Search by name
keys-all-types = All types
keys-none-found = No keys found
keys-no-valid-match = No valid key matches.
keys-no-expired-match = No expired key matches.
keys-no-revoked-match = No revoked key matches.
keys-show-valid = Show all valid keys
keys-none = No keys yet
keys-none-hint = Share links let anyone listen. Other keys are for programs that manage, play or upload tracks.
keys-create = Create key
keys-list = Keys
keys-access = Access
keys-allows = Allows
keys-last-used = Last used
keys-never = Never
keys-until = until <time data-exact datetime="{ $at }">{ $at }</time>
keys-edit-one = Edit<span class="hidden"> { $title }</span>
keys-confirm-revoke = Revoke “{ $title }”? Everything that uses it stops working. You cannot undo this.
keys-revoke-one = Revoke<span class="hidden"> { $title }</span>
keys-confirm-revoke-made = Revoke “{ $title }” and everything that it made ({ $count })? These keys, signing keys and webhooks stop working. You cannot undo this.
keys-revoke-made = Revoke with what it made ({ $count })<span class="hidden"> { $title }</span>

## Sessions

keys-sessions = Sessions
keys-sessions-play = Play sessions
keys-sessions-upload = Upload sessions
keys-sessions-hint = Sessions that are valid now. They end when they expire or when their key is revoked.
keys-sessions-none = No valid sessions
keys-sessions-index = External ID
keys-sessions-key = Key
keys-sessions-until = Valid until
keys-sessions-confirm = End this session? Its player or uploader stops working within two seconds; signed URLs stay valid until they expire.
keys-sessions-end = End<span class="hidden"> the session of { $title }</span>

## What a key is

keys-type-api = API
keys-type-player = Player
keys-type-uploader = Uploader
keys-type-share = Share link
keys-whole-organization = Whole organization
keys-allows-nothing = no variant
keys-allows-downloads = downloads
keys-allows-origin = pages of { $origin }
keys-allows-origins = pages of { $count } origins

## A new key

keys-type = Key type
keys-in = in { $title }
keys-change-selection = Change selection
keys-reach = The whole organization, unless you choose a collection or track.
keys-reach-search = Search collections and tracks
keys-reach-nothing = No collection or track matches all search words.
keys-explain-api = For your own servers. Allows everything within its access. Never use it in a browser.
keys-explain-player = For creating play sessions, for example from your backend. Allows nothing else.
keys-explain-uploader = For creating upload sessions. Allows nothing else.
keys-variants = Variants in play sessions
keys-variants-all = All variants, including future ones
keys-variants-only = Only these:
keys-downloads = Allow downloads in play sessions
keys-expires = Expires at <span class="hint">(UTC, optional)</span>
keys-choose-collection = Choose a valid collection.
keys-choose-track = Choose a valid track.
keys-one-variant = Choose exactly one variant.
keys-all-and-some = Choose “Only these”, or clear the ticked variants.
keys-no-variant = Tick at least one variant, or choose “All variants”.
keys-no-origin = Enter at least one origin, or choose “All websites”.
keys-not-an-origin = “{ $line }” is not an origin; enter one such as https://www.example.com
keys-some-origins = Choose “Only these”, or clear the list.
keys-origin-list = the list { $problem }
keys-list-of-origins = the list of origins { $problem }

## The page that shows a key once

keys-created = Key created
keys-created-hint = Copy it now. It is shown only once, because only a hash is stored.
keys-link-created = Share link created
keys-link-created-hint = Share links of a track or collection can be copied again from its page.
keys-key = Key
keys-done = Done
keys-embed-code = Player embed code
keys-stream-template = Audio stream URL: replace TRACK_ID with the ID of a track
keys-use = Use it
keys-use-hint = These examples contain the key. Replace what is in CAPITALS.
keys-copy-one = Copy<span class="hidden"> { $title }</span>
keys-lists-tracks = Lists the tracks.
keys-server-only = For your server: never send this key to a browser.
keys-opens-session = Creates a play session.
keys-gets-urls = Creates a play session and gets the URLs of its first track.
keys-play-page = A page that plays the first track. Visitors can read the key in it: limit the key to your website.
keys-uploads-file = Uploads a file.
keys-uploads-chosen = Uploads a file that somebody chose.
keys-upload-page = A page to upload files. Visitors can read the key in it: limit the key to your website.

## One key

keys-edit = Edit key
keys-created-at = created <time data-exact datetime="{ $at }">{ $at }</time>
keys-last-used-at = last used <time datetime="{ $at }">{ $at }</time>
keys-never-used = never used
keys-is-revoked = This key is revoked and cannot be changed. Create another one.
keys-back = Back to keys
keys-expiry-hint = Clear it for a key that does not expire. Changes take effect within two seconds.

## Signing keys

keys-signing = Signing keys
keys-signing-hint = Sign file URLs in your own backend, without a request to this service.
keys-signing-created = Signing key created
keys-signing-created-hint = Copy the secret now. It is shown only once. Store it like a password and never send it to a browser.
keys-signing-id = ID (parameter <code>kid</code>)
keys-signing-secret = Secret
keys-signing-none = No signing keys yet
keys-signing-none-hint = You only need one to sign URLs yourself. Play sessions and share links already contain signed URLs.
keys-signing-when = Created
keys-signing-confirm-revoke = Revoke “{ $title }”? URLs signed with it stop working.
keys-signing-new = New signing key
keys-signing-create = Create signing key
