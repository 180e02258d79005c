// What the reducer decides, carried out later.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Commands } from "../commands.js";

test("a renewal is waited for, whatever else is tried again meanwhile", async () => {
  const heard = [];
  const told = new Promise((done) => {
    const commands = new Commands(null, null, ({ type }) => {
      heard.push(type);
      if (type === "notRenewed") done();
    });
    commands.retryLater({ after: 1 });
    commands.waitForRenewal({ after: 20 });
    commands.keepCalm();
    commands.retryLater({ after: 2 });
  });
  await told;
  assert.deepEqual(heard, ["again", "notRenewed"]);
});
