// Texts in the language of the page. They are messages of `locales/<language>/script.ftl`.

import { language, messages } from "./texts-table.js";

const plurals = new Intl.PluralRules(language);

/** The reader's own variety of the language, such as `en-GB`, for dates and numbers. */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/**
 * A text. `{name}` is replaced by the argument of that name; where a message has plural forms, `count` decides.
 * @param {string} id @param {Record<string, string | number>} [values]
 */
export function t(id, values = {}) {
  const message = messages[id] ?? id;
  const form = typeof message === "string" ? message : (message[plurals.select(values.count)] ?? message.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
