"""How often, and for how long, something is tried again."""

from __future__ import annotations

import random
import time

from ._errors import ApiError, TonearmError

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0


class Attempts:
    """The failures of one undertaking since it last got on."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self.got_on()

    def got_on(self) -> None:
        """Something was achieved, so patience begins anew."""
        self._since = time.monotonic()
        self._failures = 0

    def wait_after(self, error: TonearmError) -> None:
        """Waits until another attempt is worthwhile. Raises the error if none is, or if it would take too long."""
        if not error.is_temporary:
            raise error
        asked = error.retry_after if isinstance(error, ApiError) else None
        pause = max(_pause(self._failures), asked or 0.0)
        if time.monotonic() - self._since + pause > self._patience:
            raise error
        self._failures += 1
        time.sleep(pause)


def _pause(failures: int) -> float:
    """Between half of the full pause and all of it, so that clients that failed together do not come back together."""
    full = min(_FIRST_PAUSE * 2.0 ** min(failures, 16), _LONGEST_PAUSE)
    return full * random.uniform(0.5, 1.0)
