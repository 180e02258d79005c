// Times are written by the server in UTC; here they become those of the reader: `3 minutes ago`, and exactly as a title.

import { relative } from "./relative.js";
import { locale } from "./texts.js";

const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const EVERY_MS = 30_000;

/** Shows the times of a part of the page as those of the reader. */
export function localise(part = document) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const told = exact.format(moment);
    const text = relative(moment, new Date(), locale) ?? told;
    if (time.textContent !== text) time.textContent = text;
    time.title = told;
  }
}

localise();
setInterval(localise, EVERY_MS);
