import assert from "node:assert/strict";
import { test } from "node:test";

import { moveOf, Moves } from "../moves.js";

/** A list whose moves are saved, or not, when the test says so. */
class List {
  ids = [..."abcd"];
  asked = [];
  #answers = [];
  moves = new Moves(
    ({ before, after }) => {
      this.asked.push(`${before.join("")} ${after.join("")}`);
      return new Promise((answer) => this.#answers.push(answer));
    },
    (order) => (this.ids = [...order]),
  );

  move(from, to) {
    this.ids.splice(to, 0, ...this.ids.splice(from, 1));
    this.moves.add(moveOf(this.ids, from, to));
  }

  async answers(isSaved) {
    this.#answers.shift()(isSaved);
    await new Promise((done) => setTimeout(done));
  }

  get order() {
    return this.ids.join("");
  }
}

test("a move is told as the part of the list that it changed", () => {
  assert.deepEqual(moveOf([..."acdb"], 1, 3), { order: [..."abcd"], before: [..."bcd"], after: [..."cdb"] });
  assert.deepEqual(moveOf([..."dabc"], 3, 0), { order: [..."abcd"], before: [..."abcd"], after: [..."dabc"] });
});

test("moves are saved one after another", async () => {
  const list = new List();
  list.move(0, 1);
  list.move(1, 3);
  assert.deepEqual(list.asked, ["ab ba"]);
  await list.answers(true);
  assert.deepEqual(list.asked, ["ab ba", "acd cda"]);
  await list.answers(true);
  assert.equal(list.order, "bcda");
});

test("when a move is not saved, the order is as it was saved last, and later moves are dropped", async () => {
  const list = new List();
  list.move(0, 1);
  list.move(1, 3);
  list.move(0, 2);
  await list.answers(true);
  await list.answers(false);
  assert.equal(list.order, "bacd");
  assert.equal(list.asked.length, 2);
  list.move(0, 1);
  assert.deepEqual(list.asked.at(-1), "ba ab");
  await list.answers(true);
  assert.equal(list.order, "abcd");
});

test("two quick moves that fail leave the order of before", async () => {
  const list = new List();
  list.move(0, 2);
  list.move(3, 1);
  await list.answers(false);
  assert.equal(list.order, "abcd");
  assert.equal(list.asked.length, 1);
});
