// What can go wrong, and the sentence for each.

/**
 * @typedef {"link" | "session" | "offline" | "unavailable" | "missing" | "unsupported" | "damaged" | "empty"} ProblemKind
 */

/** @type {Record<ProblemKind, (title: string) => string>} */
const SENTENCES = {
  link: () => "This link is no longer valid. Ask for a new one.",
  session: () => "The session has ended. Reload the page to continue.",
  offline: () => "No connection to the server. Playback continues when it is back.",
  unavailable: () => "The audio is unavailable. Try again shortly.",
  missing: (title) => `${title} is no longer available.`,
  unsupported: (title) => `This browser cannot play ${title}.`,
  damaged: (title) => `The audio file of ${title} is damaged.`,
  empty: (title) => (title ? `${title} has no tracks to play yet.` : "No tracks to play yet."),
};

/** The sentence for a problem; `title` names the track, or the list if the list is empty. */
export function sentenceOf(kind, title) {
  if (kind === "empty") return SENTENCES.empty(title);
  return SENTENCES[kind](title ? `“${title}”` : "this track");
}

/** Whether waiting may solve it. */
export function isPassing(kind) {
  return kind === "offline" || kind === "unavailable";
}

/** Thrown by sources, and what the promise of `play()` is rejected with. */
export class Problem extends Error {
  /** @param {ProblemKind} kind @param {string} [title] */
  constructor(kind, title = "") {
    super(sentenceOf(kind, title));
    this.name = "TonearmError";
    this.kind = kind;
  }
}
