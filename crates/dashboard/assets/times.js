// Times are written by the server in UTC; here they become those of the reader.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.textContent = format.format(moment);
    time.title = time.dateTime;
  }
}

localise(document);
