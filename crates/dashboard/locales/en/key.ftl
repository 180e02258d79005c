# Giving a key a new secret.

key-rotate = New secret
key-rotate-about = The key gets a new secret and keeps everything else. The old secret works for a while longer, so that you can replace it everywhere.
key-overlap = The old secret works for another
key-overlap-none = End it now
key-overlap-hours = { $count ->
    [one] { $count } hour
   *[other] { $count } hours
}
key-overlap-days = { $count ->
    [one] { $count } day
   *[other] { $count } days
}
key-rotate-button = Create new secret
key-rotated = New secret created
key-shown-once = Copy it now. It is shown only once, because only a hash is stored.
key-copy = Copy
key-back = Keys and links
key-old-until = The old secret works until
key-old-ended = The old secret no longer works.
key-end-old = End the old secret now
key-end-old-confirm = End the old secret? Everything that still uses it stops working. You cannot undo this.
