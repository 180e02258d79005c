"""Signs delivery URLs with a signing key of the organization. See docs/signed-urls.md."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import urllib.parse
from typing import Optional


def sign_url(
    delivery_url: str,
    path: str,
    *,
    secret: str,
    kid: Optional[str] = None,
    ttl: Optional[int] = None,
    attachment: Optional[str] = None,
    is_public: bool = False,
    issued: Optional[int] = None,
) -> str:
    """Signs the URL of a file. Keep the secret on your server.

    `path` is the path of a file, as playback data and webhooks have it, or a durable name. With `kid`, the id of the signing key,
    the URL is verified with this key only. `ttl` is for how many seconds the URL is valid (default: one hour); `attachment` makes
    the response a download with this file name; `is_public` lets shared caches keep it.
    """
    if ttl is not None and ttl <= 0:
        raise ValueError("ttl is a number of seconds above 0")
    parameters = []
    if attachment is not None:
        parameters.append("attachment=" + urllib.parse.quote(attachment, safe="-._~"))
    if is_public:
        parameters.append("cache=public")
    if ttl is not None:
        parameters.append(f"ttl={ttl:d}")
    if kid is not None:
        parameters.append(f"kid={kid}")
    path = path[1:] if path.startswith("/") else path
    signed = f"/{path}" + (f"?{'&'.join(parameters)}" if parameters else "")
    moment = str(int(time.time()) if issued is None else issued)
    mac = hmac.new(secret.encode(), (signed + moment).encode(), hashlib.sha256).digest()
    text = base64.urlsafe_b64encode(mac).decode().rstrip("=")
    return f"{delivery_url.rstrip('/')}{signed}{'&' if parameters else '?'}verify={moment}-{text}"
