from __future__ import annotations

import base64
import json
import random
import socket
import threading
import unittest
import urllib.error
import urllib.request

from tonearm import (
    AuthenticationError,
    ConnectionFailedError,
    InvalidRequestError,
    NotFoundError,
    RateLimitError,
    TimedOutError,
    Tonearm,
    TrackFailedError,
)

from tonearm._transport import Answer

from .scene import API_KEY, COLLECTION, SERVER, Breaking, client, sound

NOWHERE = "018f0000-0000-7000-8000-000000000001"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Client(unittest.TestCase):
    def test_errors_have_the_sentence_the_code_and_the_field_of_the_service(self):
        with self.assertRaises(NotFoundError) as missing:
            client().read_track(NOWHERE)
        self.assertEqual((missing.exception.code, missing.exception.status), ("track_not_found", 404))
        self.assertEqual(len(missing.exception.request_id), 36)
        request = urllib.request.Request(f"{SERVER}/v1/track/{NOWHERE}", headers={"Authorization": f"Bearer {API_KEY}"})
        with self.assertRaises(urllib.error.HTTPError) as raw, urllib.request.urlopen(request, timeout=60):
            pass
        with raw.exception as answer:
            self.assertEqual(str(missing.exception), json.load(answer)["message"])
        with self.assertRaises(InvalidRequestError) as invalid:
            client().create_play_session("collection", collection_id=COLLECTION, expires_in=5)
        self.assertEqual(invalid.exception.field, "expires_in")
        with self.assertRaises(AuthenticationError):
            client(api_key="wrong").read_quota()

    def test_options_that_make_no_sense_are_refused_and_secrets_are_not_shown(self):
        for server, key in [("ftp://example.com", None), ("https://me:pw@example.com", None), (SERVER, "two words"), (SERVER, "")]:
            with self.assertRaises(ValueError):
                Tonearm(server, key)
        self.assertNotIn(API_KEY, repr(client()))

    def test_null_is_not_the_same_as_nothing(self):
        tonearm = client()
        track = tonearm.create_track(collection_id=COLLECTION, file_name="a.wav", player_title="A", organization_index="b")
        changed = tonearm.update_track(track["track_id"], player_title=None)
        self.assertIsNone(changed["track"]["player_title"])
        self.assertEqual(tonearm.read_track(track["track_id"])["track"]["organization_index"], "b")

    def test_lists_are_read_page_by_page(self):
        tonearm = client()
        made = {tonearm.create_collection(title=f"Page {at}")["collection_id"] for at in range(5)}
        found = [one["id"] for one in tonearm.list_all_collections(limit=2)]
        self.assertEqual(len(found), len(set(found)))
        self.assertLessEqual(made, set(found))
        variants = sorted(one["index"] for one in tonearm.list_all_variants(limit=2))
        self.assertEqual(variants, ["hq", "levels", "lq", "original", "preview"])
        self.assertEqual(list(tonearm.find_all_tracks(query="surely no track has these words")), [])

    def test_a_request_whose_answer_is_lost_has_one_effect(self):
        breaking = Breaking(lambda method, count: "answer" if method == "POST" and count == 1 else None)
        index = f"once {random.random()}"
        created = breaking.create_track(collection_id=COLLECTION, file_name="a.wav", organization_index=index)
        self.assertEqual(breaking.requests, 2)
        found = client().find_tracks(organization_index=index)["tracks"]
        self.assertEqual([one["id"] for one in found], [created["track_id"]])

    def test_a_deletion_whose_answer_is_lost_is_a_success(self):
        class BehindProxy(Breaking):
            """What a proxy says if the answer does not reach it."""

            def send(self, *arguments, **keywords):
                try:
                    return super().send(*arguments, **keywords)
                except ConnectionFailedError:
                    return Answer(502, {}, b"<html>")

        for kind in (Breaking, BehindProxy):
            breaking = kind(lambda method, count: "answer" if method == "DELETE" and count == 1 else None)
            track = client().create_track(collection_id=COLLECTION, file_name="a.wav")["track_id"]
            self.assertTrue(breaking.delete_track(track)["ok"])
            self.assertEqual(breaking.requests, 2)
            with self.assertRaises(NotFoundError):
                client().read_track(track)
        with self.assertRaises(NotFoundError):
            client().delete_track(NOWHERE)

        class Busy(Breaking):
            """The first request is refused before it has an effect."""

            def send(self, *arguments, **keywords):
                answer = super().send(*arguments, **keywords)
                return Answer(429, {}, b"{}") if self.requests == 1 else answer

        with self.assertRaises(NotFoundError):
            Busy(lambda method, count: None).delete_track(NOWHERE)

    def test_what_keeps_failing_is_given_up(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with self.assertRaises(ConnectionFailedError):
                Tonearm(url, retry_for=0).read_quota()
            silent.listen()
            with self.assertRaises(TimedOutError):
                Tonearm(url, timeout=0.2, retry_for=0).read_quota()

    def test_the_pause_that_the_service_asks_for_is_kept_or_given_up_at_once(self):
        class Busy(Tonearm):
            """The first request is refused, all others are not."""

            def __init__(self, status, after, **options):
                super().__init__(SERVER, API_KEY, **options)
                self.refusal, self.requests = Answer(status, {"Retry-After": after}, b"{}"), 0

            def send(self, *_, **__):
                self.requests += 1
                return self.refusal if self.requests == 1 else Answer(200, {}, b'{"ok": true}')

        # A date is what proxies say; one that is over asks for no pause.
        self.assertEqual(Busy(503, "Thu, 01 Jan 1970 00:00:00 GMT").read_quota(), {"ok": True})
        for after, expected in [("7", 7.0), ("soon", None), ("-1", None), ("soon GMT", None)]:
            with self.subTest(after=after), self.assertRaises(RateLimitError) as refused:
                Busy(429, after, retry_for=0).read_quota()
            self.assertEqual(refused.exception.retry_after, expected)
        impatient = Busy(429, "3600")
        with self.assertRaises(RateLimitError):
            impatient.read_quota()
        self.assertEqual(impatient.requests, 1)

    def test_answers_that_break_off_are_asked_for_again(self):
        body = b'{"ok": true}'
        heads = {
            "length": b"Content-Length: %d\r\n\r\n" % len(body),
            "chunks": b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body),
        }
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            listening.settimeout(10)

            def answers(status, head):
                for sent in (body[:5], body + b"\r\n0\r\n\r\n" * (head == "chunks")):
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(b"HTTP/1.1 %d Said\r\n%s%s" % (status, heads[head], sent))
                    status = 200

            tonearm = Tonearm(f"http://127.0.0.1:{listening.getsockname()[1]}", API_KEY)
            for status, head in [(200, "length"), (200, "chunks"), (404, "length"), (404, "chunks")]:
                with self.subTest(status=status, head=head):
                    answering = threading.Thread(target=answers, args=(status, head), daemon=True)
                    answering.start()
                    self.assertEqual(tonearm.read_quota(), {"ok": True})
                    answering.join()

    def test_redirects_are_not_followed(self):
        import http.server

        class Elsewhere(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302)
                self.send_header("Location", f"{SERVER}{self.path}")
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with self.assertRaisesRegex(Exception, "responded with 302"):
                Tonearm(f"http://127.0.0.1:{server.server_port}", API_KEY).read_quota()
            server.shutdown()

    def test_waiting_ends_with_the_reason_when_a_track_fails_and_in_time(self):
        tonearm = client()
        track = tonearm.upload(b"this is no sound", collection_id=COLLECTION, file_name="text.mp3")["track_id"]
        with self.assertRaises(TrackFailedError) as failed:
            tonearm.wait_until_ready(track)
        record = tonearm.read_track(track)["track"]
        self.assertEqual((str(failed.exception), failed.exception.status), (record["status_reason"], record["track_status_id"]))
        waiting = tonearm.create_track(collection_id=COLLECTION, file_name="never.wav")["track_id"]
        with self.assertRaises(TimedOutError):
            tonearm.wait_until_ready(waiting, timeout=0.1)

    def test_a_session_plays_and_a_share_link_too(self):
        tonearm = client()
        track = tonearm.upload(sound(), collection_id=COLLECTION, file_name="played.wav")["track_id"]
        tonearm.wait_until_ready(track)
        session = tonearm.create_play_session("track", track_id=track)
        [file] = [one for one in session["first_track"]["variants"] if one["variant"]["index"] == "hq"]
        with urllib.request.urlopen(file["url"], timeout=60) as response:
            self.assertEqual(response.status, 200)
        played = client(api_key=None).play_track(session["play_session_id"], track)
        self.assertEqual(played["track"]["player_title"], "played")
        key = tonearm.create_api_key(title="A link", api_key_type_id="share", variants=["lq"])["api_key"]
        with urllib.request.urlopen(tonearm.share_link(track, key), timeout=60) as response:
            self.assertEqual(response.headers["Content-Type"], "audio/mpeg")

    def test_covers_are_uploaded(self):
        tonearm = client()
        track = tonearm.create_track(collection_id=COLLECTION, file_name="covered.wav")["track_id"]
        tonearm.upload_track_cover(track, PIXEL)
        tonearm.upload_collection_cover(COLLECTION, PIXEL)
        with self.assertRaises(InvalidRequestError):
            tonearm.upload_track_cover(track, b"no picture")
        # The second request is the one with the picture.
        for lost in ("request", "answer"):
            breaking = Breaking(lambda method, count, lost=lost: lost if count == 2 else None)
            breaking.upload_track_cover(track, PIXEL)
            self.assertEqual((breaking.requests, breaking.broken), (3, 1), lost)
