import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import {
  AuthenticationError, ConnectionFailedError, InvalidRequestError, NotFoundError, RateLimitError, Tonearm, TimedOutError,
  TrackFailedError,
} from "../src/index.js";
import { breaking, client, collection, server, sound } from "./scene.js";

const NOWHERE = "018f0000-0000-7000-8000-000000000001";

test("errors have the sentence, the code and the field of the service", async () => {
  const tonearm = client();
  const missing = await tonearm.readTrack(NOWHERE).catch((error) => error);
  assert.ok(missing instanceof NotFoundError);
  assert.equal(missing.code, "track_not_found");
  assert.match(missing.requestId, /^[0-9a-f-]{36}$/);
  const body = await fetch(`${server}/v1/track/${NOWHERE}`, { headers: { Authorization: `Bearer ${process.env.TONEARM_API_KEY}` } });
  assert.equal(missing.message, (await body.json()).message);
  const invalid = await tonearm.createPlaySession("collection", { collection_id: collection, expires_in: 5 }).catch((error) => error);
  assert.ok(invalid instanceof InvalidRequestError);
  assert.equal(invalid.field, "expires_in");
  await assert.rejects(client({ apiKey: "wrong" }).readQuota(), AuthenticationError);
});

test("options that make no sense are refused, and secrets are not shown", async () => {
  assert.throws(() => new Tonearm({ server: "ftp://example.com" }), TypeError);
  assert.throws(() => new Tonearm({ server: "https://me:pw@example.com" }), TypeError);
  assert.throws(() => new Tonearm({ server, apiKey: "two words" }), TypeError);
  assert.ok(!JSON.stringify(client()).includes(process.env.TONEARM_API_KEY));
});

test("lists are read page by page", async () => {
  const tonearm = client();
  const made = new Set();
  for (let at = 0; at < 5; at += 1) made.add((await tonearm.createCollection({ title: `Page ${at}` })).collection_id);
  const found = [];
  for await (const one of tonearm.listAllCollections({ limit: 2 })) found.push(one.id);
  assert.equal(new Set(found).size, found.length);
  assert.ok([...made].every((id) => found.includes(id)));
  const variants = [];
  for await (const one of tonearm.listAllVariants({ limit: 2 })) variants.push(one.index);
  assert.deepEqual(variants.sort(), ["hq", "levels", "lq", "original", "preview"]);
  for await (const one of tonearm.findAllTracks({ query: "surely no track has these words" })) assert.fail(one.id);
});

test("a request whose answer is lost has one effect", async () => {
  const { fetch, seen } = breaking((method, _, count) => (method === "POST" && count === 1 ? "answer" : null));
  const index = `once ${Math.random()}`;
  const created = await client({ fetch }).createTrack({ collection_id: collection, file_name: "a.wav", organization_index: index });
  assert.equal(seen.requests, 2);
  const { tracks } = await client().findTracks({ organization_index: index });
  assert.deepEqual(tracks.map((track) => track.id), [created.track_id]);
});

test("a deletion whose answer is lost is a success", async () => {
  for (const how of ["answer", "gateway"]) {
    const { fetch: broken, seen } = breaking((method, _, count) => (method === "DELETE" && count === 1 ? "answer" : null));
    // What a proxy says if the answer does not reach it.
    const behindProxy = (url, init) => broken(url, init).catch(() => new Response("<html>", { status: 502 }));
    const { track_id: track } = await client().createTrack({ collection_id: collection, file_name: "a.wav" });
    const deleted = await client({ fetch: how === "answer" ? broken : behindProxy }).deleteTrack(track);
    assert.equal(deleted.ok, true);
    assert.equal(seen.requests, 2);
    await assert.rejects(client().readTrack(track), NotFoundError);
  }
  await assert.rejects(client().deleteTrack(NOWHERE), NotFoundError);
  // An attempt that did not arrive deleted nothing.
  let requests = 0;
  const busy = async (url, init) => {
    requests += 1;
    return requests === 1 ? new Response("{}", { status: 429 }) : fetch(url, init);
  };
  await assert.rejects(client({ fetch: busy }).deleteTrack(NOWHERE), NotFoundError);
});

