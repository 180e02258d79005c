import assert from "node:assert/strict";
import { test } from "node:test";

import { relative, told } from "../relative.js";

const now = new Date("2026-11-23T12:00:00Z");
const at = (seconds) => relative(new Date(now.getTime() + seconds * 1000), now, "en");

test("times are told as people say them", () => {
  const told = [0, -30, -60, -180, -3599, -3600, -7200, -86400, -3 * 86400, 40, 120, 86400 * 2].map(at);
  assert.deepEqual(told, [
    "now", "now", "1 minute ago", "3 minutes ago", "1 hour ago", "1 hour ago", "2 hours ago", "yesterday", "3 days ago",
    "now", "in 2 minutes", "in 2 days",
  ]);
});

test("what is a week away is a date", () => {
  assert.deepEqual([at(-7 * 86400), at(30 * 86400)], [null, null]);
});

test("in a sentence, and a week away, the date is told", () => {
  const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
  const soon = new Date(now.getTime() + 3_600_000);
  const later = new Date(now.getTime() + 30 * 86_400_000);
  assert.equal(told(soon, now, "en", exact, false), "in 1 hour");
  assert.equal(told(soon, now, "en", exact, true), "Nov 23, 2026");
  assert.equal(told(later, now, "en", exact, false), "Dec 23, 2026");
});
