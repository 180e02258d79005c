"""Client of Tonearm, the audio delivery service."""

from . import types
from ._async_client import AsyncTonearm
from ._client import Tonearm
from ._errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    SignatureError,
    SourceError,
    TimedOutError,
    TonearmError,
    TooLargeError,
    TrackFailedError,
    UnavailableError,
    UnexpectedAnswerError,
    UnprocessableError,
    UploadExpiredError,
)
from ._signing import sign_url
from ._sources import UploadSource
from ._upload import Progress
from ._webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncTonearm",
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "Progress",
    "RateLimitError",
    "SignatureError",
    "SourceError",
    "TimedOutError",
    "Tonearm",
    "TonearmError",
    "TooLargeError",
    "TrackFailedError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "UnprocessableError",
    "UploadExpiredError",
    "UploadSource",
    "sign_url",
    "types",
    "verify_webhook",
]
