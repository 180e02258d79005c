// A page on which somebody waits for an upload, perhaps of another client, is loaded anew once it has come.

import { request } from "./signing-in.js";
import { watch } from "./watch.js";

const { base } = document.body.dataset;
const part = document.querySelector("[data-awaited]");
let isWritten = false;
let isOver = false;
addEventListener("input", () => (isWritten = true), { once: true });

watch(() => !isOver, async () => {
  const answer = await request(`${base}/tracks/${part.dataset.awaited}/row`).catch(() => null);
  const row = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-track]");
  isOver = answer?.status === 404 || (row && !("waiting" in row.dataset));
  // What is written or uploaded here goes on.
  if (isOver && !isWritten && !document.querySelector("[data-upload-list] > *")) location.reload();
});
