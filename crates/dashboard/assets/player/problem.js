// What can go wrong, and the sentence for each.

import { t } from "./texts.js";

/**
 * @typedef {"link" | "session" | "setup" | "offline" | "unavailable" | "missing" | "unsupported" | "damaged" | "device" | "empty"} ProblemKind
 */

/** Without a title, and with one. @type {Record<ProblemKind, string[]>} */
const SENTENCES = {
  link: ["This link is no longer valid. Ask for a new one."],
  session: ["The session has ended. Reload the page to continue."],
  setup: ["This page names no tracks: set the attribute “tracks”, or api.public_play_sessions."],
  offline: ["No connection to the server."],
  unavailable: ["The audio is unavailable."],
  missing: ["This track is no longer available.", "“{title}” is no longer available."],
  unsupported: ["This browser cannot play this track.", "This browser cannot play “{title}”."],
  damaged: ["The audio file of this track is damaged.", "The audio file of “{title}” is damaged."],
  device: ["This browser cannot play sound now."],
  empty: ["No tracks to play yet.", "{title} has no tracks to play yet."],
};

/** The sentence for a problem; `title` names the track, or the list if the list is empty. */
export function sentenceOf({ kind, title, isRetrying, resumes }) {
  const [plain, named = plain] = SENTENCES[kind];
  const sentence = t(title ? named : plain, { title });
  return isRetrying && resumes && isPassing(kind) ? `${sentence} ${t("Playback continues when it can.")}` : sentence;
}

/** Whether waiting may solve it. */
export function isPassing(kind) {
  return ["offline", "unavailable", "device"].includes(kind);
}

/** Thrown by sources, and what the promise of `play()` is rejected with. */
export class Problem extends Error {
  /** @param {ProblemKind} kind @param {string} [title] */
  constructor(kind, title = "") {
    super(sentenceOf({ kind, title }));
    this.name = "TonearmError";
    this.kind = kind;
  }
}
