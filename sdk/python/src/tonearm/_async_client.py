"""The asynchronous client."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Optional

from . import types
from ._async_operations import AsyncOperations
from ._sources import UploadSource
from ._upload import Progress
from ._waiting import WAIT, OnTrackProgress, Waiting


class _Stopped(Exception):
    """Ends an upload whose coroutine was cancelled."""


class AsyncTonearm(AsyncOperations):
    """The client for `asyncio`: the same methods, as coroutines. Requests are made in threads of the loop's executor."""

    async def upload(self, source: UploadSource, **options: Any) -> types.CreateTrackResponse:
        """Creates a track and uploads its file. See `Tonearm.upload`."""
        return await self._uploaded(self.sync.upload, source, **options)  # type: ignore[no-any-return]

    async def upload_to_session(
        self, source: UploadSource, upload_session_id: str, **options: Any
    ) -> types.CreateUploadSessionTrackResponse:
        """Creates a track in an upload session and uploads its file. See `Tonearm.upload_to_session`."""
        return await self._uploaded(  # type: ignore[no-any-return]
            self.sync.upload_to_session, source, upload_session_id, **options
        )

    async def replace_source(
        self, source: UploadSource, track_id: str, **options: Any
    ) -> types.ReplaceTrackSourceResponse:
        """Uploads a new file of a track. See `Tonearm.replace_source`."""
        return await self._uploaded(  # type: ignore[no-any-return]
            self.sync.replace_source, source, track_id, **options
        )

    async def resume_upload(self, url: str, source: UploadSource, **options: Any) -> None:
        """Continues an upload. See `Tonearm.resume_upload`."""
        await self._uploaded(self.sync.resume_upload, url, source, **options)

    async def _uploaded(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        on_progress: Optional[Callable[[Progress], object]] = None,
        on_begun: Optional[Callable[[str, str], object]] = None,
        **keywords: Any,
    ) -> Any:
        """Callbacks are called in the loop. An upload that is cancelled ends after its piece."""
        loop = asyncio.get_running_loop()
        is_cancelled = False

        def progress(now: Progress) -> None:
            if is_cancelled:
                raise _Stopped
            if on_progress:
                loop.call_soon_threadsafe(on_progress, now)

        if on_begun:
            keywords["on_begun"] = lambda url, track_id: loop.call_soon_threadsafe(on_begun, url, track_id)
        try:
            return await self._run(work, *arguments, on_progress=progress, **keywords)
        except asyncio.CancelledError:
            is_cancelled = True
            raise

    async def wait_until_ready(
        self, track_id: str, *, timeout: float = WAIT, on_progress: Optional[OnTrackProgress] = None
    ) -> types.FullTrack:
        """Waits until a track can be played, and returns it. See `Tonearm.wait_until_ready`."""
        waiting = Waiting(track_id, timeout, on_progress)
        while not waiting.is_over(await self.read_track_progress(track_id)):
            await asyncio.sleep(waiting.pause())
        return (await self.read_track(track_id))["track"]

    async def upload_track_cover(self, track_id: str, image: bytes) -> None:
        """Uploads the cover of a track: JPEG, PNG, WebP or GIF."""
        await self._run(self.sync.upload_track_cover, track_id, image)

    async def upload_collection_cover(self, collection_id: str, image: bytes) -> None:
        """Uploads the cover of a collection."""
        await self._run(self.sync.upload_collection_cover, collection_id, image)

    def share_link(self, track_id: str, share_key: str) -> str:
        """The link that plays a track for everyone who has it, with a key of type `share`."""
        return self.sync.share_link(track_id, share_key)
