// Times as people say them.

const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 7]];

/**
 * What a page says of a moment: how long ago it was or how far away it is. Inside a sentence (`until …`) and where it is a week
 * away or more, the date and time, as `exact` writes them.
 * @param {Date} moment @param {Date} now @param {string} language @param {Intl.DateTimeFormat} exact @param {boolean} isInSentence
 */
export function told(moment, now, language, exact, isInSentence) {
  return (isInSentence ? null : relative(moment, now, language)) ?? exact.format(moment);
}

/**
 * `3 minutes ago`, `in 2 days`; nothing for what is a week away or more, which is better told as a date.
 * @param {Date} moment @param {Date} now @param {string} language
 */
export function relative(moment, now, language) {
  let amount = (moment.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  if (Math.abs(amount) < 45) return format.format(0, "second");
  for (const [unit, most] of UNITS) {
    const whole = Math.round(amount);
    if (Math.abs(whole) < most) return format.format(whole, unit);
    amount /= most;
  }
  return null;
}
