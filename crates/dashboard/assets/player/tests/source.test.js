// Player data that comes in pages.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Data, Session } from "../source.js";

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

test("a page that did not arrive is asked for again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { setImmediate: soon } = globalThis;
  serve({ "/list.json": { tracks: listed("a"), next: "/more.json" }, "/more.json": { tracks: listed("b") } });
  const { fetch } = globalThis;
  let failures = 2;
  globalThis.fetch = async (address, sent) => {
    if (address.pathname === "/more.json" && failures-- > 0) throw new TypeError("Failed to fetch");
    return fetch(address, sent);
  };
  const heard = [];
  await new Data("/list.json").open(null, (tracks) => heard.push(tracks.length));
  for (let second = 0; second < 5; second += 1) {
    assert.deepEqual(heard, []);
    for (let round = 0; round < 5; round += 1) await new Promise((done) => soon(done));
    context.mock.timers.tick(1000);
  }
  for (let round = 0; round < 5; round += 1) await new Promise((done) => soon(done));
  assert.deepEqual(heard, [2]);
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

// A node of an earlier version, during an upgrade: its data has no pages, chapters, captions, levels and parts.
test("what an earlier node does not tell is not needed", async () => {
  const track = { id: "a", title: "A", duration: 10, sources: [{ url: "/a.m4a", type: "audio/mp4", label: "hq" }] };
  serve({
    "/list.json": { ok: true, title: "Songs", tracks: listed("a"), track },
    "/v1/play/session/a": { track: { id: "a", file_name: "A.wav", duration: 10 }, variants: [
      { url: "/a.m4a", content_type: "audio/mp4", variant: { index: "hq" } },
    ] },
  });
  const { first } = await new Data("/list.json").open(null, () => assert.fail("there is no other page"));
  const played = await new Session("https://audio.example", "session", ["a"], () => {}).track("a");
  for (const described of [first, played]) {
    assert.deepEqual(
      [described.title, described.duration, described.levels, described.chapters, described.captions, described.cover],
      ["A", 10, [], [], null, {}],
    );
    assert.equal(described.sources[0].label, "hq");
  }
});

test("a session that cannot be read without a key has not ended", async () => {
  const answers = [[{ code: "missing_api_key" }, 401, "setup"], [{ code: "play_session_expired" }, 401, "session"]];
  for (const [body, status, kind] of answers) {
    globalThis.fetch = async () => new Response(JSON.stringify(body), { status });
    await assert.rejects(new Session("https://audio.example", "id", [], () => {}).open(null, () => {}), { kind });
  }
});
