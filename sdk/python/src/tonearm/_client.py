"""The client."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional, TypeVar, cast

from . import types
from ._errors import SourceError
from ._operations import Operations
from ._sources import UploadSource, open_source
from ._transport import quote
from ._upload import PIECE_BYTES, Progress, UploadOptions, resume, upload
from ._waiting import WAIT, OnTrackProgress, Waiting

_Created = TypeVar("_Created")


class Tonearm(Operations):
    """A client of a Tonearm service. Every operation of the API is a method. The methods below combine several operations."""

    def upload(
        self,
        source: UploadSource,
        *,
        file_name: Optional[str] = None,
        on_progress: Optional[Callable[[Progress], object]] = None,
        on_begun: Optional[Callable[[str, str], object]] = None,
        piece_bytes: int = PIECE_BYTES,
        idempotency_key: Optional[str] = None,
        **track: Any,
    ) -> types.CreateTrackResponse:
        """Creates a track and uploads its file. After an interruption, the upload continues where it stopped. Once it is complete,
        the service processes the file: see `wait_until_ready`.

        `track` has the fields of `create_track`, such as `collection_id`. Without `file_name`, the track has the name of the file.
        `on_progress` is called after each piece. `on_begun` is called once, with the URL of the upload and the id of the track.
        Whoever has the URL can upload the file: pass it to `resume_upload`, and keep it secret.
        """
        options = UploadOptions(on_progress, on_begun, piece_bytes)
        return self._upload(
            source,
            file_name,
            options,
            lambda name: self.create_track(file_name=name, idempotency_key=idempotency_key, **track),
        )

    def upload_to_session(
        self,
        source: UploadSource,
        upload_session_id: str,
        *,
        file_name: Optional[str] = None,
        on_progress: Optional[Callable[[Progress], object]] = None,
        on_begun: Optional[Callable[[str, str], object]] = None,
        piece_bytes: int = PIECE_BYTES,
        idempotency_key: Optional[str] = None,
        **track: Any,
    ) -> types.CreateUploadSessionTrackResponse:
        """Creates a track in an upload session and uploads its file. This requires no API key: the id of the session permits it."""
        options = UploadOptions(on_progress, on_begun, piece_bytes)
        return self._upload(
            source,
            file_name,
            options,
            lambda name: self.create_upload_session_track(
                upload_session_id, file_name=name, idempotency_key=idempotency_key, **track
            ),
        )

    def replace_source(
        self,
        source: UploadSource,
        track_id: str,
        *,
        file_name: Optional[str] = None,
        on_progress: Optional[Callable[[Progress], object]] = None,
        on_begun: Optional[Callable[[str, str], object]] = None,
        piece_bytes: int = PIECE_BYTES,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplaceTrackSourceResponse:
        """Uploads a new source for a track. Players get the current files until all new ones are made."""
        options = UploadOptions(on_progress, on_begun, piece_bytes)
        return self._upload(
            source,
            file_name,
            options,
            lambda name: self.replace_track_source(track_id, file_name=name, idempotency_key=idempotency_key),
        )

    def resume_upload(
        self,
        url: str,
        source: UploadSource,
        *,
        on_progress: Optional[Callable[[Progress], object]] = None,
        piece_bytes: int = PIECE_BYTES,
    ) -> None:
        """Continues an upload, even in another process. `url` is the one that `on_begun` was called with; the file must be the same."""
        resume(self, url, source, UploadOptions(on_progress, None, piece_bytes))

    def _upload(
        self,
        origin: UploadSource,
        file_name: Optional[str],
        options: UploadOptions,
        create: Callable[[str], _Created],
    ) -> _Created:
        source = open_source(origin)
        try:
            name = file_name or source.name
            if not name:
                raise TypeError("file_name is required for a source that has no name")
            # Before anything is created.
            if not source.piece(0, 1)[0]:
                raise SourceError("the file is empty")
            created = create(name)
            fields = cast(Any, created)
            upload(self, fields["track_upload"]["upload_url"], fields["track_id"], source, options)
            return created
        finally:
            source.close()

    def wait_until_ready(
        self, track_id: str, *, timeout: float = WAIT, on_progress: Optional[OnTrackProgress] = None
    ) -> types.FullTrack:
        """Waits until a track can be played, and returns it. Its status is then `ready`, or `incomplete` if some variants failed.

        Raises a `TrackFailedError` with the reason if no variant can be played, and a `TimedOutError` after `timeout` seconds.
        """
        waiting = Waiting(track_id, timeout, on_progress)
        while not waiting.is_over(self.read_track_progress(track_id)):
            time.sleep(waiting.pause())
        return self.read_track(track_id)["track"]

    def upload_track_cover(self, track_id: str, image: bytes) -> None:
        """Uploads the cover of a track: JPEG, PNG, WebP or GIF."""
        self._send_cover(self.renew_track_cover_upload(track_id)["track_cover_upload"], image)

    def upload_collection_cover(self, collection_id: str, image: bytes) -> None:
        """Uploads the cover of a collection."""
        self._send_cover(self.renew_collection_cover_upload(collection_id)["collection_cover_upload"], image)

    def _send_cover(self, to: types.UploadDescriptor, image: bytes) -> None:
        headers = {"Content-Type": "application/octet-stream"}
        self.retried(lambda: self.send(to["method"], to["upload_url"], headers, image).success())

    def share_link(self, track_id: str, share_key: str) -> str:
        """Returns a link that plays a track. `share_key` is a key of type `share`; everybody who has the link can listen."""
        return f"{self.server}/v1/stream/{quote(track_id)}/{quote(share_key)}"
