// Tracks in the making: rows, uploads and the page of a track say how far they are.

import { pause } from "./in-sight.js";
import { Progress } from "./progress.js";
import { request } from "./signing-in.js";
import { t } from "./texts.js";

const LOOK_MS = 5000;

const { base } = document.body.dataset;
/** Who follows which track. */
const followed = new Map();
const progress = new Progress(() => [...followed.keys()], tell);
let isDue = false;

/**
 * Calls `told` with how far a track is ({status, percent, files}), and `through` once it is not in the making any more.
 * Asked for right after its upload, a track is already in the making.
 */
export function follow(id, told, through) {
  if (!followed.has(id)) followed.set(id, new Set());
  followed.get(id).add({ told, through });
  // The rows of a list are told of at once.
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    progress.changed();
  });
}

function tell({ making, over }) {
  for (const track of making) for (const { told } of followed.get(track.id) ?? []) told(track);
  for (const id of over) {
    const followers = followed.get(id) ?? [];
    followed.delete(id);
    for (const { through } of followers) through();
  }
}

/** What a row or an upload says of a track in the making. Nothing is done of a track that waits for its turn. */
export function progressText({ status, percent, is_queued: isQueued }) {
  return isQueued ? status : t("script-progress", { status, percent });
}

/** What the page of a track says of one of its files, by its state. */
const FILE_STATES = {
  waiting: "script-file-waiting", running: "script-file-running", made: "script-file-made", failed: "script-file-failed",
};

/** What can have the focus in a row. */
const CONTROLS = ["a.row", ".pick", "[data-play]", "[data-more]", "[data-grip]"];

/** Changes rows of a list. The focus stays where it is, also in a row that is replaced. */
export function keepingFocus(list, change) {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const control = CONTROLS.find((css) => focused?.matches(css));
  const id = focused?.closest("[data-track]").dataset.track;
  change();
  if (!control || document.activeElement === focused) return;
  list.querySelector(`[data-track="${id}"]`)?.querySelector(control)?.focus({ preventScroll: true });
}

/** A row of a list says how far its track is, and is replaced by what the server says of it in the end. */
export function followRow(row) {
  const id = row.dataset.track;
  const state = row.querySelector("[data-state]");
  const list = row.closest("[data-rows]");
  follow(id, (progress) => (state.textContent = progressText(progress)), async () => {
    const address = `${base}/tracks/${id}/row?${list.dataset.rows}`;
    let answer = await request(address).catch(() => null);
    while (row.isConnected && !answer?.ok && answer?.status !== 404) {
      await pause(LOOK_MS);
      answer = await request(address).catch(() => null);
    }
    const holder = document.createElement("template");
    holder.innerHTML = answer?.ok ? await answer.text() : "";
    // A row that somebody is moving is replaced afterwards.
    while (row.matches(".held")) await new Promise((put) => list.addEventListener("tonearm-row-put", put, { once: true }));
    // A list that was brought up to date meanwhile has another row.
    if (!answer?.ok || !row.isConnected) return;
    keepingFocus(list, () => row.replaceWith(holder.content));
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
