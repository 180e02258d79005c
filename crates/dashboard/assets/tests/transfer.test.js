// Files on their way: what passes by itself is waited for.

import assert from "node:assert/strict";
import { register } from "node:module";
import { beforeEach, test } from "node:test";

// The server makes the table of texts; here, each text is its id.
register(`data:text/javascript,${encodeURIComponent(`
  const table = "data:text/javascript,export const language = 'en', messages = {}";
  export const resolve = (name, context, next) => (name.endsWith("texts-table.js") ? { url: table, shortCircuit: true } : next(name, context));
`)}`);

const network = new EventTarget();
globalThis.addEventListener = network.addEventListener.bind(network);
globalThis.removeEventListener = network.removeEventListener.bind(network);
globalThis.document = { addEventListener() {}, body: { dataset: { formSecret: "secret" } } };
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });

/** Pauses that were begun, in milliseconds. They end at once, or are kept for whoever ends them otherwise. */
let pauses = [];
let endsPauses = true;
const later = globalThis.setTimeout;
globalThis.setTimeout = (act, ms) => {
  pauses.push(ms);
  return endsPauses ? later(act) : null;
};

const { request } = await import("../signing-in.js");
const { begin, checkReadable, Pauses, Stopped, Transfer, Unreadable } = await import("../transfer.js");

const BEGUN = { upload_url: "https://audio.example/upload" };
const json = (body, status = 200, headers = {}) => new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const away = () => { throw new TypeError("Failed to fetch"); };
const brokenOff = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("network error")) }));

/** Answers requests one after another, and counts them. */
function serve(...answers) {
  const served = { count: 0 };
  globalThis.fetch = async () => answers[served.count++]();
  return served;
}

/** Asks for an address; gives what was said meanwhile, too. */
async function asked(waiting = {}) {
  const said = [];
  const waits = (sentence) => said.push(sentence);
  const answer = await begin("/uploads", {}, { pauses: new Pauses(), waits, isStopped: () => false, ...waiting });
  return { answer, said };
}

beforeEach(() => {
  pauses = [];
  endsPauses = true;
});

test("an address is asked for until the network and the service are back", async () => {
  serve(away, away, () => json({}, 503), brokenOff, () => new Response("{", { headers: { "content-type": "application/json" } }), () => json(BEGUN));
  const { answer, said } = await asked();
  assert.deepEqual(answer, BEGUN);
  const [lost, unavailable] = ["script-upload-disconnected", "script-upload-unavailable"];
  assert.deepEqual(said, [lost, lost, unavailable, lost, lost]);
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000]);
});

test("nothing is asked before the time that the server names", async () => {
  serve(() => json({}, 429, { "retry-after": "30" }), () => json(BEGUN));
  endsPauses = false;
  const begun = asked();
  await new Promise((done) => later(done));
  network.dispatchEvent(new Event("online"));
  await new Promise((done) => later(done));
  assert.deepEqual(pauses, [30000]);
  assert.equal(await Promise.race([begun, "it waits"]), "it waits");
});

test("the network that is back ends a pause", async () => {
  serve(away, () => json(BEGUN));
  endsPauses = false;
  const begun = asked();
  await new Promise((done) => later(done));
  network.dispatchEvent(new Event("online"));
  assert.deepEqual((await begun).answer, BEGUN);
});

test("what does not pass is told in the words of the service", async () => {
  const served = serve(() => json({ message: "You may not add tracks." }, 403));
  await assert.rejects(asked(), { message: "You may not add tracks." });
  assert.equal(served.count, 1);
});

test("nothing is asked for an upload that was paused", async () => {
  const served = serve(away);
  let isStopped = false;
  const waiting = new Pauses();
  endsPauses = false;
  const begun = asked({ pauses: waiting, isStopped: () => isStopped });
  await new Promise((done) => later(done));
  isStopped = true;
  waiting.wake();
  await assert.rejects(begun, Stopped);
  assert.equal(served.count, 1);
});

test("an empty file, or one that is gone, is not taken for one that was sent", async () => {
  const gone = { size: 0, slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotFoundError")) }) };
  for (const [file, message] of [[new Blob([]), "script-upload-empty"], [gone, "script-upload-file-gone"]]) {
    const sent = new Transfer(file, "/upload", { moved() {}, waits() {}, isNew: true }).send();
    await assert.rejects(sent, (error) => error instanceof Unreadable && error.message === message);
  }
});

test("a file that has another size than when it was chosen is gone", async () => {
  const vanished = checkReadable(new Blob([]), 63000);
  await assert.rejects(vanished, (error) => error instanceof Unreadable && error.message === "script-upload-file-gone");
});

test("an answer that breaks off is none", async () => {
  serve(brokenOff);
  await assert.rejects(request("/row"), TypeError);
});
