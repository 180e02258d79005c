"""What the tests have in common: the service that tools/sdk/test started, sounds, and connections that break."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import urllib.parse
import wave

from tonearm import ConnectionFailedError, Tonearm
from tonearm._transport import Answer


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


def broken_off(method, url, headers, body):
    """Sends half of a body, and then what cannot be the rest: the answer of the service to an upload that broke off."""
    parts = urllib.parse.urlsplit(url)
    half = body[: len(body) // 2]
    lines = {**headers, "Host": parts.netloc, "Transfer-Encoding": "chunked"}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(f"{method} {parts.path} HTTP/1.1\r\n{head}\r\n{len(half):x}\r\n".encode())
        connection.sendall(half + b"\r\nno number\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    status, _, rest = answer.partition(b"\r\n")
    return Answer(int(status.split()[1]), {}, rest.partition(b"\r\n\r\n")[2])


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
