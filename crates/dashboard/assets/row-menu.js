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

/** Opens the menu of a row under its button. */
export function open(button) {
  const wasOpenHere = menu?.isConnected && menu.dataset.of === button.closest("[data-track]").dataset.track;
  close();
  if (wasOpenHere) return;
  const row = button.closest("[data-track]");
  menu = document.createElement("div");
  menu.className = "popup";
  menu.dataset.of = row.dataset.track;
  menu.setAttribute("role", "group");
  menu.setAttribute("aria-label", t("script-more-for-track", { title: row.dataset.title }));
  menu.append(...CHOICES.map(([message, act]) => {
    const choice = document.createElement("button");
    choice.type = "button";
    choice.textContent = t(message);
    choice.addEventListener("click", async () => {
      close();
      button.focus();
      const playing = await bar();
      if (playing) act(playing, trackOf(row));
    });
    return choice;
  }));
  // Whoever may select tracks may share them.
  if (row.querySelector(".pick")) menu.append(sharing(row, button));
  // Next in the order of the page, so that Tab leads on from it.
  button.after(menu);
  place(button);
  menu.firstElementChild.focus();
}

/** A link to the page with the share links of a track, which opens as a dialog. */
function sharing(row, button) {
  const link = document.createElement("a");
  link.className = "button";
  link.href = `${row.querySelector("a.row").pathname}/share`;
  link.dataset.share = "";
  link.textContent = t("script-share-track");
  link.addEventListener("click", () => {
    close();
    button.focus();
  });
  // Without it, the link opens the page.
  import("./share.js").catch(() => null);
  return link;
}

function place(button) {
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const isFromRight = getComputedStyle(button).direction === "rtl";
  const below = bottom + menu.offsetHeight < innerHeight;
  menu.style.top = `${below ? bottom : top - menu.offsetHeight}px`;
  const at = isFromRight ? Math.min(left, innerWidth - menu.offsetWidth - EDGE) : Math.max(EDGE, right - menu.offsetWidth);
  menu.style.left = `${at}px`;
}

function close() {
  menu?.remove();
  menu = null;
}

document.addEventListener("keydown", (event) => {
  if (!menu || event.key !== "Escape") return;
  event.preventDefault();
  const button = menu.previousElementSibling;
  close();
  button?.focus();
});
document.addEventListener("pointerdown", (event) => {
  if (menu && !menu.contains(event.target) && !event.target.closest?.("[data-more]")) close();
});
document.addEventListener("focusin", (event) => {
  if (menu && !menu.contains(event.target) && !event.target.closest?.("[data-more]")) close();
});
addEventListener("scroll", close, { passive: true, capture: true });
addEventListener("resize", close);
