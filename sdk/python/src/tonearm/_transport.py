"""Requests with a key, repeated where that may help."""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Dict, Iterator, Mapping, NamedTuple, Optional

from ._errors import (
    ApiError,
    ConnectionFailedError,
    NotFoundError,
    TimedOutError,
    TonearmError,
    UnexpectedAnswerError,
    error_of,
)
from ._time import Attempts

_CHUNK = 256 * 1024
# More than any answer has.
_LARGEST_ANSWER = 256 * 1024 * 1024


class NotGiven:
    """Stands for a field that is left out; `None` stands for null."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


class Answer(NamedTuple):
    """A response with its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def success(self) -> Answer:
        """The answer if it is a success; else what it says is raised."""
        if 200 <= self.status < 300:
            return self
        raise error_of(self.status, self.headers, self.body)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The service redirects no request; whoever does may not be it, and gets no credentials."""

    def redirect_request(self, *_: Any) -> None:
        return None


def quote(text: str) -> str:
    """A part of a path."""
    return urllib.parse.quote(text, safe="")


class Transport:
    """Sends requests to one service. Can be used by several threads at once."""

    def __init__(
        self,
        server: str,
        api_key: Optional[str] = None,
        *,
        timeout: float = 120.0,
        retry_for: float = 60.0,
    ) -> None:
        """A client of the service at `server`, such as `https://audio.example.com`.

        `timeout` is how many seconds one request may take, and `retry_for` after how many seconds something that keeps failing is
        given up; 0 is for no second attempt.
        """
        parts = urllib.parse.urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("server must be an http or https URL without credentials, such as https://audio.example.com")
        if api_key is not None and not (api_key and all("!" <= character <= "~" for character in api_key)):
            raise ValueError("api_key is not valid; it has letters, digits and _")
        self.server = server.rstrip("/")
        self.timeout = timeout
        self.retry_for = retry_for
        self._api_key = api_key
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.server!r})"

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, object]] = None,
        idempotency_key: Optional[str] = None,
        needs_key: bool = True,
        is_text: bool = False,
    ) -> Any:
        """Sends a request to a path of the service, and repeats it while that may help."""
        headers = {"Accept": "*/*" if is_text else "application/json"}
        if needs_key and self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            given = {name: value for name, value in body.items() if not isinstance(value, NotGiven)}
            sent = json.dumps(given).encode()
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or secrets.token_hex(16)
        url = self.server + path + _written(query or {})
        may_have_effect = False

        def attempt() -> Answer:
            nonlocal may_have_effect
            try:
                return self.send(method, url, headers, sent).success()
            except NotFoundError as error:
                if not (method == "DELETE" and may_have_effect and error.code):
                    raise
                # An earlier attempt has deleted it, and its answer was lost.
                return Answer(200, {}, json.dumps({"ok": True, "api_request_id": error.request_id}).encode())
            except TonearmError as error:
                may_have_effect = may_have_effect or _leaves_open(error)
                raise

        answer = self.retried(attempt)
        return answer.body.decode("utf-8", "replace") if is_text else _parsed(answer.body)

    def _pages(
        self, read: Callable[..., Any], field: str, by: str, *arguments: object, **keywords: object
    ) -> Iterator[Any]:
        """Reads a list page by page."""
        if by == "cursor":
            cursor: Optional[str] = ""
            while cursor is not None:
                page = read(*arguments, **keywords, cursor=cursor)
                yield from page[field]
                cursor = page.get("next_cursor")
            return
        offset = 0
        while True:
            page = read(*arguments, **keywords, offset=offset)
            rows = page[field]
            yield from rows
            offset += len(rows)
            if not rows or offset >= page["count"]:
                return

    def retried(self, work: Callable[[], Answer]) -> Answer:
        """Repeats what fails while that may help."""
        attempts = Attempts(self.retry_for)
        while True:
            try:
                return work()
            except TonearmError as error:
                attempts.wait_after(error)

    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Optional[bytes] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """Sends one request and reads the answer, whatever its status is."""
        seconds = self.timeout if timeout is None else timeout
        request = urllib.request.Request(url, body, dict(headers), method=method)
        # The URL may be a credential, so messages have only the host.
        host = urllib.parse.urlsplit(url).netloc
        late = TimedOutError(f"{host} did not respond within {seconds:g} seconds")
        end = time.monotonic() + seconds
        try:
            try:
                response = self._opener.open(request, timeout=seconds)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                chunks = []
                size = 0
                while True:
                    chunk = response.read(_CHUNK)
                    if not chunk:
                        break
                    size += len(chunk)
                    if time.monotonic() > end:
                        raise late
                    if size > _LARGEST_ANSWER:
                        raise UnexpectedAnswerError("the response is too large")
                    chunks.append(chunk)
                # Reading piece by piece, the standard library takes an early end for the end.
                if response.length:
                    raise ConnectionFailedError(f"the answer of {host} broke off")
                return Answer(response.status, response.headers, b"".join(chunks))
        except socket.timeout as error:
            raise late from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.timeout):
                raise late from error
            raise ConnectionFailedError(f"{host} cannot be reached: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailedError(f"the connection to {host} failed: {error}") from error


def _leaves_open(error: TonearmError) -> bool:
    """Whether the request may have had its effect all the same. Proxies answer with 5xx, too, if an answer does not reach them."""
    return not isinstance(error, ApiError) or error.status >= 500


def _written(query: Mapping[str, object]) -> str:
    given: Dict[str, str] = {}
    for name, value in query.items():
        if isinstance(value, bool):
            given[name] = "true" if value else "false"
        elif value is not None:
            given[name] = str(value)
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise UnexpectedAnswerError("the server does not respond as a Tonearm service does") from error


__all__ = ["NOT_GIVEN", "Answer", "NotGiven", "Transport", "quote"]
