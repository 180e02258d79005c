// How far tracks are, told by the server over one connection a page, for as long as something is in the making.

import { request, signedInAgain } from "./signing-in.js";
import { t } from "./texts.js";

const AGAIN_MS = 5000;
const LATEST_MS = 60000;
const base = document.body.dataset.base;
/** Who follows which track. */
const followed = new Map();
let source = null;
let isDue = false;
let again = AGAIN_MS;

/**
 * Calls `told` with how far a track is ({status, percent, files}), and `through` once it is not in the making any more.
 * Asked for right after its upload, a track is already in the making.
 */
export function follow(id, told, through) {
  if (!followed.has(id)) followed.set(id, new Set());
  followed.get(id).add({ told, through });
  // A stream that is open may have been told before this track was there; a new one begins with all of them. Rows of a
  // list share one.
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    open();
  });
}

function open() {
  close();
  source = new EventSource(`${base}/progress`);
  source.addEventListener("message", (event) => {
    again = AGAIN_MS;
    const tracks = new Map(JSON.parse(event.data).map((track) => [track.id, track]));
    for (const [id, followers] of followed) {
      if (tracks.has(id)) for (const { told } of followers) told(tracks.get(id));
      else end(id);
    }
    if (!followed.size) close();
  });
  source.addEventListener("done", () => {
    close();
    for (const id of [...followed.keys()]) end(id);
  });
  source.addEventListener("error", () => {
    // Broken connections are opened again by the browser; refused ones by us, later.
    if (source?.readyState === EventSource.CLOSED) reopen();
  });
}

/** An event source does not tell why it was refused. */
async function reopen() {
  close();
  const answer = await fetch("/dashboard/session.json", { headers: { accept: "application/json" } }).catch(() => null);
  if (answer?.status === 401) {
    await signedInAgain();
    again = 0;
  }
  setTimeout(() => {
    if (followed.size && !source) open();
  }, again);
  again = Math.min(Math.max(again * 2, AGAIN_MS), LATEST_MS);
}

function close() {
  source?.close();
  source = null;
}

function end(id) {
  const followers = followed.get(id);
  followed.delete(id);
  for (const { through } of followers) through();
}

/** What a row or an upload says of a track in the making. Nothing is done of a track that waits for its turn. */
export function progressText({ status, percent, is_queued: isQueued }) {
  return isQueued ? status : t("script-progress", { status, percent });
}

/** What the page of a track says of one of its files, by its state. */
const FILE_STATES = {
  waiting: "script-file-waiting", running: "script-file-running", made: "script-file-made", failed: "script-file-failed",
};

/** A row of a list says how far its track is, and is replaced by what the server says of it in the end. */
export function followRow(row) {
  const id = row.dataset.track;
  const state = row.querySelector("[data-state]");
  const list = row.closest("[data-rows]");
  follow(id, (progress) => (state.textContent = progressText(progress)), async () => {
    const answer = await request(`${base}/tracks/${id}/row?${list.dataset.rows}`).catch(() => null);
    // A list that was brought up to date meanwhile has another row.
    if (!answer?.ok || !row.isConnected) return;
    const holder = document.createElement("template");
    holder.innerHTML = await answer.text();
    row.replaceWith(holder.content);
  });
}

/** The page of a track shows a bar, and is loaded anew in the end unless somebody is writing on it. */
function followPage(section) {
  const bar = section.querySelector("progress");
  const files = section.querySelector("[data-files]");
  bar.hidden = false;
  const title = section.querySelector("h2");
  const told = ({ status, percent, is_queued: isQueued, files: each }) => {
    title.textContent = status;
    if (isQueued) bar.removeAttribute("value");
    else bar.value = percent;
    files.textContent = each.map(({ index: file, state, percent: of }) => t(FILE_STATES[state] ?? FILE_STATES.waiting, { file, percent: of })).join(" · ");
  };
  let written = false;
  addEventListener("input", () => (written = true), { once: true });
  follow(section.dataset.following, told, () => {
    if (!written) return location.reload();
    section.querySelector("[data-through]").hidden = false;
    bar.hidden = true;
  });
}

function followRows() {
  for (const row of document.querySelectorAll("[data-track][data-making]")) followRow(row);
}

followRows();
document.addEventListener("tonearm-results", followRows);
for (const section of document.querySelectorAll("[data-following]")) followPage(section);
