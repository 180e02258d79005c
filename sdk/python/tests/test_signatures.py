from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from tonearm import SignatureError, sign_url, verify_webhook

from .scene import COLLECTION, SERVER, client, sound

VECTORS = Path(__file__).resolve().parents[3] / "crates/signing/tests/vectors.json"
SECRET = "whsec_" + base64.b64encode(b"a secret of a webhook").decode()
NOW = 1_893_456_000
BODY = b'{"event": "webhook.test"}'


def signed(body=BODY):
    key = base64.b64decode(SECRET[6:])
    mac = base64.b64encode(hmac.digest(key, f"msg_1.{NOW}.".encode() + body, hashlib.sha256)).decode()
    return {"webhook-id": "msg_1", "webhook-timestamp": str(NOW), "webhook-signature": f"v1,{mac}"}


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.received = (self.headers, self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Signatures(unittest.TestCase):
    def test_events_are_verified(self):
        headers = signed()
        self.assertEqual(verify_webhook(SECRET, headers, BODY, now=NOW), {"event": "webhook.test"})
        capitals = {name.title(): value for name, value in headers.items()}
        self.assertTrue(verify_webhook(SECRET, capitals, BODY.decode(), now=NOW + 299))
        # While a secret is replaced, two sign.
        other = "whsec_b3RoZXI="
        both = {**headers, "webhook-signature": f"v1,AAAA {headers['webhook-signature']}"}
        self.assertTrue(verify_webhook([other, SECRET], both, BODY, now=NOW))
        for secret, given, body, now in [
            (SECRET, headers, BODY + b" ", NOW),
            (SECRET, {**headers, "webhook-id": "msg_2"}, BODY, NOW),
            (SECRET, {**headers, "webhook-timestamp": str(NOW + 1)}, BODY, NOW),
            (SECRET, {**headers, "webhook-timestamp": "soon"}, BODY, NOW),
            (SECRET, {**headers, "webhook-signature": "v2,AAAA v1,!"}, BODY, NOW),
            # What servers make of bytes that are not UTF-8.
            (SECRET, {**headers, "webhook-signature": "v1,\udce4"}, BODY, NOW),
            (SECRET, {**headers, "webhook-id": "msg_\udce4"}, BODY, NOW),
            (SECRET, headers, BODY.decode() + "\udce4", NOW),
            (SECRET, {}, BODY, NOW),
            (other, headers, BODY, NOW),
            (SECRET, headers, BODY, NOW + 301),
            (SECRET, headers, BODY, NOW - 301),
        ]:
            with self.subTest(given=given, now=now), self.assertRaises(SignatureError):
                verify_webhook(secret, given, body, now=now)
        with self.assertRaises(ValueError):
            verify_webhook("whsec_", headers, BODY, now=NOW)

    def test_an_event_of_the_service_is_verified(self):
        tonearm = client()
        with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
            receiver.timeout = 60
            created = tonearm.create_webhook(kind="file", url=f"http://127.0.0.1:{receiver.server_port}/hook")
            try:
                receiving = threading.Thread(target=receiver.handle_request)
                receiving.start()
                tonearm.test_webhook(created["webhook_id"])
                receiving.join()
            finally:
                tonearm.delete_webhook(created["webhook_id"])
            headers, body = receiver.received
        self.assertEqual(verify_webhook(created["secret"], headers, body)["event"], "webhook.test")

    def test_urls_are_signed_like_those_of_the_test_vectors(self):
        delivered = [one for one in json.loads(VECTORS.read_text())["urls"] if one["purpose"] != "upload"]
        self.assertGreaterEqual(len(delivered), 7)
        for one in delivered:
            path, _, query = one["signed_part"].partition("?")
            given = {name: values[0] for name, values in urllib.parse.parse_qs(query.replace("+", "%2B")).items()}
            made = sign_url(
                "https://audio.example.com/",
                path,
                secret=one["key"],
                kid=given.get("kid"),
                ttl=int(given["ttl"]) if "ttl" in given else None,
                attachment=given.get("attachment"),
                is_public="cache" in given,
                issued=one["issued"],
            )
            self.assertEqual(made, f"https://audio.example.com{one['url']}")

    def test_the_service_accepts_urls_that_are_signed_with_a_signing_key(self):
        tonearm = client()
        created = tonearm.upload(sound(), collection_id=COLLECTION, file_name="signed.wav")
        tonearm.wait_until_ready(created["track_id"])
        key = tonearm.create_signing_key(title="SDK")
        path = f"{created['track']['base_path']}_hq.mp3"
        url = sign_url(
            SERVER, path, secret=key["secret"], kid=key["signing_key_id"], ttl=60, attachment="Größe (1).mp3"
        )
        with urllib.request.urlopen(url, timeout=60) as response:
            self.assertTrue(response.headers["Content-Disposition"].startswith("attachment"))
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(sign_url(SERVER, path, secret="wrong"), timeout=60).close()
        refused.exception.close()
        self.assertEqual(refused.exception.code, 401)
