// Times are written by the server in UTC; here they become those of the reader.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) continue;
  time.textContent = format.format(moment);
  time.title = time.dateTime;
}
