"""Coroutines that do their work in threads: the client is written once."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Callable, TypeVar

from ._client import Tonearm

_T = TypeVar("_T")


class Threads:
    """Runs the methods of a client in threads."""

    def __init__(self, server: str, api_key: Any = None, *, timeout: float = 120.0, retry_for: float = 60.0) -> None:
        """A client of the service at `server`. See `Tonearm`."""
        #: The client that does the work.
        self.sync = Tonearm(server, api_key, timeout=timeout, retry_for=retry_for)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.sync.server!r})"

    async def _run(self, work: Callable[..., _T], *arguments: Any, **keywords: Any) -> _T:
        """A coroutine that is cancelled ends at once; its request ends by itself, at its timeout at the latest."""
        return await asyncio.to_thread(work, *arguments, **keywords)

    async def _pages(
        self, read: Callable[..., Any], field: str, by: str, *arguments: object, **keywords: object
    ) -> AsyncIterator[Any]:
        """Reads a list page by page."""
        if by == "cursor":
            cursor: Any = ""
            while cursor is not None:
                page = await self._run(read, *arguments, **keywords, cursor=cursor)
                for row in page[field]:
                    yield row
                cursor = page.get("next_cursor")
            return
        offset = 0
        while True:
            page = await self._run(read, *arguments, **keywords, offset=offset)
            for row in page[field]:
                yield row
            offset += len(page[field])
            if not page[field] or offset >= page["count"]:
                return
