"""What can go wrong. The messages are sentences for people; those of the service come from it, word for word."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Dict, Mapping, Optional, Type

_LONGEST_MESSAGE = 500

# Statuses after which the same request may succeed.
_TEMPORARY = frozenset([408, 423, 425, 429, 500, 502, 503, 504, 507])

# The body of an upload broke off on its way, as when a proxy loses its client.
_INTERRUPTED = "upload_interrupted"


class TonearmError(Exception):
    """The base class of all errors that this package raises about a service."""

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return False


class ApiError(TonearmError):
    """The service refused the request or could not carry it out."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str = "",
        field: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        # The HTTP status.
        self.status = status
        # A sentence for people.
        self.message = message
        # A stable code for programs; empty if the answer is not one of Tonearm.
        self.code = code
        # The field or parameter at fault.
        self.field = field
        # Identifies the request in the log of the service.
        self.request_id = request_id
        # How many seconds to wait before another attempt, if the service says so.
        self.retry_after = retry_after

    @property
    def is_temporary(self) -> bool:
        # 409 with a time: the first request with this Idempotency-Key is still in progress.
        is_in_progress = self.status == 409 and self.retry_after is not None
        return self.status in _TEMPORARY or is_in_progress or self.code == _INTERRUPTED


class InvalidRequestError(ApiError):
    """400: the body or a parameter is invalid; `field` names it."""


class AuthenticationError(ApiError):
    """401: the key, session or signature is missing, unknown, revoked or expired."""


class PermissionDeniedError(ApiError):
    """403: the credential does not permit this, or a quota is reached."""


class NotFoundError(ApiError):
    """404: there is no such resource, or the key has no access to it."""


class ConflictError(ApiError):
    """409: a conflict with the current state."""


class TooLargeError(ApiError):
    """413: the body is larger than the limit."""


class UnprocessableError(ApiError):
    """422: the request cannot be applied to this resource."""


class RateLimitError(ApiError):
    """429: too many requests."""


class UnavailableError(ApiError):
    """5xx: the service, or something that it needs, is unavailable."""


class ConnectionFailedError(TonearmError):
    """The service gave no answer."""

    @property
    def is_temporary(self) -> bool:
        return True


class TimedOutError(TonearmError):
    """A request took too long, or something did not happen in time."""

    @property
    def is_temporary(self) -> bool:
        return True


class UnexpectedAnswerError(TonearmError):
    """The answer is not one that Tonearm gives."""


class SourceError(TonearmError):
    """The file to upload cannot be read, is empty, or is not the one whose upload was begun."""


class UploadExpiredError(TonearmError):
    """The upload has expired or was cancelled; begin another one."""


class TrackFailedError(TonearmError):
    """A track could not be processed. The message is the reason that the service gives."""

    def __init__(self, track_id: str, status: str, reason: Optional[str]) -> None:
        super().__init__(reason or f"the track has the status {status}")
        self.track_id = track_id
        self.status = status


class SignatureError(TonearmError):
    """The webhook was not sent by Tonearm, or was sent too long ago."""


_CLASSES: Dict[int, Type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: TooLargeError,
    422: UnprocessableError,
    429: RateLimitError,
}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """Reads an answer that is not a success. It may come from a proxy."""
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    said = parsed if isinstance(parsed, dict) else {}
    message = said.get("message")
    code, field = said.get("code"), said.get("field")
    fallback = UnavailableError if status >= 500 else ApiError
    return _CLASSES.get(status, fallback)(
        status,
        _printable(message if isinstance(message, str) else f"the server responded with {status}"),
        code=code if isinstance(code, str) else "",
        field=field if isinstance(field, str) else None,
        request_id=said.get("api_request_id") or headers.get("X-Request-Id"),
        retry_after=_pause(headers.get("Retry-After", "")),
    )


def _pause(text: str) -> Optional[float]:
    """Seconds until the time that `Retry-After` names, as seconds or, from a proxy, as a date."""
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return float(text)
    date = email.utils.parsedate_tz(text) if text.endswith(" GMT") else None
    return None if date is None else max(email.utils.mktime_tz(date) - time.time(), 0.0)


def _printable(text: str) -> str:
    """Text from elsewhere, fit for a log."""
    return "".join(character for character in text if character.isprintable()).strip()[:_LONGEST_MESSAGE]
