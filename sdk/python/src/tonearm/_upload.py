"""Uploads by the tus protocol (https://tus.io/protocols/resumable-upload), which go on after every interruption from the last
byte that the service has. See docs/uploads.md.

Each piece is sent with its SHA-256, so that damaged bytes are never kept.
"""

from __future__ import annotations

import base64
import hashlib
import urllib.parse
from typing import Callable, NamedTuple, Optional, Tuple

from ._errors import ApiError, SourceError, TonearmError, UnexpectedAnswerError, UploadExpiredError
from ._sources import Source, UploadSource, open_source
from ._time import Attempts
from ._transport import Answer, Transport

PIECE_BYTES = 8 * 1024 * 1024

# The slowest connection, in bytes per second, whose pieces arrive in time.
_SLOWEST = 16 * 1024

# How often in a row the service may accept bytes without having more of them.
_MOST_IN_PLACE = 20

_TUS = {"Tus-Resumable": "1.0.0"}


class Progress(NamedTuple):
    """How far an upload is."""

    #: Bytes that the service has.
    sent: int
    #: Bytes of the whole file; `None` for a stream until its end.
    total: Optional[int]


class UploadOptions(NamedTuple):
    """How a file is uploaded."""

    on_progress: Optional[Callable[[Progress], object]] = None
    on_begun: Optional[Callable[[str, str], object]] = None
    piece_bytes: int = PIECE_BYTES


def upload(transport: Transport, upload_url: str, track_id: str, source: Source, options: UploadOptions) -> None:
    """Sends the file of a track to its upload URL."""
    url = _begin(transport, upload_url, source)
    if options.on_begun:
        options.on_begun(url, track_id)
    _Sending(transport, url, source, options).proceed(0)


def resume(transport: Transport, url: str, origin: UploadSource, options: UploadOptions) -> None:
    """Continues an upload."""
    source = open_source(origin)
    try:
        sending = _Sending(transport, url, source, options)
        offset, length = sending.state()
        if length is not None and source.size is not None and length != source.size:
            raise SourceError(f"the upload was begun with a file of {length} bytes, and this one has {source.size}")
        if offset != length:
            sending.proceed(offset)
    finally:
        source.close()


def _begin(transport: Transport, upload_url: str, source: Source) -> str:
    length = {"Upload-Defer-Length": "1"} if source.size is None else {"Upload-Length": str(source.size)}
    metadata = f"upload_url {base64.b64encode(upload_url.encode()).decode()}"
    headers = {**_TUS, **length, "Upload-Metadata": metadata}
    endpoint = f"{transport.server}/upload/tus"
    answer = transport.retried(lambda: transport.send("POST", endpoint, headers, b"").success())
    location = answer.headers.get("Location")
    if not location:
        raise UnexpectedAnswerError("the server does not say where to upload to")
    return urllib.parse.urljoin(f"{endpoint}/", location)


class _Sending:
    def __init__(self, transport: Transport, url: str, source: Source, options: UploadOptions) -> None:
        self.transport, self.url, self.source, self.options = transport, url, source, options

    def proceed(self, offset: int) -> None:
        """Sends what is missing."""
        attempts = Attempts(self.transport.retry_for)
        in_place = 0
        is_complete = False
        while not is_complete:
            before = offset
            try:
                piece, is_last = self.source.piece(offset, self.options.piece_bytes)
                if offset == 0 and not piece:
                    raise SourceError("the file is empty")
                offset = self.append(offset, piece, is_last)
                is_complete = offset == self.source.size
            except TonearmError as error:
                is_elsewhere = isinstance(error, ApiError) and error.status == 409
                # 460: the bytes were damaged on their way.
                is_damaged = isinstance(error, ApiError) and error.status == 460
                if not (error.is_temporary or is_elsewhere or is_damaged):
                    raise
                # A wrong offset is corrected at once; after anything else, the service gets some time.
                if error.is_temporary:
                    attempts.wait_after(error)
                offset, length = self.state()
                is_complete = offset == length
            if offset > before:
                attempts.got_on()
            in_place = 0 if offset > before else in_place + 1
            if in_place > _MOST_IN_PLACE:
                raise UnexpectedAnswerError("the server accepts bytes that it does not keep")
            if self.options.on_progress:
                self.options.on_progress(Progress(offset, self.source.size))

    def append(self, offset: int, piece: bytes, is_last: bool) -> int:
        digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
        headers = {
            **_TUS,
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Upload-Checksum": f"sha256 {digest}",
        }
        if is_last:
            headers["Upload-Length"] = str(offset + len(piece))
        timeout = self.transport.timeout + len(piece) / _SLOWEST
        answer = self.transport.send("PATCH", self.url, headers, piece, timeout)
        return _number(_checked(answer), "Upload-Offset")

    def state(self) -> Tuple[int, Optional[int]]:
        """Asks where the upload is, and how long the file is."""
        answer = self.transport.retried(lambda: _checked(self.transport.send("HEAD", self.url, _TUS)))
        length = _number(answer, "Upload-Length") if "Upload-Length" in answer.headers else None
        return _number(answer, "Upload-Offset"), length


def _checked(answer: Answer) -> Answer:
    if answer.status in (404, 410):
        raise UploadExpiredError("the upload has expired or was cancelled; begin another one")
    return answer.success()


def _number(answer: Answer, name: str) -> int:
    text = answer.headers.get(name, "")
    if not (text.isascii() and text.isdigit()):
        raise UnexpectedAnswerError(f"the server does not send the header {name}")
    return int(text)
