// The style of the player, without inline styles, so that it passes any security policy.

import CSS from "./built/player.css";

/** Shared by all players of a page; null in browsers that cannot construct one. */
let sheet;

function constructed() {
  try {
    const made = new CSSStyleSheet();
    made.replaceSync(CSS);
    return made;
  } catch {
    return null;
  }
}

/** Fills the shadow tree with a card, and gives it its style. */
export function dress(root, card) {
  if (sheet === undefined) sheet = "adoptedStyleSheets" in Document.prototype ? constructed() : null;
  if (sheet) {
    root.adoptedStyleSheets = [sheet];
  } else {
    // The same style as a file. The card is shown once it is there, or cannot be had.
    const link = document.createElement("link");
    [link.rel, link.href] = ["stylesheet", new URL("player.css", import.meta.url).href];
    card.hidden = true;
    for (const name of ["load", "error"]) link.addEventListener(name, () => { card.hidden = false; });
    root.append(link);
  }
  root.append(card);
}