test("what keeps failing is given up", async () => {
  const { fetch } = breaking(() => "request");
  await assert.rejects(client({ fetch, retryFor: 0 }).readQuota(), ConnectionFailedError);
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const tonearm = new Tonearm({ server: `http://127.0.0.1:${silent.address().port}`, timeout: 200, retryFor: 0 });
  await assert.rejects(tonearm.readQuota(), TimedOutError);
  const stop = AbortSignal.timeout(100);
  await assert.rejects(tonearm.readQuota({ signal: stop, timeout: 60_000 }), (error) => error === stop.reason);
  silent.closeAllConnections();
  silent.close();
});

test("answers that break off are asked for again", async () => {
  let status;
  const cutting = createServer((request, response) => {
    const isFirst = status !== 200;
    response.writeHead(status, { "Content-Length": 12 });
    status = 200;
    if (!isFirst) return response.end('{"ok": true}');
    response.write('{"ok"', () => response.destroy());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => cutting.once("listening", resolve));
  const tonearm = new Tonearm({ server: `http://127.0.0.1:${cutting.address().port}` });
  for (const first of [201, 404]) {
    status = first;
    assert.deepEqual(await tonearm.readQuota(), { ok: true });
    assert.equal(status, 200);
  }
  cutting.closeAllConnections();
  cutting.close();
});

test("the pause that the service asks for is kept, or given up at once", async () => {
  let requests = 0;
  const busy = (after, status = 429) => async () => {
    requests += 1;
    return requests === 1 ? new Response("{}", { status, headers: { "Retry-After": after } }) : new Response('{"ok": true}');
  };
  // A date is what proxies say; one that is over asks for no pause.
  assert.deepEqual(await client({ fetch: busy("Thu, 01 Jan 1970 00:00:00 GMT", 503) }).readQuota(), { ok: true });
  for (const [after, expected] of [["7", 7000], ["soon", null], ["-1", null]]) {
    requests = 0;
    const error = await client({ fetch: busy(after), retryFor: 0 }).readQuota().catch((error) => error);
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.retryAfter, expected, after);
  }
  requests = 0;
  await assert.rejects(client({ fetch: busy("3600") }).readQuota(), RateLimitError);
  assert.equal(requests, 1);
});

test("waiting ends with the reason when a track fails, and in time", async () => {
  const tonearm = client();
  const created = await tonearm.upload(Buffer.from("this is no sound"), { collection_id: collection, file_name: "text.mp3" });
  const failed = await tonearm.waitUntilReady(created.track_id).catch((error) => error);
  assert.ok(failed instanceof TrackFailedError);
  const { track } = await tonearm.readTrack(created.track_id);
  assert.equal(failed.message, track.status_reason);
  assert.equal(failed.status, track.track_status_id);
  const waiting = await tonearm.createTrack({ collection_id: collection, file_name: "never.wav" });
  await assert.rejects(tonearm.waitUntilReady(waiting.track_id, { timeout: 100 }), TimedOutError);
});

test("a session plays, and a share link too", async () => {
  const tonearm = client();
  const { track_id: track } = await tonearm.upload(sound(1), { collection_id: collection, file_name: "played.wav" });
  await tonearm.waitUntilReady(track);
  const session = await tonearm.createPlaySession("track", { track_id: track });
  const file = session.first_track.variants.find((one) => one.variant.index === "hq");
  assert.ok((await fetch(file.url)).ok);
  // In a browser, the id of the session is enough.
  const played = await client({ apiKey: undefined }).playTrack(session.play_session_id, track);
  assert.equal(played.track.player_title, "played");
  const { api_key: key } = await tonearm.createApiKey({ title: "A link", api_key_type_id: "share", variants: ["lq"] });
  const shared = await fetch(tonearm.shareLink(track, key));
  assert.equal(shared.headers.get("Content-Type"), "audio/mpeg");
});

test("covers are uploaded", async () => {
  const tonearm = client();
  const { track_id: track } = await tonearm.createTrack({ collection_id: collection, file_name: "covered.wav" });
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await tonearm.uploadTrackCover(track, Buffer.from(pixel, "base64"));
  await tonearm.uploadCollectionCover(collection, new Blob([Buffer.from(pixel, "base64")]));
  await assert.rejects(tonearm.uploadTrackCover(track, Buffer.from("no picture")), InvalidRequestError);
  // The second request is the one with the picture.
  for (const lost of ["request", "answer"]) {
    const { fetch, seen } = breaking((method, url, count) => (count === 2 ? lost : null));
    await client({ fetch }).uploadTrackCover(track, Buffer.from(pixel, "base64"));
    assert.deepEqual(seen, { requests: 3, broken: 1 }, lost);
  }
});
