// The menu of a row: where in the queue its track goes, and its share links.

import { bar, trackOf } from "./listening.js";
import { t } from "./texts.js";

const CHOICES = [
  ["script-play-next", (queue, track) => queue.playNext(track)],
  ["script-add-to-queue", (queue, track) => queue.addToQueue(track)],
];

/** Pixels between the menu and the edge of the window, at least. */
const EDGE = 8;

let menu = null;
/** The button that opened it. */
let opener = null;

/** Opens the menu of a row under its button. */
export function open(button) {
  const wasOpenHere = menu?.isConnected && opener === button;
  close();
  if (wasOpenHere) return;
  const row = button.closest("[data-track]");
  menu = document.createElement("div");
  menu.className = "popup";
  menu.setAttribute("role", "group");
  menu.setAttribute("aria-label", t("script-more-for-track", { title: row.dataset.title }));
  menu.append(...CHOICES.map(([message, act]) => {
    const choice = document.createElement("button");
    choice.type = "button";
    choice.textContent = t(message);
    choice.addEventListener("click", async () => {
      close();
      const playing = await bar();
      if (playing) act(playing, trackOf(row));
    });
    return choice;
  }));
  // Whoever may select tracks may share them.
  if (row.querySelector(".pick")) menu.append(sharing(row));
  // Next in the order of the page, so that Tab leads on from it.
  button.after(menu);
  opener = button;
  opener.setAttribute("aria-expanded", "true");
  place();
  menu.firstElementChild.focus();
}

/** A link to the page with the share links of a track, which opens as a dialog. */
function sharing(row) {
  const link = document.createElement("a");
  link.className = "button";
  link.href = `${row.querySelector("a.row").pathname}/share`;
  link.dataset.share = "";
  link.textContent = t("script-share-track");
  link.addEventListener("click", close);
  // Without it, the link opens the page.
  import("./share.js").catch(() => null);
  return link;
}

function place() {
  const { left, right, bottom, top } = opener.getBoundingClientRect();
  const isFromRight = getComputedStyle(opener).direction === "rtl";
  const below = bottom + menu.offsetHeight < innerHeight;
  menu.style.top = `${below ? bottom : top - menu.offsetHeight}px`;
  const at = isFromRight ? Math.min(left, innerWidth - menu.offsetWidth - EDGE) : Math.max(EDGE, right - menu.offsetWidth);
  menu.style.left = `${at}px`;
}

/** The focus goes back to the button, unless it is elsewhere already. */
function close() {
  if (!menu) return;
  const { activeElement, body } = document;
  const hadFocus = activeElement === body || menu.contains(activeElement);
  menu.remove();
  menu = null;
  opener.setAttribute("aria-expanded", "false");
  if (hadFocus) opener.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (!menu || event.key !== "Escape") return;
  event.preventDefault();
  close();
});
document.addEventListener("pointerdown", (event) => {
  if (menu && !menu.contains(event.target) && !event.target.closest?.("[data-more]")) close();
});
document.addEventListener("focusin", (event) => {
  if (menu && !menu.contains(event.target) && !event.target.closest?.("[data-more]")) close();
});
addEventListener("scroll", close, { passive: true, capture: true });
addEventListener("resize", close);
