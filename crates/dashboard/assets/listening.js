// Playing from lists. The bar is loaded when something is played for the first time.

import { t } from "./texts.js";

/** Inside the frame of a window that has the bar, the window's bar is used. */
const own = parent !== window && parent.tonearmBar ? parent : window;
let loading = null;
/** The bar, or nothing where it cannot be loaded now; it is tried again the next time. */
window.tonearmBar ??= () => (loading ??= load().catch(() => (loading = null)));

async function load() {
  const style = document.createElement("link");
  [style.rel, style.href] = ["stylesheet", new URL("./bar.css", import.meta.url).href];
  const styled = new Promise((done) => (style.onload = style.onerror = done));
  document.head.append(style);
  // The bar has sentences of the player, too.
  const spoken = import("./player/texts.js").then(({ speak }) => speak(document.body));
  const [{ Bar }] = await Promise.all([import("./bar/bar.js"), styled, spoken]);
  return (window.tonearmBar.here = new Bar());
}

export function bar() {
  return own.tonearmBar();
}

/** The bar if there is one already. */
export function present() {
  return own.tonearmBar.here ?? null;
}

/** A row of a list as the queue has it. */
export function trackOf(row) {
  const { track: id, title, subtitle = "", seconds } = row.dataset;
  return { id, title, subtitle, duration: Number(seconds) };
}

/** The buttons of rows, which only scripts use, get their names here: pages stay small. */
function name() {
  for (const row of document.querySelectorAll("[data-track]:not([data-title])")) {
    const title = (row.dataset.title = row.querySelector("strong").textContent);
    const of = (css, message) => row.querySelector(css)?.setAttribute("aria-label", t(message, { title }));
    of("[data-play]", "script-play-track");
    of("[data-more]", "script-more-for-track");
    of("[data-grip]", "script-reorder-track");
    row.querySelector("[data-more]")?.setAttribute("aria-expanded", "false");
  }
}

name();
// Rows come and go with uploads and searches.
const main = document.querySelector("main");
if (main) new MutationObserver(name).observe(main, { childList: true, subtree: true });

addEventListener("click", async (event) => {
  const more = event.target.closest?.("[data-more]");
  if (more) return (await import("./row-menu.js").catch(() => null))?.open(more);
  const button = event.target.closest?.("[data-play]");
  if (!button) return;
  const row = button.closest("[data-track]");
  const rows = [...row.parentElement.children].filter((other) => other.querySelector("[data-play]"));
  (await bar())?.playFrom(rows.map(trackOf), rows.indexOf(row));
});

document.documentElement.classList.add("scripted");
const { base, person } = document.body.dataset;
try {
  if (own === window && base && sessionStorage.getItem(`tonearm-queue ${base} ${person}`)) bar();
} catch {
  // Frames and private windows may have no storage.
}
