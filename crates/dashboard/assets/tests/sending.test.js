// Forms that are clicked more than once.

import assert from "node:assert/strict";
import { test } from "node:test";

const view = new EventTarget();
globalThis.addEventListener = view.addEventListener.bind(view);
await import("../sending.js");

const form = (method) => ({ getAttribute: () => method });

/** Whether a form is sent that is submitted at a moment, in milliseconds. */
function isSent(target, timeStamp, { isStopped = false } = {}) {
  const event = new Event("submit", { cancelable: true });
  Object.defineProperties(event, { target: { value: target }, timeStamp: { value: timeStamp } });
  if (isStopped) event.preventDefault();
  view.dispatchEvent(event);
  return !event.defaultPrevented;
}

test("a form is sent once", () => {
  const [one, other] = [form("post"), form("post")];
  assert.deepEqual([isSent(one, 0), isSent(one, 1), isSent(one, 4999), isSent(other, 2)], [true, false, false, true]);
});

test("a form whose page stayed can be sent again", () => {
  const one = form("post");
  assert.deepEqual([isSent(one, 10), isSent(one, 5010), isSent(one, 5011)], [true, true, false]);
});

test("a form can be sent again by somebody who comes back", () => {
  const one = form("post");
  assert.ok(isSent(one, 0));
  view.dispatchEvent(new Event("pageshow"));
  assert.ok(isSent(one, 1));
});

test("what a question stopped was not sent", () => {
  const one = form("post");
  assert.equal(isSent(one, 0, { isStopped: true }), false);
  assert.ok(isSent(one, 1));
});

test("searches are repeated at will", () => {
  const one = form("get");
  assert.ok(isSent(one, 0) && isSent(one, 1));
});
