// Keys that work anywhere in the player, also with Caps Lock.

/** @param {HTMLElement} card @param {{ toggle(): void, toggleMute(): void }} actions */
export function listenForKeys(card, { toggle, toggleMute }) {
  card.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest("select")) return;
    const key = event.key.toLowerCase();
    if (key === "m") toggleMute();
    else if (key === "k" || (key === " " && !target.closest("button, input, a, summary"))) toggle();
    else return;
    event.preventDefault();
  });
}
