// What a player knows.

/**
 * @typedef {import("./problem.js").ProblemKind} ProblemKind
 * @typedef {import("./playback.js").Track} Track
 * @typedef {{ kind: ProblemKind, title: string, isRetrying: boolean, isQuiet: boolean, resumes: boolean }} Trouble
 * @typedef {(name: string, detail?: object) => void} Act queues a command
 *
 * @typedef {object} State
 * @property {number} now the time of the last event, in milliseconds
 * @property {number} turn the number of the last request for data; answers to others are ignored
 * @property {"open" | "track" | "renewal" | null} step what was asked for last
 * @property {boolean} isLoading whether its answer is still awaited
 * @property {boolean} isSwitching another session is being opened, which may continue the current track
 * @property {string} title of the list
 * @property {import("./playback.js").Listed[]} tracks
 * @property {number} index the chosen track in the list
 * @property {Track | null} track the track that is shown; differs from the chosen one while that is loading
 * @property {number} sourceIndex
 * @property {number[]} tried sources of the track that failed
 * @property {boolean} isRenewed the URLs were renewed, and nothing has been heard since
 * @property {boolean} isThere the server delivers them, as far as anybody can tell
 * @property {boolean} isStale the URLs belong to a session that was replaced
 * @property {boolean} isOpen the audio element has a source
 * @property {boolean} isPending somebody asked for sound that is not heard yet
 * @property {boolean} isPlaying the audio element is not paused
 * @property {boolean} isWaiting the audio element waits for data
 * @property {boolean} isHeard `tonearm-play` was dispatched, and neither a pause nor the end followed
 * @property {number} position seconds
 * @property {number | null} seekFrom where a seek that is under way began
 * @property {number} quarters how many quarters of the track were told
 * @property {string | null} quality the label of the quality that was chosen
 * @property {string[]} failed ids of tracks that cannot be played
 * @property {number} skips tracks that were left in a row, with nothing heard between them
 * @property {string[]} skipped those of them that the server has
 * @property {Trouble | null} problem what keeps the player from playing
 * @property {{ kind: ProblemKind, title: string } | null} notice a track that was skipped
 * @property {number} retries
 * @property {number} steadyFrom where it began after the last failure or seek, in seconds
 * @property {number | null} watched the position when the watch over an open source began
 * @property {{ index: number, track: Track | null } | null} ahead the following track, loaded ahead of time
 * @property {boolean} isExpiryTold the page was asked to renew the session
 * @property {number} renewals sessions that the page gave, and nothing has been heard since
 * @property {boolean} isRenewing it said that it does, and may take its time
 */

/** @type {State} */
export const INITIAL = {
  now: 0, turn: 0, step: null, isLoading: false, isSwitching: false,
  title: "", tracks: [], index: 0, track: null, sourceIndex: -1, tried: [],
  isRenewed: false, isThere: false, isStale: false, isOpen: false,
  isPending: false, isPlaying: false, isWaiting: false, isHeard: false,
  position: 0, seekFrom: null, quarters: 0, quality: null,
  failed: [], skips: 0, skipped: [], problem: null, notice: null, retries: 0, steadyFrom: 0, watched: null, ahead: null,
  isExpiryTold: false, renewals: 0, isRenewing: false,
};
