"""What the tests have in common: the service that tools/sdk/test started, sounds, and connections that break."""

from __future__ import annotations

import hashlib
import io
import os
import wave

from tonearm import ConnectionFailedError, Tonearm


def needed(name):
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"{name} is not set: start the tests with tools/sdk/test")
    return value


SERVER = needed("TONEARM_SERVER")
API_KEY = needed("TONEARM_API_KEY")
COLLECTION = needed("TONEARM_TEST_COLLECTION")


def client(**options):
    return Tonearm(SERVER, options.pop("api_key", API_KEY), **options)


def sound(seconds=1):
    """A sound file with noise that no other file has."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(os.urandom(16_000 * seconds))
    return file.getvalue()


def has_source(track_id, data):
    """Whether the track has exactly these bytes as its source."""
    found = client().find_tracks(source_sha256=hashlib.sha256(data).hexdigest())["tracks"]
    return [track["id"] for track in found] == [track_id]


class Breaking(Tonearm):
    """A client whose connections break: `breaks` says of each request whether it is lost (`request`), or its answer (`answer`)."""

    def __init__(self, breaks, **options):
        super().__init__(SERVER, API_KEY, **options)
        self.breaks, self.requests, self.broken = breaks, 0, 0

    def send(self, method, *arguments, **keywords):
        self.requests += 1
        how = self.breaks(method, self.requests)
        if how != "request":
            answer = super().send(method, *arguments, **keywords)
        if how:
            self.broken += 1
            raise ConnectionFailedError("the connection broke")
        return answer
