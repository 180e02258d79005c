// Why a file does not play, as the network tells.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { persist, PAUSES_MS, requestText, whyNotDelivered } from "../request.js";

const URL = "https://cdn.example/a.mp3?verify=1-a";
const { fetch: before, setTimeout: later } = globalThis;

afterEach(() => {
  globalThis.fetch = before;
  globalThis.setTimeout = later;
});

/** The verdict if requests with and without CORS are answered like this. */
function verdict(answers, violated = null) {
  let forbid;
  globalThis.document = { addEventListener: (_, hear) => { forbid = hear; }, removeEventListener() {} };
  globalThis.navigator ??= {};
  globalThis.fetch = async (_, { mode }) => {
    if (violated) setTimeout(() => forbid({ blockedURI: violated }));
    const status = answers[mode ?? "cors"];
    if (status === undefined) throw new TypeError("Failed to fetch");
    return { status };
  };
  return whyNotDelivered(URL);
}

test("a host that cannot be reached is no fault of the file", async () => {
  assert.equal(await verdict({}), "offline");
});

test("a server that answers has the last word", async () => {
  assert.equal(await verdict({ cors: 206 }), null);
  assert.equal(await verdict({ cors: 404 }), "missing");
  assert.equal(await verdict({ cors: 503 }), "unavailable");
  assert.equal(await verdict({ "no-cors": 0 }), null, "a host whose answers may not be read is there");
});

test("a page that forbids the request lets nobody know", async () => {
  assert.equal(await verdict({}, URL), null);
  assert.equal(await verdict({}, "https://cdn.example"), null);
  assert.equal(await verdict({}, "https://other.example/"), "offline");
});

/** Answers requests for words one after another, and lets pauses pass at once. Gives the pauses. */
function serve(...answers) {
  const pauses = [];
  globalThis.setTimeout = (act, ms) => {
    if (ms < 20_000 || PAUSES_MS.includes(ms)) pauses.push(ms) && later(act);
  };
  globalThis.clearTimeout = () => {};
  globalThis.fetch = async () => (answers.length > 1 ? answers.shift() : answers[0])();
  return pauses;
}
const away = () => { throw new TypeError("Failed to fetch"); };
const brokenOff = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("network error")) }));

test("words that did not arrive are asked for again, ever later", async () => {
  const pauses = serve(away, () => new Response("", { status: 503 }), brokenOff, () => new Response("WEBVTT"));
  assert.equal(await persist(() => requestText("/words")), "WEBVTT");
  assert.deepEqual(pauses, PAUSES_MS.slice(0, 3));
});

test("what is refused is not asked for again", async () => {
  const pauses = serve(() => new Response("", { status: 404 }));
  assert.equal(await persist(() => requestText("/words")), null);
  assert.deepEqual(pauses, []);
});

test("what never arrives is given up", async () => {
  const pauses = serve(away);
  assert.equal(await persist(() => requestText("/words")), null);
  assert.deepEqual(pauses, PAUSES_MS);
});
