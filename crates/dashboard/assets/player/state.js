// The state of a player: one reducer over what people ask for, what the audio element reports, and what the server answers.
//
// `reduce` is pure. It returns the next state and the commands that the player carries out (see player.js). Whether the
// player is playing is observed, never remembered: `isPlaying` is what the element said last.

import { failures } from "./state-failures.js";
import { listening } from "./state-listening.js";
import { lists } from "./state-lists.js";
import { isOn } from "./state-steps.js";

/** @typedef {import("./state-initial.js").State} State */
/** @typedef {import("./state-initial.js").Act} Act */

export { INITIAL } from "./state-initial.js";

/** How often it is looked whether time advances. */
const WATCH_MS = 15_000;

/** @type {Record<string, (state: State, event: any, act: Act) => State>} */
const HANDLERS = { ...lists, ...listening, ...failures };

/** Where an open source is wanted, its time advances, or `watched` does something about it. */
function watch(state, act) {
  const isDue = state.isOpen && isOn(state);
  if (isDue === (state.watched !== null)) return state;
  if (isDue) act("watch", { after: WATCH_MS });
  return { ...state, watched: isDue ? state.position : null };
}

/** @param {State} state @param {{ type: string, now?: number }} event `now` in milliseconds @returns {{ state: State, commands: { name: string }[] }} */
export function reduce(state, event) {
  const commands = [];
  const act = (name, detail) => { commands.push({ name, ...detail }); };
  const known = event.now ? { ...state, now: event.now } : state;
  return { state: watch(HANDLERS[event.type](known, event, act), act), commands };
}
