// Sentences in the language of the page. The modules have them in English; a file beside the player has them in another language,
// by the English ones. What it does not have, or a file that is not there, leaves English.

const LANGUAGES = ["de", "es", "fr"];
/** Nobody waits longer for it. */
const DEADLINE_MS = 3000;

/** @type {Record<string, string>} */
let sentences = {};

/** For `Intl`. */
export let language = "en";

/** @type {Promise<void> | undefined} */
let asked;

/**
 * A sentence in the language of the page; `{name}` stands for a value.
 * @param {string} sentence in English @param {Record<string, string | number>} [values]
 */
export function t(sentence, values) {
  return (sentences[sentence] ?? sentence).replace(/{(\w+)}/g, (_, name) => values[name]);
}

/** Finds the language of a part of the page. All players of a page have that of the first. @param {Element} part */
export function speak(part) {
  return (asked ??= load(part));
}

/** Waits until the language is there that was asked for, if any was. */
export function ready() {
  return asked;
}

async function load(part) {
  const [name] = (part.closest("[lang]")?.lang || navigator.language).toLowerCase().split("-");
  if (!LANGUAGES.includes(name)) return;
  const late = new Promise((_, reject) => setTimeout(reject, DEADLINE_MS));
  try {
    const { default: own } = await Promise.race([import(new URL(`texts-${name}.js`, import.meta.url)), late]);
    [sentences, language] = [own, name];
  } catch {
    // It stays English.
  }
}
