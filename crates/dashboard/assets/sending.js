// A form is sent once: a double click would create two keys, and show only the second.

/** Later it may be sent again, as where somebody stopped loading the next page. */
const AGAIN_MS = 5000;

let sentAt = new WeakMap();

// On the window, after what asks before a form is sent.
addEventListener("submit", (event) => {
  const { target: form, timeStamp } = event;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  if (timeStamp - sentAt.get(form) < AGAIN_MS) return event.preventDefault();
  sentAt.set(form, timeStamp);
});

// Somebody has come back to the page.
addEventListener("pageshow", () => (sentAt = new WeakMap()));
