// Parts of a page that change by themselves (`data-live`) are shown as they are now, as long as something in them is under way
// (`data-busy`). The server writes them: as parts of the page, or alone at the address in `data-live-from`.

import { request } from "./signing-in.js";
import { localise } from "./times.js";
import { watch } from "./watch.js";

/** What the server said last of each part. */
const said = new Map();

const isBusy = () => document.querySelector("[data-live] [data-busy], [data-live][data-busy]");

async function look() {
  const address = document.querySelector("[data-live-from]")?.dataset.liveFrom ?? location.href;
  const answer = await request(address, { headers: { accept: "text/html" } }).catch(() => null);
  return answer?.ok && show(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

/** Whether anything has changed. */
function show(page) {
  let isNew = false;
  for (const part of document.querySelectorAll("[data-live]")) {
    const name = part.dataset.live;
    const fresh = page.querySelector(`[data-live="${CSS.escape(name)}"]`);
    if (!fresh || said.get(name) === fresh.innerHTML) continue;
    isNew ||= said.has(name);
    said.set(name, fresh.innerHTML);
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    part.replaceChildren(...fresh.childNodes);
    localise(part);
    if (focused) part.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
    document.dispatchEvent(new CustomEvent("tonearm-part-changed", { detail: part }));
  }
  return isNew;
}

watch(isBusy, look);
