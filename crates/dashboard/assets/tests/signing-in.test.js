// A sign-in that ends: the note that says so is where people see it.

import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";

// The server makes the table of texts; here, each text is its id.
register(`data:text/javascript,${encodeURIComponent(`
  const table = "data:text/javascript,export const language = 'en', messages = {}";
  export const resolve = (name, context, next) => (name.endsWith("texts-table.js") ? { url: table, shortCircuit: true } : next(name, context));
`)}`);

class Part {
  children = [];
  parentElement = null;
  dataset = {};
  setAttribute() {}
  append(...parts) { this.children.push(...parts); }
  prepend(part) {
    part.remove();
    part.parentElement = this;
    this.children.unshift(part);
  }
  remove() {
    if (this.parentElement) this.parentElement.children = this.parentElement.children.filter((other) => other !== this);
    this.parentElement = null;
  }
}

const main = new Part();
const open = [];
globalThis.document = Object.assign(new EventTarget(), {
  body: Object.assign(new Part(), { dataset: { formSecret: "old" } }),
  createElement: () => new Part(),
  querySelector: (css) => (css === "main" ? main : null),
  querySelectorAll: (css) => (css === "dialog[open]" ? open : []),
});
globalThis.location = { pathname: "/", search: "" };
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });
const { request } = await import("../signing-in.js");
const moment = () => new Promise((done) => setTimeout(done));

/** A server without a sign-in, until `signIn` is called. It counts what it was sent, by secret. */
function serve() {
  const sent = [];
  let session = null;
  let looked = null;
  document.body.dataset = { formSecret: "old", person: "ada" };
  globalThis.fetch = async (address, { headers }) => {
    if (address === "/dashboard/session.json") {
      await new Promise((done) => (looked = done));
      return new Response(JSON.stringify(session), { status: session ? 200 : 401 });
    }
    sent.push(headers["x-form-secret"]);
    return new Response("{}", { status: headers["x-form-secret"] === "new" ? 200 : 401 });
  };
  const signIn = () => {
    session = { person_id: "ada", form_secret: "new" };
    looked();
  };
  return { sent, signIn };
}

test("the note is in the dialog that is open, and goes when somebody has signed in", async () => {
  const { sent, signIn } = serve();
  const dialog = new Part();
  open.push(dialog);
  const answer = request("/share", { method: "POST" });
  await moment();
  assert.deepEqual([dialog.children.length, main.children.length], [1, 0]);
  signIn();
  assert.equal((await answer).status, 200);
  assert.deepEqual(sent, ["old", "new"]);
  assert.equal(dialog.children.length, 0);
  open.length = 0;
});

test("the note outlives the dialog that it is in", async () => {
  const { signIn } = serve();
  const dialog = new Part();
  open.push(dialog);
  const answer = request("/share", { method: "POST" });
  await moment();
  open.pop();
  document.dispatchEvent(new Event("close"));
  assert.deepEqual([dialog.children.length, main.children.length], [0, 1]);
  signIn();
  assert.equal((await answer).status, 200);
  assert.equal(main.children.length, 0);
});
