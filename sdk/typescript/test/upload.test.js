import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { test } from "node:test";

import { SourceError, UploadExpiredError } from "../src/index.js";
import { breaking, brokenOff, client, collection, file, hasSource, sound } from "./scene.js";

test("a file is uploaded from its path, and the track becomes ready", async (context) => {
  const bytes = sound(2);
  const path = await file(context, "from a path.wav", bytes);
  const progress = [];
  const tonearm = client();
  const created = await tonearm.upload(path, { collection_id: collection }, {
    pieceBytes: 10_000,
    onProgress: (now) => progress.push(now),
  });
  assert.equal(created.track.file_name, "from a path.wav");
  assert.deepEqual(progress[0], { sent: 10_000, total: bytes.length });
  assert.deepEqual(progress.at(-1), { sent: bytes.length, total: bytes.length });
  const steps = [];
  const track = await tonearm.waitUntilReady(created.track_id, { onProgress: (now) => steps.push(now.percent) });
  assert.equal(track.track_status_id, "ready");
  assert.equal(Math.round(track.duration), 2);
  assert.equal(steps.at(-1), 100);
  assert.ok(await hasSource(created.track_id, bytes));
});

test("blobs, bytes and streams are uploaded", async (context) => {
  const tonearm = client();
  const path = await file(context, "streamed.wav", sound(1));
  const sources = [
    [(bytes) => new Blob([bytes]), sound(1)],
    [(bytes) => new Uint8Array(bytes), sound(1)],
    [(bytes) => new Blob([bytes]).stream(), sound(1)],
    [(bytes) => (async function* () { yield bytes.subarray(0, 7); yield bytes.subarray(7); })(), sound(1)],
  ];
  for (const [made, bytes] of sources) {
    const created = await tonearm.upload(made(bytes), { collection_id: collection, file_name: "a.wav" }, { pieceBytes: 5000 });
    assert.ok(await hasSource(created.track_id, bytes));
  }
  const total = [];
  await tonearm.upload(createReadStream(path), { collection_id: collection, file_name: "b.wav" }, {
    onProgress: (now) => total.push(now.total),
  });
  assert.deepEqual(total, [16_044], "at its end, the length of a stream is known");
});

test("an upload goes on when requests and answers are lost", async () => {
  for (const source of [(bytes) => bytes, (bytes) => new Blob([bytes]).stream()]) {
    const bytes = sound(2);
    const { fetch, seen } = breaking((method, _, count) => {
      if (method === "PATCH" && count % 4 === 0) return "answer";
      return count % 5 === 0 ? "request" : null;
    });
    const tonearm = client({ fetch });
    const created = await tonearm.upload(source(bytes), { collection_id: collection, file_name: "a.wav" }, { pieceBytes: 8000 });
    assert.ok(seen.broken >= 2, `${seen.broken} connections broke`);
    assert.ok(await hasSource(created.track_id, bytes));
  }
});

test("an upload goes on when a piece broke off before the service", async () => {
  const bytes = sound(2);
  const refusals = [];
  const fetch = async (url, init) => {
    if (init.method !== "PATCH" || refusals.length > 0) return globalThis.fetch(url, init);
    const response = await brokenOff(url, init);
    refusals.push((await response.clone().json()).code);
    return response;
  };
  const created = await client({ fetch }).upload(bytes, { collection_id: collection, file_name: "a.wav" });
  assert.deepEqual(refusals, ["upload_interrupted"]);
  assert.ok(await hasSource(created.track_id, bytes));
});

test("an upload is continued by another client", async () => {
  const bytes = sound(2);
  let url;
  let track;
  const stop = new AbortController();
  const upload = client().upload(bytes, { collection_id: collection, file_name: "a.wav" }, {
    pieceBytes: 9000,
    signal: stop.signal,
    onBegun: (begun, trackId) => { [url, track] = [begun, trackId]; },
    onProgress: () => stop.abort(new Error("enough")),
  });
  await assert.rejects(upload, { message: "enough" });
  const other = sound(1);
  await assert.rejects(client().resumeUpload(url, other), SourceError);
  const sent = [];
  await client().resumeUpload(url, new Blob([bytes]).stream(), { pieceBytes: 9000, onProgress: (now) => sent.push(now.sent) });
  assert.equal(sent[0], 18_000, "what had arrived is not sent again");
  assert.ok(await hasSource(track, bytes));
  // It is complete: to continue it again does nothing.
  await client().resumeUpload(url, bytes);
  const unknown = url.replace(/[^/]+$/, "3e6cf2b1-2f5d-4b5c-8d0a-6f1f0e3a9c55");
  await assert.rejects(client().resumeUpload(unknown, bytes), UploadExpiredError);
});

test("browsers upload into a session without a key", async () => {
  const { upload_session_id: session } = await client().createUploadSession({ collection_id: collection });
  const bytes = sound(1);
  const browser = client({ apiKey: undefined });
  const created = await browser.uploadToSession(new File([bytes], "memo.wav"), session, { metadata: { from: "a page" } });
  assert.equal(created.upload_session_id, session);
  assert.ok(await hasSource(created.track_id, bytes));
});

test("the file of a track is replaced", async () => {
  const tonearm = client();
  const first = await tonearm.upload(sound(1), { collection_id: collection, file_name: "a.wav" });
  await tonearm.waitUntilReady(first.track_id);
  await tonearm.replaceSource(sound(2), first.track_id, { file_name: "b.wav" });
  const { source_replacement: replacement } = await tonearm.readTrackSourceReplacement(first.track_id);
  assert.ok(["processing", "completed"].includes(replacement.status), replacement.status);
});

test("what is empty, missing, no bytes or without a name creates nothing", async (context) => {
  const tonearm = client();
  const { count } = await tonearm.listTracks(collection);
  await assert.rejects(tonearm.upload(new Blob([]), { collection_id: collection, file_name: "a.wav" }), SourceError);
  const streams = [
    new Blob([]).stream(),
    (async function* () {})(),
    (async function* () { yield new Uint8Array(0); })(),
    (async function* () { yield "text"; })(),
    (async function* () { throw new Error("unreadable"); })(),
  ];
  for (const stream of streams) {
    await assert.rejects(tonearm.upload(stream, { collection_id: collection, file_name: "a.wav" }), SourceError);
  }
  const path = await file(context, "there.wav", sound(1));
  await assert.rejects(tonearm.upload(`${path}.not`, { collection_id: collection }), SourceError);
  await assert.rejects(tonearm.upload(sound(1), { collection_id: collection }), /file_name is required/);
  assert.equal((await tonearm.listTracks(collection)).count, count);
});
