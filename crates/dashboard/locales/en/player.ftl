# The player (`assets/player`). Its modules have the English sentences; those of the other languages are found by them.

player-play = Play
player-pause = Pause
player-name = Audio player
player-name-title = Audio player: { $title }
player-position = Position
player-time = { $position } of { $duration }
player-previous = Previous track
player-next = Next track
player-speed = Playback speed
player-quality = Quality
player-mute = Mute
player-unmute = Unmute
player-volume = Volume
player-tracks = Tracks
player-not-available = Not available
player-chapters = Chapters
player-transcript = Transcript

# Names of what has none.

player-chapter = Chapter { $number }
player-track = Track { $number }
player-untitled = Untitled

# What went wrong.

player-link = This link is no longer valid. Ask for a new one.
player-session = The session has ended. Reload the page to continue.
player-setup = This page names no tracks: set the attribute “tracks”, or api.public_play_sessions.
player-offline = No connection to the server.
player-unavailable = The audio is unavailable.
player-missing = This track is no longer available.
player-missing-title = “{ $title }” is no longer available.
player-unsupported = This browser cannot play this track.
player-unsupported-title = This browser cannot play “{ $title }”.
player-damaged = The audio file of this track is damaged.
player-damaged-title = The audio file of “{ $title }” is damaged.
player-device = This browser cannot play sound now.
player-continues = Playback continues when it can.
player-empty = No tracks to play yet.
player-empty-title = { $title } has no tracks to play yet.
player-skipped = Playing the next track.
player-try-again = Try again
