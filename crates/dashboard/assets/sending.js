// A form is sent once, however often its button is clicked: a double click would create two keys, and show only the second.

/** After so many milliseconds it may be sent again: the page may have stayed, as where somebody stopped loading the next one. */
const AGAIN_MS = 5000;

/** When each form was sent. */
let sentAt = new WeakMap();

// On the window, as what asks before a form is sent may stop it on the way there.
addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  const isRepeated = event.timeStamp - sentAt.get(form) < AGAIN_MS;
  if (isRepeated) return event.preventDefault();
  sentAt.set(form, event.timeStamp);
});

// Somebody has come back to the page.
addEventListener("pageshow", () => (sentAt = new WeakMap()));
