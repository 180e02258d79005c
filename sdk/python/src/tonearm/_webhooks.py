"""Webhooks: whether a request comes from the service. See docs/webhooks.md."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import List, Mapping, Optional, Sequence, Union, cast

from . import types
from ._errors import SignatureError

_TOLERANCE = 300.0


def verify_webhook(
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: Union[bytes, str],
    *,
    tolerance: float = _TOLERANCE,
    now: Optional[float] = None,
) -> types.WebhookEvent:
    """Checks the signature and the time of a request, and returns the event that it carries. Its field `event` says which one it is.

    `secret` is that of the webhook, `whsec_…`; several while you replace one. `body` is the body as it was received, before
    anything parsed it. Raises a `SignatureError` if the request does not come from the service, or is off by more than
    `tolerance` seconds.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id"), given.get("webhook-timestamp")
    signatures = given.get("webhook-signature")
    if not (message_id and timestamp and signatures):
        raise SignatureError("the request has no signature")
    is_time = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    if not is_time or abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise SignatureError("the request was sent long ago, or the clock is wrong")
    try:
        sent = body.encode() if isinstance(body, str) else body
        signed = f"{message_id}.{timestamp}.".encode() + sent
        given_signatures = signatures.encode().split()
    except UnicodeEncodeError:
        # Servers turn bytes that are not UTF-8 into surrogates.
        raise SignatureError("the signature does not match: the request is not UTF-8") from None
    for one in [secret] if isinstance(secret, str) else secret:
        if _is_signed(one, signed, given_signatures):
            return _parsed(sent)
    raise SignatureError("the signature does not match; is the secret the one of this webhook?")


def _is_signed(secret: str, signed: bytes, signatures: List[bytes]) -> bool:
    encoded = secret[len("whsec_"):] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret of a webhook is `whsec_` and base64")
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    expected = b"v1," + mac
    return any(hmac.compare_digest(expected, one) for one in signatures)


def _parsed(body: bytes) -> types.WebhookEvent:
    try:
        event = json.loads(body)
    except ValueError as error:
        raise SignatureError("the body is signed, but it is not JSON") from error
    if not isinstance(event, dict):
        raise SignatureError("the body is signed, but it is not an event")
    return cast(types.WebhookEvent, event)
