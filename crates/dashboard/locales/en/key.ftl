# Giving a key a new secret.

key-rotate = Rotate secret
key-rotate-about = The key gets a new secret and keeps everything else. The old secret works for a while longer, so that you can replace it everywhere.
key-overlap = The old secret stops working
key-overlap-none = Immediately
key-overlap-hours = { $count ->
    [one] In { $count } hour
   *[other] In { $count } hours
}
key-overlap-days = { $count ->
    [one] In { $count } day
   *[other] In { $count } days
}
key-rotate-button = Rotate secret
key-rotated = Secret rotated
key-shown-once = Copy it now. It is shown only once, because only a hash is stored.
key-back = Keys and links
key-old-until = The old secret works until
key-old-ended = The old secret no longer works.
key-end-old = End the old secret now
key-end-old-confirm = End the old secret? Everything that still uses it stops working, and all sessions and unfinished uploads of the key end. You cannot undo this.
