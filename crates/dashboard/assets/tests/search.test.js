// Instant search on a page that has as much as it needs.

import assert from "node:assert/strict";
import { test } from "node:test";

class Part extends EventTarget {
  attributes = new Map();
  value = "";
  setAttribute(name, value) { this.attributes.set(name, value); }
  removeAttribute(name) { this.attributes.delete(name); }
  append() {}
}

const field = new Part();
const form = new Part();
form.querySelector = (css) => (css === "input[type=search]" ? field : null);
const results = new Part();
const shown = [];
let isThere = false;
const parts = { "[data-results]": results, "form.find[data-instant]": form };

const document = new EventTarget();
Object.assign(document, {
  createElement: () => new Part(),
  querySelector: (css) => (css.startsWith("form") && !isThere ? null : parts[css] ?? null),
  adoptNode: (node) => node,
});
results.replaceWith = (fresh) => shown.push(fresh.text);

const answers = [];
Object.assign(globalThis, {
  document, parent: globalThis, window: globalThis, location: { pathname: "/tracks", search: "", assign() {} },
  history: { pushState() {}, replaceState() {} }, addEventListener() {},
  FormData: class { *[Symbol.iterator]() { yield ["q", field.value]; } },
  DOMParser: class { parseFromString(text) { return { querySelector: (css) => (css === "[data-results]" ? { text } : null) }; } },
  fetch: (address, { signal }) => new Promise((done, fail) => {
    signal.addEventListener("abort", () => fail(Object.assign(new Error(), { name: "AbortError" })));
    answers.push((text) => done({ ok: true, text: async () => text }));
  }),
});

const moment = () => new Promise((done) => setTimeout(done));

async function types(text) {
  field.value = text;
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await moment();
}

test("the form of a list that was empty is bound when it comes", async () => {
  await import("../search.js");
  await types("a");
  assert.equal(answers.length, 0);
  isThere = true;
  field.value = "";
  document.dispatchEvent(new Event("tonearm-results"));
  document.dispatchEvent(new Event("tonearm-results"));
  await types("ab");
  assert.equal(answers.length, 1);
  answers.pop()("results of ab");
  await moment();
  assert.deepEqual(shown, ["results of ab"]);
  assert.equal(form.attributes.has("aria-busy"), false);
});

test("an answer that comes after the field is as before is not shown", async () => {
  shown.length = 0;
  await types("abc");
  assert.equal(form.attributes.get("aria-busy"), "true");
  await types("ab");
  answers.pop()("results of abc");
  await moment();
  assert.deepEqual(shown, []);
  assert.equal(form.attributes.has("aria-busy"), false);
});
