// Countries are written by the server as codes; here they get their names in the language of the page.

import { locale } from "./texts.js";

const names = new Intl.DisplayNames(locale, { type: "region" });

for (const place of document.querySelectorAll("[data-country]")) {
  const code = place.textContent.trim();
  // A code without a name stays as it is.
  [place.textContent, place.title] = [names.of(code), code];
}
