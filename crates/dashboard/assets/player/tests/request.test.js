// Why a file does not play, as the network tells.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { whyNotDelivered } from "../request.js";

const URL = "https://cdn.example/a.mp3?verify=1-a";
const { fetch: before } = globalThis;

afterEach(() => {
  globalThis.fetch = before;
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
