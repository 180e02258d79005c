// Selecting tracks and putting them in order. Without these scripts, the boxes and buttons of a list are an ordinary form.

import "./select.js";

/** What moves rows is loaded when somebody is about to. */
let loading = null;
let reorder = null;

/** Gives nothing where it cannot be loaded now; it is tried again the next time. */
async function load() {
  loading ??= import("./reorder.js").catch(() => (loading = null));
  return (reorder = await loading);
}

const isGrip = (event) => event.target.closest?.("[data-rows] [data-grip]");

for (const name of ["pointerover", "focusin"]) addEventListener(name, (event) => isGrip(event) && load());
addEventListener("pointerdown", async (event) => {
  if (reorder || !isGrip(event)) return;
  event.preventDefault();
  // Somebody may let go before the script is there. Then the row is moved at once.
  let last = null;
  const ended = new AbortController();
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, (end) => (last ??= end), { signal: ended.signal });
  await load();
  ended.abort();
  if (!reorder || last?.type === "pointercancel") return;
  reorder.grab(event);
  if (last) dispatchEvent(new PointerEvent("pointerup", last));
});
addEventListener("keydown", async (event) => {
  if (reorder || !isGrip(event)) return;
  if (event.key === " " || event.key === "Enter") event.preventDefault();
  (await load())?.press(event);
});
