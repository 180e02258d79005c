// The state of a player: one reducer over what people ask for, what the audio element reports, and what the server answers.
//
// `reduce` is pure. It returns the next state and the commands that the player carries out (see player.js). Whether the
// player is playing is observed, never remembered: `isPlaying` is what the element said last.

import { failures } from "./state-failures.js";
import { listening } from "./state-listening.js";
import { lists } from "./state-lists.js";

/** @typedef {import("./state-initial.js").State} State */
/** @typedef {import("./state-initial.js").Act} Act */

export { INITIAL } from "./state-initial.js";

/** @type {Record<string, (state: State, event: any, act: Act) => State>} */
const HANDLERS = { ...lists, ...listening, ...failures };

/** @param {State} state @param {{ type: string }} event @returns {{ state: State, commands: { name: string }[] }} */
export function reduce(state, event) {
  const commands = [];
  const act = (name, detail) => { commands.push({ name, ...detail }); };
  return { state: HANDLERS[event.type](state, event, act), commands };
}
