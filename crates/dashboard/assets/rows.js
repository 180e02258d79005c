// Keeps a list up to date while tracks are added, or rows wait for uploads, perhaps of other clients: rows, pages and how many
// there are. The server writes them; rows that say the same as before stay, with whatever is chosen or playing in them.

import { followRow, keepingFocus } from "./live.js";
import { request } from "./signing-in.js";

/** At most so often, however many tracks are added. */
const PAUSE_MS = 1000;

let timer = 0;
let isAsking = false;
let isDue = false;
/** Whether a row was moved since the list was asked for. */
let isMoved = false;

/** Brings the list up to date, a moment later. */
export function updateRows() {
  isDue = true;
  if (!timer && !isAsking) timer = setTimeout(update, PAUSE_MS);
}

// Rows stay where they are while somebody moves one, and until that is saved.
const isMoving = () => document.querySelector("[data-rows] > .held, [data-rows][data-saving]");

document.addEventListener("tonearm-row-put", () => {
  isMoved = true;
  if (isDue) updateRows();
});

async function update() {
  timer = 0;
  if (isMoving()) return;
  [isAsking, isDue, isMoved] = [true, false, false];
  const answer = await request(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  isAsking = false;
  // Rows that were moved meanwhile are in another order there.
  if (isMoved || isMoving()) isDue = true;
  else if (page) show(page);
  if (isDue) updateRows();
}

function show(page) {
  const [total, region] = ["[data-total]", "[data-list]"].map((part) => [document.querySelector(part), page.querySelector(part)]);
  if (total[0] && total[1] && total[0].textContent !== total[1].textContent) total[0].textContent = total[1].textContent;
  if (!region[0] || !region[1]) return;
  const [old, fresh] = region.map((part) => part.querySelector("[data-rows]"));
  if (old && fresh) {
    keepingFocus(old, () => merge(old, fresh));
    renewPages(region[0], region[1]);
  } else if (old || fresh) {
    replace(region[0], region[1]);
  }
}

/** The first rows, or none any more. The form that searches them comes with the first, and stays: somebody may be typing. */
function replace(old, fresh) {
  const form = fresh.querySelector("form.find");
  if (form && !old.querySelector("form.find")) old.prepend(form);
  const [before, after] = [old, fresh].map((part) => part.querySelector("[data-results]"));
  before.replaceWith(after);
  // As after a search: whoever binds to what is in the list does so now.
  document.dispatchEvent(new CustomEvent("tonearm-results"));
}

/** Puts the rows of `fresh` in place of those of `old`. */
function merge(old, fresh) {
  const known = new Map([...old.children].map((row) => [row.dataset.track, row]));
  const rows = [...fresh.children];
  for (const [at, row] of rows.entries()) {
    const before = known.get(row.dataset.track);
    const kept = before && saysTheSame(before, row) ? before : row;
    if (old.children[at] !== kept) old.insertBefore(kept, old.children[at] ?? null);
    if (kept === before) continue;
    before?.remove();
    if ("making" in row.dataset) followRow(row);
  }
  while (old.children.length > rows.length) old.lastElementChild.remove();
}

function saysTheSame(one, other) {
  if ("making" in one.dataset && "making" in other.dataset) return true;
  const text = (row) => [".words", "[data-state]", ".length"].map((part) => row.querySelector(part)?.textContent.trim()).join("\n");
  return text(one) === text(other);
}

function renewPages(old, fresh) {
  const [before, after] = [old, fresh].map((part) => part.querySelector(".pages"));
  if (before && after) before.replaceWith(after);
  else if (after) old.querySelector("[data-results]").append(after);
  else before?.remove();
}

setInterval(() => !document.hidden && document.querySelector("[data-waiting]") && updateRows(), 20_000);
