// One stream of progress for all pages of a browser.

import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";

// The server makes the table of texts; here, each text is its id.
register(`data:text/javascript,${encodeURIComponent(`
  const table = "data:text/javascript,export const language = 'en', messages = {}";
  export const resolve = (name, context, next) => (name.endsWith("texts-table.js") ? { url: table, shortCircuit: true } : next(name, context));
`)}`);

/** The time in milliseconds, and what is due at which. */
let now = 0;
let due = [];
const settle = () => new Promise((done) => setImmediate(done));
globalThis.setTimeout = (act, ms) => due.push({ at: now + ms, act });
globalThis.clearTimeout = (name) => name && (due[name - 1] = null);
Object.defineProperty(globalThis, "performance", { value: { now: () => now } });

async function pass(ms) {
  await settle();
  now += ms;
  for (const [place, timer] of due.entries()) {
    if (!timer || timer.at > now) continue;
    due[place] = null;
    timer.act();
  }
  await settle();
}

/** The pages of a browser hear one another, and take turns. */
const channels = new Set();
globalThis.BroadcastChannel = class {
  constructor() { channels.add(this); }
  postMessage(data) {
    for (const other of channels) if (other !== this) queueMicrotask(() => other.onmessage?.({ data: structuredClone(data) }));
  }
  close() {
    channels.delete(this);
    this.onmessage = null;
  }
};
let turns = Promise.resolve();
const locks = {
  request(_, { signal }, begin) {
    turns = turns.then(() => (signal.aborted ? null : begin()));
    return turns;
  },
};
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"], locks } });

let streams = [];
globalThis.EventSource = class extends EventTarget {
  static CLOSED = 2;
  readyState = 1;
  constructor(address) {
    super();
    this.tracks = address.split("=")[1].split(",");
    streams.push(this);
  }
  close() { this.readyState = 2; }
  tell(told) { this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify({ making: [], over: [], ...told }) })); }
};
const open = () => streams.filter(({ readyState }) => readyState === 1);

globalThis.document = Object.assign(new EventTarget(), { hidden: false, body: { dataset: { base: "/o", person: "ada" } } });
const { Progress } = await import("../progress.js");

/** A page that shows tracks until they are over. */
class Page {
  heard = [];
  constructor(...tracks) {
    this.tracks = tracks;
    this.progress = new Progress(() => this.tracks, ({ making, over }) => {
      this.heard.push(...making.map(({ id }) => id), ...over.map((id) => `${id} is over`));
      this.tracks = this.tracks.filter((id) => !over.includes(id));
    });
    this.progress.changed();
  }
  shows(...tracks) {
    this.tracks = tracks;
    this.progress.changed();
  }
}

async function see(isSeen) {
  document.hidden = !isSeen;
  document.dispatchEvent(new Event("visibilitychange"));
  await pass(0);
}

async function begin(...pages) {
  streams = [];
  due = [];
  const opened = pages.map((tracks) => new Page(...tracks));
  await pass(0);
  await pass(1000);
  return opened;
}

async function end(...pages) {
  for (const page of pages) page.shows();
  await pass(0);
  assert.equal(open().length, 0);
}

test("pages share a stream, and one after another has it", async () => {
  const [one, other] = await begin(["a"], ["b"]);
  assert.deepEqual(open().map(({ tracks }) => tracks), [["a", "b"]]);
  open()[0].tell({ making: [{ id: "a" }, { id: "b" }] });
  await pass(0);
  assert.deepEqual([one.heard, other.heard], [["a", "b"], ["a", "b"]]);
  open()[0].tell({ making: [{ id: "b" }], over: ["a"] });
  await pass(0);
  await pass(1000);
  // What is not told is not over: the page that is left opens a stream of its own.
  assert.deepEqual(open().map(({ tracks }) => tracks), [["b"]]);
  assert.deepEqual([one.tracks, other.tracks], [[], ["b"]]);
  await end(one, other);
});

test("pages that nobody sees have no stream, and catch up", async () => {
  const [page] = await begin(["a"]);
  await see(false);
  assert.equal(open().length, 0);
  page.shows("a", "b");
  await pass(5000);
  assert.equal(open().length, 0);
  await see(true);
  await pass(1000);
  assert.deepEqual(open().map(({ tracks }) => tracks), [["a", "b"]]);
  await end(page);
});

test("however many tracks are added, there are few streams, each of a hundred tracks", async () => {
  const [page, other] = await begin(["z"], ["y"]);
  for (let count = 1; count <= 500; count++) {
    page.shows(...Array.from({ length: count }, (_, at) => `t${at}`));
    await pass(20);
  }
  assert.ok(streams.length <= 13, `${streams.length} streams in 10 seconds`);
  assert.equal(open().length, 1);
  assert.ok(open()[0].tracks.length <= 100 && open()[0].tracks.includes("y"));
  // As they end, the others follow.
  while (page.tracks.length) {
    open()[0].tell({ over: open()[0].tracks.filter((id) => id !== "y") });
    await pass(1000);
    assert.ok(open()[0].tracks.length <= 100);
  }
  assert.deepEqual(other.tracks, ["y"]);
  await end(page, other);
});
