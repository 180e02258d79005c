// The system's own controls: lock screen, headset buttons, media keys.

const LEAP_SECONDS = 10;
const ACTIONS = ["play", "pause", "stop", "seekbackward", "seekforward", "seekto", "previoustrack", "nexttrack"];

/** Hands the system's controls to a player; the one that started last has them. */
export function claimSystemControls(player, track) {
  const session = navigator.mediaSession;
  if (!session) return;
  const sizes = { icon: 80, small: 200, regular: 400, large: 1000 };
  const artwork = Object.entries(track.cover ?? {}).map(([size, src]) => ({
    src, sizes: `${sizes[size]}x${sizes[size]}`, type: "image/jpeg",
  }));
  session.metadata = new MediaMetadata({ title: track.title, artist: track.subtitle ?? "", artwork });
  const actions = {
    play: () => player.play().catch(() => {}),
    pause: () => player.pause(),
    stop: () => player.pause(),
    seekbackward: ({ seekOffset }) => player.seek(player.position - (seekOffset ?? LEAP_SECONDS)),
    seekforward: ({ seekOffset }) => player.seek(player.position + (seekOffset ?? LEAP_SECONDS)),
    seekto: ({ seekTime }) => player.seek(seekTime),
    // Their absence hides the buttons.
    previoustrack: player.hasPrevious ? () => player.previous() : null,
    nexttrack: player.hasNext ? () => player.next() : null,
  };
  for (const [action, handler] of Object.entries(actions)) handle(action, handler);
}

/** Takes them from a player that has left the page. */
export function releaseSystemControls() {
  const session = navigator.mediaSession;
  if (!session) return;
  [session.metadata, session.playbackState] = [null, "none"];
  for (const action of ACTIONS) handle(action, null);
}

function handle(action, handler) {
  try {
    navigator.mediaSession.setActionHandler(action, handler);
  } catch {
    // A browser that does not know the action.
  }
}

/** Tells the system whether and where it plays. */
export function reportToSystem({ isPlaying, duration, position, speed }) {
  const session = navigator.mediaSession;
  if (!session) return;
  session.playbackState = isPlaying ? "playing" : "paused";
  if (!(duration > 0) || !(speed > 0) || !session.setPositionState) return;
  session.setPositionState({ duration, playbackRate: speed, position: Math.min(duration, Math.max(0, position)) });
}
