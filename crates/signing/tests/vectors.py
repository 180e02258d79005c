"""Checks vectors.json with nothing but Python's standard library, as somebody else's verifier would."""

import base64
import hashlib
import hmac
import json
import pathlib


def hkdf_sha256(secret: bytes, info: bytes) -> bytes:
    """RFC 5869 with an empty salt, for 32 bytes of output."""
    extracted = hmac.new(bytes(32), secret, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def sign(vector: dict, secret: str) -> tuple[str, str]:
    info = f"tonearm/v1/{vector['purpose']}/{vector['organization']}"
    if "kid" in vector:
        info = f"tonearm/v1/signing-key/{vector['organization']}/{vector['kid']}"
    key = hkdf_sha256(secret.encode(), info.encode()).hex()
    message = vector["signed_part"] + str(vector["issued"])
    mac = hmac.new(key.encode(), message.encode(), hashlib.sha256).digest()
    text = base64.urlsafe_b64encode(mac).decode().rstrip("=")
    mark = "&" if "?" in vector["signed_part"] else "?"
    return key, f"{vector['signed_part']}{mark}verify={vector['issued']}-{text}"


if __name__ == "__main__":
    vectors = json.loads(pathlib.Path(__file__).with_name("vectors.json").read_text())
    for vector in vectors["urls"]:
        key, url = sign(vector, vectors["secret"])
        assert key == vector["key"], vector["what"]
        assert url == vector["url"], vector["what"]
    print(f"{len(vectors['urls'])} vectors hold")
