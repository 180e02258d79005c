// A page stays as it is while its sign-in ends: it asks to sign in again in another tab, and goes on by itself.

import { pause } from "./in-sight.js";
import { t } from "./texts.js";

/** How often the page looks whether somebody has signed in again. */
const LOOK_MS = 2000;
/** A page that was out of sight for so long looks whether its sign-in has ended. */
const AWAY_MS = 5 * 60 * 1000;

let asking = null;

/** Waits until the person of this page is signed in again; then its forms and scripts carry the new secret. */
export function signedInAgain() {
  asking ??= ask().finally(() => (asking = null));
  return asking;
}

/**
 * Asks the server, as `fetch` does, and reads the whole answer: one that breaks off fails as no answer does. Where the sign-in
 * has ended, it asks once more after somebody has signed in again. The request carries the page's secret.
 */
export async function request(address, { headers = {}, ...rest } = {}) {
  for (;;) {
    const secret = { "x-form-secret": document.body.dataset.formSecret };
    const answer = await fetch(address, { redirect: "error", ...rest, headers: { accept: "application/json", ...headers, ...secret } });
    if (answer.status === 401) {
      await signedInAgain();
      continue;
    }
    const text = await answer.clone().text();
    // Some proxies end an answer that has broken off as if it were whole.
    if (answer.headers.get("content-type")?.startsWith("application/json")) JSON.parse(text);
    return answer;
  }
}

/** The session of this browser; nothing where nobody is signed in, or nobody answers. */
export async function look() {
  const answer = await fetch("/dashboard/session.json", { headers: { accept: "application/json" }, redirect: "error" }).catch(() => null);
  return { status: answer?.status ?? 0, session: answer?.ok ? await answer.json().catch(() => null) : null };
}

function noted() {
  const note = document.createElement("div");
  note.className = "signed-out notice warn";
  note.setAttribute("role", "alert");
  const text = document.createElement("p");
  const link = document.createElement("a");
  link.className = "button";
  link.href = `/dashboard/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.target = "_blank";
  link.textContent = t("script-signed-out-link");
  note.append(text, link);
  text.textContent = t("script-signed-out");
  return note;
}

/** A dialog that is open covers the page and makes it inert: the note is in the dialog. */
function place(note) {
  const holder = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
  if (note.parentElement !== holder) holder.prepend(note);
}

async function ask() {
  const note = noted();
  const isOver = new AbortController();
  // With a dialog that is closed, the note would go.
  document.addEventListener("close", () => place(note), { capture: true, signal: isOver.signal });
  for (;;) {
    place(note);
    const { session } = await look();
    if (session?.person_id === document.body.dataset.person) {
      renew(session.form_secret);
      isOver.abort();
      note.remove();
      return;
    }
    if (session) note.querySelector("p").textContent = t("script-signed-out-other");
    await pause(LOOK_MS);
  }
}

function renew(secret) {
  document.body.dataset.formSecret = secret;
  for (const field of document.querySelectorAll("input[name=form_secret]")) field.value = secret;
}

/** A form that is filled in for long is asked to sign in before it is sent. */
function watch() {
  let hiddenAt = null;
  document.addEventListener("visibilitychange", async () => {
    if (document.hidden) return void (hiddenAt = Date.now());
    const isLong = hiddenAt !== null && Date.now() - hiddenAt >= AWAY_MS;
    hiddenAt = null;
    if (isLong && (await look()).status === 401) signedInAgain();
  });
}

/** Forms that wait for the answer. Another click on their button changes nothing. */
const waiting = new WeakSet();
/** Forms that have it, and are being sent. */
const sent = new WeakSet();

/**
 * A page that answers a form has no address of its own, and cannot be shown again after signing in. Its forms, with
 * `data-sign-in-first`, ask before they are sent, so that what is in them stays.
 */
async function askFirst(event) {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !form.hasAttribute("data-sign-in-first") || sent.has(form)) return;
  event.preventDefault();
  if (waiting.has(form)) return;
  waiting.add(form);
  if ((await look()).status === 401) await signedInAgain();
  waiting.delete(form);
  sent.add(form);
  form.requestSubmit(submitter);
  sent.delete(form);
}

if (document.body.dataset.person) {
  watch();
  document.addEventListener("submit", askFirst);
}
