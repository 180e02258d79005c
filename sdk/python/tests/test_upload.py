from __future__ import annotations

import asyncio
import io
import json
import tempfile
import unittest
import uuid
from pathlib import Path

from tonearm import AsyncTonearm, SourceError, Tonearm, UploadExpiredError

from .scene import API_KEY, COLLECTION, SERVER, Breaking, broken_off, client, has_source, sound


class Enough(Exception):
    pass


class Uploads(unittest.TestCase):
    def test_a_file_is_uploaded_from_its_path_and_the_track_becomes_ready(self):
        data = sound(2)
        progress, steps = [], []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "from a path.wav"
            path.write_bytes(data)
            created = client().upload(path, collection_id=COLLECTION, piece_bytes=10_000, on_progress=progress.append)
        self.assertEqual(created["track"]["file_name"], "from a path.wav")
        self.assertEqual(progress[0], (10_000, len(data)))
        self.assertEqual(progress[-1], (len(data), len(data)))
        track = client().wait_until_ready(created["track_id"], on_progress=lambda now: steps.append(now["percent"]))
        self.assertEqual((track["track_status_id"], round(track["duration"]), steps[-1]), ("ready", 2, 100))
        self.assertTrue(has_source(created["track_id"], data))

    def test_bytes_files_and_streams_are_uploaded(self):
        class Pipe:
            """A file that cannot go back."""

            def __init__(self, data):
                self.file = io.BytesIO(data)

            def read(self, size):
                return self.file.read(min(size, 999))

        def positioned(data):
            file = io.BytesIO(b"before" + data)
            file.seek(6)
            return file

        for made in (bytes, bytearray, io.BytesIO, positioned, Pipe, lambda data: iter([data[:7], b"", data[7:]])):
            data = sound()
            created = client().upload(made(data), collection_id=COLLECTION, file_name="a.wav", piece_bytes=5000)
            self.assertTrue(has_source(created["track_id"], data), made)

    def test_an_upload_goes_on_when_requests_and_answers_are_lost(self):
        def breaks(method, count):
            if method == "PATCH" and count % 4 == 0:
                return "answer"
            return "request" if count % 5 == 0 else None

        for made in (bytes, lambda data: iter([data])):
            data = sound(2)
            breaking = Breaking(breaks)
            created = breaking.upload(made(data), collection_id=COLLECTION, file_name="a.wav", piece_bytes=8000)
            self.assertGreaterEqual(breaking.broken, 2)
            self.assertTrue(has_source(created["track_id"], data))

    def test_an_upload_goes_on_when_a_piece_broke_off_before_the_service(self):
        refusals = []

        class BreaksOff(Tonearm):
            def send(self, method, url, headers, body=None, timeout=None):
                if method != "PATCH" or refusals:
                    return super().send(method, url, headers, body, timeout)
                refusals.append(broken_off(method, url, headers, body))
                return refusals[0]

        data = sound(2)
        created = BreaksOff(SERVER, API_KEY).upload(data, collection_id=COLLECTION, file_name="a.wav")
        self.assertEqual([json.loads(one.body)["code"] for one in refusals], ["upload_interrupted"])
        self.assertTrue(has_source(created["track_id"], data))

    def test_an_upload_is_continued_by_another_client(self):
        data, begun, sent = sound(2), [], []

        def stop(_):
            raise Enough

        with self.assertRaises(Enough):
            client().upload(
                data,
                collection_id=COLLECTION,
                file_name="a.wav",
                piece_bytes=9000,
                on_progress=stop,
                on_begun=lambda *what: begun.append(what),
            )
        [(url, track)] = begun
        with self.assertRaises(SourceError):
            client().resume_upload(url, sound(1))
        client().resume_upload(url, iter([data]), piece_bytes=9000, on_progress=lambda now: sent.append(now.sent))
        self.assertEqual(sent[0], 18_000, "what had arrived is not sent again")
        self.assertTrue(has_source(track, data))
        # It is complete: to continue it again does nothing.
        client().resume_upload(url, data)
        with self.assertRaises(UploadExpiredError):
            client().resume_upload(f"{url.rsplit('/', 1)[0]}/{uuid.uuid4()}", data)

    def test_sessions_need_no_key(self):
        session = client().create_upload_session(collection_id=COLLECTION)["upload_session_id"]
        data = sound()
        keyless = client(api_key=None)
        created = keyless.upload_to_session(data, session, file_name="memo.wav", metadata={"from": "a page"})
        self.assertEqual(created["upload_session_id"], session)
        self.assertTrue(has_source(created["track_id"], data))

    def test_the_file_of_a_track_is_replaced(self):
        tonearm = client()
        track = tonearm.upload(sound(), collection_id=COLLECTION, file_name="a.wav")["track_id"]
        tonearm.wait_until_ready(track)
        tonearm.replace_source(sound(2), track, file_name="b.wav")
        status = tonearm.read_track_source_replacement(track)["source_replacement"]["status"]
        self.assertIn(status, ["processing", "completed"])

    def test_what_cannot_be_uploaded_creates_nothing(self):
        tonearm = client()
        count = tonearm.list_tracks(COLLECTION)["count"]
        with self.assertRaises(SourceError):
            tonearm.upload(b"", collection_id=COLLECTION, file_name="a.wav")
        for empty in (iter([]), iter([b"", b""]), io.BytesIO(), io.StringIO()):
            with self.assertRaises(SourceError):
                tonearm.upload(empty, collection_id=COLLECTION, file_name="a.wav")
        for text in (iter(["text"]), io.StringIO("text"), iter([7])):
            with self.assertRaises(TypeError):
                tonearm.upload(text, collection_id=COLLECTION, file_name="a.wav")
        with self.assertRaises(SourceError):
            tonearm.upload("/nowhere/a.wav", collection_id=COLLECTION)
        with self.assertRaises(SourceError):
            tonearm.upload("/dev/null", collection_id=COLLECTION)
        with self.assertRaisesRegex(TypeError, "file_name is required"):
            tonearm.upload(sound(), collection_id=COLLECTION)
        self.assertEqual(tonearm.list_tracks(COLLECTION)["count"], count)

    def test_coroutines_do_the_same(self):
        async def story():
            tonearm = AsyncTonearm(SERVER, API_KEY)
            data, progress, begun = sound(), [], []
            created = await tonearm.upload(
                data,
                collection_id=COLLECTION,
                file_name="a.wav",
                piece_bytes=5000,
                on_progress=progress.append,
                on_begun=lambda url, track_id: begun.append(track_id),
            )
            self.assertEqual(begun, [created["track_id"]])
            track = await tonearm.wait_until_ready(created["track_id"])
            self.assertEqual(track["track_status_id"], "ready")
            self.assertEqual(progress[0], (5000, len(data)))
            found = [one["id"] async for one in tonearm.find_all_tracks(collection_id=COLLECTION, limit=2)]
            self.assertIn(created["track_id"], found)
            self.assertEqual(len(found), len(set(found)))

        asyncio.run(story())
