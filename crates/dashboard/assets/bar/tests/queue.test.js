import assert from "node:assert/strict";
import { test } from "node:test";

import { INITIAL } from "../../player/state.js";
import { inserted, moved, read, reduce, removed, written } from "../queue.js";

const listed = (ids) => [...ids].map((id) => ({ id, title: id.toUpperCase(), subtitle: "", duration: 100 }));
const sources = (id) => [{ url: `${id}-hq`, type: "audio/mpeg", label: "hq", isAble: true }];
const track = (id) => ({ ...listed(id)[0], colours: {}, cover: {}, levels: [], chapters: [], captions: null, sources: sources(id) });

/** A queue of which a track is heard. */
class Heard {
  state = INITIAL;
  commands = [];

  constructor(ids, index) {
    this.on("load", { tracks: listed(ids), index, isWanted: true });
    this.loads(ids[index]);
    this.sounds("playing");
  }

  on(type, event = {}) {
    const { state, commands } = reduce(Object.freeze(this.state), { type, ...event });
    this.state = state;
    this.commands = commands;
    return this;
  }

  loads(id) {
    return this.on("loaded", { turn: this.state.turn, track: track(id) });
  }

  sounds(name, more = {}) {
    return this.on("sound", { name, isPaused: false, isEnded: false, isSeeking: false, position: this.state.position, code: 0, ...more });
  }

  get ids() {
    return this.state.tracks.map(({ id }) => id).join("");
  }

  get asked() {
    return this.commands.map(({ name }) => name);
  }
}

test("a list begins with the track that was chosen", () => {
  const heard = new Heard("abc", 1);
  assert.equal(heard.state.track.id, "b");
  assert.equal(heard.state.isPlaying, true);
});

test("changes of the queue do not touch what is heard", () => {
  const heard = new Heard("abc", 1);
  const change = (next) => {
    heard.on("arrange", next(heard.state));
    assert.deepEqual(heard.asked, []);
    assert.equal(heard.state.tracks[heard.state.index].id, "b");
    assert.equal(heard.state.isPlaying, true);
  };
  change((queue) => inserted(queue, 2, listed("d")));
  assert.equal(heard.ids, "abdc");
  change((queue) => inserted(queue, 0, listed("e")));
  change((queue) => removed(queue, 1));
  assert.equal(heard.ids, "ebdc");
  change((queue) => moved(queue, 1, 3));
  assert.equal(heard.ids, "edcb");
  change((queue) => moved(queue, 0, 3));
  change((queue) => moved(queue, 3, 0));
  change((queue) => moved(queue, 3, 0));
});

test("without the track that is heard, the next one plays", () => {
  const heard = new Heard("abc", 1);
  heard.on("arrange", removed(heard.state, 1));
  assert.equal(heard.asked.at(-1), "loadTrack");
  assert.equal(heard.commands.at(-1).id, "c");
  heard.loads("c");
  assert.ok(heard.asked.includes("play"));
});

test("without the last track, the one before is shown and silent", () => {
  const heard = new Heard("ab", 1);
  heard.on("arrange", removed(heard.state, 1));
  assert.ok(heard.asked.includes("closeSound"));
  heard.loads("a");
  assert.equal(heard.state.isPending, false);
  assert.ok(!heard.asked.includes("play"));
});

test("an empty queue is silent", () => {
  const heard = new Heard("a", 0);
  heard.on("arrange", removed(heard.state, 0));
  assert.ok(heard.asked.includes("closeSound"));
  assert.deepEqual([heard.state.tracks, heard.state.track, heard.state.isPlaying], [[], null, false]);
});

test("a track that was loaded ahead of another is not played in its place", () => {
  const heard = new Heard("abc", 0);
  heard.sounds("timeupdate", { position: 90 });
  const [{ turn, index }] = heard.commands.filter(({ name }) => name === "loadAhead");
  heard.on("arrange", inserted(heard.state, 1, listed("d")));
  heard.sounds("timeupdate", { position: 91 });
  assert.equal(heard.commands.find(({ name }) => name === "loadAhead").id, "d");
  heard.on("loadedAhead", { turn, index, track: track("b") });
  assert.deepEqual(heard.asked, []);
  heard.sounds("ended", { isEnded: true });
  assert.equal(heard.commands.at(-1).id, "d");
});

test("moves are what a list does, whatever is moved", () => {
  for (let from = 0; from < 5; from += 1) {
    for (let to = 0; to < 5; to += 1) {
      for (let index = 0; index < 5; index += 1) {
        const chosen = "abcde"[index];
        const after = moved({ tracks: listed("abcde"), index }, from, to);
        assert.equal(after.tracks[to].id, "abcde"[from]);
        assert.equal(after.tracks[after.index].id, chosen, `${from} to ${to}, ${chosen} is chosen`);
      }
    }
  }
});

test("a queue is kept as text, and nothing else is taken for one", () => {
  const { state } = new Heard("abc", 1);
  assert.deepEqual(read(written(state, 12.5, true)), { tracks: listed("abc"), index: 1, position: 12.5, isOn: true });
  const hostile = ["", "null", "[]", "{}", '{"tracks":[]}', '{"tracks":[{"id":1,"title":"a"}],"index":0}'];
  for (const text of [...hostile, '{"tracks":[{"id":"a","title":"a"}],"index":1}', '{"tracks":[{"id":"a","title":"a"}],"index":0.5}']) {
    assert.equal(read(text), null, text);
  }
});
