# Texts of scripts. Plural forms are attributes, named as by Intl.PluralRules; there are no selections.

# Questions, copying and forms.

script-cancel = Cancel
script-close = Close
script-yes = Yes
script-undo = Undo
script-try-again = Try again
script-copy-done = Copied
script-copy-failed = Copy failed
script-copy-keys = Press Ctrl+C
script-form-problems = Nothing was saved. Correct the form and send it again:
script-form-unanswered = Correct the form and send it again:
script-form-problem = { $field }: { $problem }
script-draft-signed-out = Your session expired before this form was saved.
script-draft-refused = This form was not saved.
script-draft-back = Your input has been restored. Check it and save again.
script-draft-file = Choose the file again.
script-draft-kept = Your input is kept in this tab.
script-draft-after-sign-in = It will be restored after you sign in.
script-draft-go-back = Go back to the form.

# Signing in again.

script-signed-out = Your session has expired. Sign in again to continue. This page stays as it is.
script-signed-out-link = Sign in in a new tab
script-signed-out-other = Somebody else is signed in in this browser now. To continue here, sign out there and sign in again.

# Covers.

script-crop-preview = Preview of the cropped cover
script-crop-across = Horizontal position
script-crop-down = Vertical position
script-crop-zoom = Zoom

# Uploads, and how far tracks are.

script-upload-left-out =
    .one = “{ $names }” is not audio and was left out.
    .other = { $count } files are not audio and were left out: { $names }.
script-upload-interrupted =
    .one = The upload of “{ $name }” was interrupted. Add the same files again to continue it.
    .other = The upload of { $count } files was interrupted. Add the same files again to continue it.
script-upload-of = Upload of { $name }
script-upload-pause = Pause
script-upload-pause-name = Pause { $name }
script-upload-resume = Resume
script-upload-resume-name = Resume { $name }
script-upload-try-again-name = Try again { $name }
script-upload-cancel-name = Cancel { $name }
script-upload-waiting = Waiting
script-uploading = Uploading
script-uploading-percent = Uploading { $percent } %
script-upload-paused = Paused
script-upload-cancelled = Cancelled
script-processing = Processing
script-upload-empty = This file is empty. Choose another one.
script-upload-not-started = The upload could not start. Try again.
script-upload-disconnected = Connection lost. Trying again…
script-upload-unavailable = The service is not available. Trying again…
script-upload-file-gone = The file cannot be read. It may have been changed, moved or deleted, or is a folder. Remove it here and add the file again.
script-upload-expired = This upload has expired. Remove it and add the file again.
script-upload-rejected = The server rejected the upload.
script-upload-rejected-again = The server rejected the upload. Remove it and add the file again.
script-upload-unreadable = The upload failed: the file is empty or was corrupted in transit. Check it and upload it again.
script-upload-quota = The organization has used up its quota. Delete tracks, or ask the operator to raise the quota.
script-upload-too-large = The file is larger than this service allows.
script-upload-used = This upload is already complete. Add the file again to upload it once more.
script-upload-speed = { $speed } MB/s · { $left }
script-left-moment = almost done
script-left-seconds = { $seconds } s left
script-left-minutes = { $minutes } min left
script-left-hours = { $hours } h { $minutes } min left
script-progress = { $status } { $percent } %
script-file-waiting = { $file } waiting
script-file-running = { $file } { $percent } %
script-file-made = { $file } done
script-file-failed = { $file } failed

# Lists of tracks.

script-selected =
    .one = { $count } selected
    .other = { $count } selected
script-selected-elsewhere =
    .one = { $count } selected, not shown here
    .other = { $count } selected, { $elsewhere } not shown here
script-selected-too-many = { $count } selected. At most { $most } tracks can be changed at once.
script-order-saved = Order saved.
script-order-not-saved = The order could not be saved. Check the connection and try again.
script-row = The row
script-row-taken = { $name } picked up at position { $at } of { $count }. Move it with the arrow keys, drop it with Space, cancel with Escape.
script-row-moved = { $name }, position { $at } of { $count }.
script-row-dropped = { $name } dropped at position { $at } of { $count }.
script-row-back = Cancelled. { $name } is back at position { $at } of { $count }.
script-play-track = Play { $title }
script-pause-track = Pause { $title }
script-more-for-track = More for { $title }
script-reorder-track = Reorder { $title }
script-play-next = Play next
script-add-to-queue = Add to queue
script-share-track = Share

# The player bar and its queue.

script-bar = Player
script-bar-page = Page
script-bar-play = Play
script-bar-pause = Pause
script-bar-previous = Previous track
script-bar-next = Next track
script-bar-back = Back 10 seconds
script-bar-forward = Forward 10 seconds
script-bar-position = Position
script-bar-time = { $position } of { $duration }
script-bar-mute = Mute
script-bar-unmute = Unmute
script-bar-volume = Volume
script-bar-close = Close player
script-bar-skipped = Playing the next track.
script-queue = Queue
script-queue-clear = Clear queue
script-queue-remove = Remove { $title } from the queue
script-queue-next = { $title } plays next.
script-queue-added = { $title } was added to the queue.
script-queue-full = The queue is full. Remove tracks from it first.

# Keyboard shortcuts.

script-shortcuts = Keyboard shortcuts
script-shortcuts-use = Use keyboard shortcuts
script-shortcuts-show = Show keyboard shortcuts
script-shortcuts-search = Search
script-shortcuts-toggle = Play or pause
script-space-key = Space
