"""How long to wait for a track, and what ends it."""

from __future__ import annotations

import time
from typing import Callable, Optional

from . import types
from ._errors import TimedOutError, TrackFailedError

# Half an hour, in seconds.
WAIT = 1800.0

_FIRST_INTERVAL = 0.5
_LONGEST_INTERVAL = 10.0

OnTrackProgress = Callable[[types.ReadTrackProgressResponse], object]


class Waiting:
    """Waits for one track."""

    def __init__(self, track_id: str, timeout: float, on_progress: Optional[OnTrackProgress]) -> None:
        self._track_id, self._timeout, self._on_progress = track_id, timeout, on_progress
        self._end = time.monotonic() + timeout
        self._interval = _FIRST_INTERVAL
        self._last: Optional[types.ReadTrackProgressResponse] = None

    def is_over(self, progress: types.ReadTrackProgressResponse) -> bool:
        """Whether the track can be played. Raises why it will not be."""
        status, reason = progress["track_status_id"], progress.get("status_reason")
        if self._on_progress and (self._last is None or _shown(self._last) != _shown(progress)):
            self._on_progress(progress)
        self._last = progress
        if status in ("error", "init_error"):
            raise TrackFailedError(self._track_id, status, reason)
        return status in ("ready", "incomplete")

    def pause(self) -> float:
        """Seconds until the next question."""
        interval = self._interval
        if time.monotonic() + interval > self._end:
            status = self._last["track_status_id"] if self._last else "unknown"
            raise TimedOutError(f"the track is not ready after {self._timeout:g} seconds: its status is {status}")
        self._interval = min(interval * 1.5, _LONGEST_INTERVAL)
        return interval


def _shown(progress: types.ReadTrackProgressResponse) -> object:
    return progress["track_status_id"], progress["percent"], progress.get("status_reason")
