// Player data that comes in pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Data } from "../source.js";

const listed = (...ids) => ids.map((id) => ({ id, title: id, duration: 1, data: `/${id}.json` }));

/** Answers requests from a table of paths; `null` is a server that fails. */
function serve(pages) {
  globalThis.document = { baseURI: "https://audio.example/page" };
  globalThis.fetch = async (address) => {
    const { pathname, search } = new URL(address);
    const page = pages[pathname + search];
    return new Response(JSON.stringify(page ?? {}), { status: page ? 200 : 404 });
  };
}

/** Opens a list and gives what was heard of it, until this many lists have come, the first one with them. */
async function lists(count) {
  const heard = [];
  await new Promise((done, fail) => {
    const hear = (tracks) => heard.push(tracks.map(({ id }) => id).join("")) === count && setTimeout(done);
    new Data("/list.json").open(null, hear).then(({ tracks }) => hear(tracks), fail);
  });
  return heard;
}

test("pages that follow are added to the list", async () => {
  serve({
    "/list.json": { tracks: listed("a", "b"), next: "/list.json?after=b" },
    "/list.json?after=b": { tracks: listed("c"), next: "/list.json?after=c" },
    "/list.json?after=c": { tracks: listed("d"), next: null },
  });
  assert.deepEqual(await lists(3), ["ab", "abc", "abcd"]);
});

test("a page that is missing ends the list", async () => {
  serve({ "/list.json": { tracks: listed("a"), next: "/gone.json" } });
  assert.deepEqual(await lists(1), ["a"]);
});

test("a list without an end is not loaded for ever", async () => {
  serve({ "/list.json": { tracks: listed("a"), next: "/list.json" } });
  const heard = await lists(10);
  await new Promise((done) => setTimeout(done));
  assert.equal(heard.length, 10);
});
