// Times are written by the server in UTC; here they become those of the reader: `3 minutes ago`, and exactly as a title. Those
// marked `data-exact` are part of a sentence that `3 minutes ago` would not fit into.

import { told } from "./relative.js";
import { locale } from "./texts.js";

const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const EVERY_MS = 30_000;

/** Shows the times of a part of the page as those of the reader. */
export function localise(part = document) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const text = told(moment, new Date(), locale, exact, "exact" in time.dataset);
    if (time.textContent !== text) time.textContent = text;
    time.title = exact.format(moment);
  }
}

localise();
setInterval(localise, EVERY_MS);
