// What changes by itself is looked at as long as somebody sees it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

globalThis.document = Object.assign(new EventTarget(), { hidden: false });
const { watch } = await import("../watch.js");

const settle = () => new Promise((done) => setImmediate(done));

test("what does not change for days is looked at less and less often, and not while nobody sees it", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const looks = [];
  let [now, isDue, isNew] = [0, true, false];
  const over = watch(() => isDue, async () => {
    looks.push(now);
    return isNew;
  });
  const pass = async (seconds) => {
    for (const end = now + seconds; now < end;) {
      now += 0.5;
      mock.timers.tick(500);
      await settle();
    }
  };
  await pass(3600);
  assert.ok(looks[0] < 2 && looks.length < 130, `${looks.length} looks in an hour`);
  document.hidden = true;
  await pass(60);
  const before = looks.length;
  await pass(3600);
  assert.equal(looks.length, before);
  [document.hidden, isNew] = [false, true];
  document.dispatchEvent(new Event("visibilitychange"));
  await pass(4);
  assert.ok(looks.length > before + 1, "what has changed may change again soon");
  isDue = false;
  await pass(2);
  await over;
});
