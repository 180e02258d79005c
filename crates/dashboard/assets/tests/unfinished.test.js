import assert from "node:assert/strict";
import { test } from "node:test";

const kept = new Map();
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, text) => kept.set(key, text),
  removeItem: (key) => kept.delete(key),
};
const file = { name: "ebb.wav", size: 3, lastModified: 4 };

/** The module as another page has it. */
let pages = 0;
const page = () => import(`../unfinished.js?${(pages += 1)}`);

test("another page continues an upload", async () => {
  kept.clear();
  (await page()).remember("/a", file, { track: "1", url: "u" });
  const { track, url } = (await page()).recall("/a", file);
  assert.deepEqual([track, url], ["1", "u"]);
});

test("the same file twice is two uploads, of which only one continues another", async () => {
  kept.clear();
  (await page()).remember("/a", file, { track: "1", url: "u" });
  const { recall } = await page();
  assert.equal(recall("/a", file).track, "1");
  assert.equal(recall("/a", file), null);
});

test("an upload of this page is not shared with a copy of its file", async () => {
  kept.clear();
  const { recall, remember } = await page();
  assert.equal(recall("/a", file), null);
  remember("/a", file, { track: "1", url: "u" });
  assert.equal(recall("/a", file), null);
});

test("the end of one copy does not forget the other", async () => {
  kept.clear();
  const { forget, remember } = await page();
  remember("/a", file, { track: "1", url: "u" });
  remember("/a", file, { track: "2", url: "v" });
  forget("/a", file, "1");
  const { recall } = await page();
  assert.equal(recall("/a", file).track, "2");
  forget("/a", file, "2");
  assert.equal((await page()).recall("/a", file), null);
});
