# The page of a track: its player, its files, its tags, its transcript and how it is listened to.

## Status

track-status-importing = Importing
track-status-waiting = Waiting for upload
track-status-queued = Queued
track-status-processing = Processing
track-status-processing-again = Processing again
track-status-ready = Ready
track-status-incomplete = Incomplete
track-status-failed = Failed
track-truncated = Truncated
track-truncated-hint = The file contains less audio than its header declares. The available audio was processed.
track-retry = Retry processing
track-retry-hint = Makes the missing files and keeps existing ones.
track-processed = Processing has finished. Save your changes or reload this page.
track-reload-for-status = Reload this page to see the current status.

## Files

track-variants = Variants
track-variant-type = Type
track-variant-download = Download
track-try-again = Try again
track-try-again-one = Try again: { $variant }
track-source = Source file
track-download-original = Download original
track-replacement-processing = A new file is being processed. The track keeps its current file until then.
track-replacement-completed = The file was replaced. The former one is kept for a day.
track-replacement-completed-from = The file was replaced. The former one, “{ $name }”, is kept for a day.
track-replacement-failed = The file was not replaced.
track-replacement-failed-because = The file was not replaced: { $reason }
track-undo-failed-because = The former file could not be put back: { $reason }
track-replacement-waiting = Waiting for the new file: its upload was started but not finished.
track-cancel-replacement = Cancel replacement
track-undo-replacement = Put the former file back
track-if-empty = If empty: { $text }
track-replace = Replace file
track-replace-hint = The track, its links and its settings stay. Listeners hear the current file until the new one is ready.
track-upload-progress = Upload progress

## Details

track-details = Track details
track-subtitle = Subtitle
track-own-id = Your own ID
track-reset-cover = Reset cover
track-reset-cover-hint = Uses the art in the file, or a generated cover.
track-deletes = Deletes the track and its files. Its links stop working. You can restore it for a limited time.
track-confirm-delete = Delete this track?
track-delete = Delete track

## What is known of the sound

track-duration = Duration
track-container = Container
track-codec = Codec
track-sample-rate = Sample rate
track-channels = Channels
track-channels-mono = 1 (mono)
track-channels-stereo = 2 (stereo)
track-bit-depth = Bit depth
track-bit-rate = Bitrate
track-size = Size
track-loudness = Loudness
track-true-peak = True peak

## Tags of the file

track-file-tags = File tags
track-tag-title = Title
track-tag-artist = Artist
track-tag-album = Album
track-tag-album-artist = Album artist
track-tag-track = Track
track-tag-disc = Disc
track-tag-place = { $number } of { $total }
track-tag-composer = Composer
track-tag-genre = Genre
track-tag-year = Year
track-tag-publisher = Publisher
track-tag-language = Language
track-tag-comment = Comment
track-chapters = Chapters ({ $count })
track-chapter = Chapter { $number }
track-lyrics = Lyrics

## Transcript

track-transcript = Transcript
track-transcript-edit = Edit
track-transcript-add = Add transcript
track-no-transcript = No transcript yet.
track-transcribing = The audio is being transcribed. The transcript appears when it is done.
track-transcription-retried = The last attempt to transcribe this track failed. It is retried automatically.
track-transcription-retried-because = The last attempt to transcribe this track failed: { $reason } It is retried automatically.
track-transcription-failed = Transcription failed.
track-transcription-failed-because = Transcription failed: { $reason }
track-transcript-download = Download as WebVTT
track-transcript-edited = Edited <time datetime="{ $at }">{ $at }</time>. Transcription does not replace it.
track-captions = Transcript (WebVTT)
track-captions-hint = WebVTT: each cue begins with its times, such as <code>00:00:01.000 --&gt; 00:00:04.000</code>, followed by its words and an empty line. Comments, styles and markup are not kept. Without cues, the track has no transcript.
track-captions-left-out = Saved. These parts of the text are not kept, as a transcript has words and times only:
track-captions-line = Line { $line }:
track-captions-more =
    { $count ->
    [one] and { $count } more line
   *[other] and { $count } more lines
}
track-captions-language = Language <span class="hint">(such as en or pt-BR, optional)</span>
track-captions-file = WebVTT file <span class="hint">(replaces the text above, optional)</span>
track-save-transcript = Save transcript
track-transcribe = Transcribe again
track-transcribe-hint = Sends the audio to your transcription provider. The result replaces this transcript.
track-transcribe-hint-edited = Sends the audio to your transcription provider. The result replaces this transcript and its edits.
track-confirm-transcribe = Replace this transcript?
track-confirm-transcribe-edited = Replace this transcript and its edits?

## Usage

track-usage = Usage in the last 30 days
track-listens = Listens
track-heard = Listening time
track-delivered = Delivered
track-by-day = By day
track-usage-by-day = Usage by day
track-day = Day
track-drop-off = Drop-off
