// How the player looks. Pages around it can set `--tonearm-font`, `--tonearm-radius` and `--tonearm-background`.

const CSS = `
:host { color-scheme: light dark; display: block; container-type: inline-size; text-align: start }
:host([hidden]) { display: none }
:host([theme=light]) { color-scheme: light }
:host([theme=dark]) { color-scheme: dark }
* { box-sizing: border-box }
[hidden] { display: none !important }
button, select, input { font: inherit; color: inherit; margin: 0 }
button { border: 0; padding: 0; background: none; cursor: pointer; touch-action: manipulation }
svg { display: block; width: 100%; height: 100% }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }

.card {
  --light: #c2410c; --dark: #fb923c;
  --accent: light-dark(var(--light), var(--dark));
  --on-accent: light-dark(var(--on-light, #fff), var(--on-dark, #000));
  --ink: light-dark(#18181b, #fafafa);
  --soft: light-dark(#52525b, #a1a1aa);
  --line: light-dark(#e4e4e7, #2e2e33);
  --rest: light-dark(#a1a1aa, #63636c);
  --card: var(--tonearm-background, light-dark(#ffffff, #18181b));
  color: var(--ink);
  font: 400 .9375rem/1.35 var(--tonearm-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  display: grid; grid-template-columns: auto minmax(0, 1fr); background: var(--card); overflow: hidden;
  border: 1px solid var(--line); border-radius: var(--tonearm-radius, 14px);
}
.cover { width: 168px; height: 100%; min-height: 168px; object-fit: cover; background: var(--line) }
.main { display: grid; gap: 10px; padding: 16px 18px 12px; align-content: space-between; min-width: 0 }
.head { display: flex; align-items: center; gap: 14px; min-width: 0 }
.words { min-width: 0; flex: 1 }
.title, .subtitle { margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.title { font-size: 1.0625rem; font-weight: 650; letter-spacing: -.01em }
.subtitle { color: var(--soft); font-size: .875rem }
.play {
  flex: none; width: 48px; height: 48px; padding: 11px; border-radius: 50%;
  background: var(--accent); color: var(--on-accent); transition: filter .15s, transform .15s;
}
.play:hover { filter: brightness(1.08) }
.play:active { transform: scale(.95) }
.play[aria-busy=true] { animation: breathe 1s ease-in-out infinite alternate }
@keyframes breathe { to { opacity: .55 } }

.wave { position: relative; height: 52px; cursor: pointer; touch-action: pan-y; border-radius: 4px; user-select: none; -webkit-user-select: none }
.wave .rest { fill: var(--rest) }
.wave .ahead { fill: var(--accent); opacity: .4; clip-path: inset(0 calc(100% - var(--ahead, 0%)) 0 0) }
.wave .played { fill: var(--accent); clip-path: inset(0 calc(100% - var(--played, 0%)) 0 0) }
.tip {
  position: absolute; bottom: calc(100% + 2px); left: var(--ahead, 0%); transform: translateX(-50%); pointer-events: none;
  padding: 1px 6px; border-radius: 5px; background: var(--ink); color: var(--card); font-size: .75rem;
}
.foot { display: flex; align-items: center; gap: 4px; color: var(--soft); font-size: .8125rem; min-height: 32px }
.time { font-variant-numeric: tabular-nums; margin-inline-end: auto; white-space: nowrap }
.small { flex: none; width: 32px; height: 32px; padding: 6px; border-radius: 8px }
.small:hover, select:hover { background: color-mix(in srgb, var(--ink) 8%, transparent); color: var(--ink) }
.small:disabled { opacity: .35; cursor: default; background: none }
select { height: 32px; padding: 0 6px; border: 0; border-radius: 8px; background: transparent; cursor: pointer; font-size: .8125rem }
option { background: var(--card); color: var(--ink) }
.volume { width: 84px; height: 32px; accent-color: var(--accent); cursor: pointer }
.says { grid-column: 1 / -1; margin: 0; padding: 10px 18px; border-top: 1px solid var(--line); font-size: .875rem }
.says button { margin-inline-start: 8px; font-weight: 600; text-decoration: underline; text-underline-offset: 2px }

.list { grid-column: 1 / -1; margin: 0; padding: 6px; list-style: none; border-top: 1px solid var(--line); max-height: var(--tonearm-list, 320px); overflow: auto }
.list button { display: grid; grid-template-columns: 2.25em minmax(0, 1fr) auto; gap: 8px; width: 100%; padding: 9px 12px; border-radius: 8px; text-align: start }
.list button:hover { background: color-mix(in srgb, var(--ink) 6%, transparent) }
.list [aria-current=true] { font-weight: 650; background: color-mix(in srgb, var(--accent) 14%, transparent); box-shadow: inset 3px 0 var(--accent) }
.list .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.list .number, .list .length { color: var(--soft); font-variant-numeric: tabular-nums; font-weight: 400 }

:host([bare]) .card { border: 0; border-radius: 0; background: none; overflow: visible }
:host([bare]) .cover, :host([bare]) .words { display: none }
:host([bare]) .main { grid-template-columns: auto minmax(0, 1fr); grid-column: 1 / -1; padding: 0; gap: 8px 18px; align-items: center }
:host([bare]) .foot { grid-column: 1 / -1 }
:host([bare]) .wave { height: 84px }
:host([bare]) .play { width: 60px; height: 60px; padding: 14px }
:host([bare]) .list, :host([bare]) .says { padding-inline: 0 }
:host([fill]), :host([fill]) .card { height: 100% }
:host([fill]) .card { grid-template-rows: auto auto minmax(0, 1fr) }
:host([fill]) .says { grid-row: 2 }
:host([fill]) .list { grid-row: 3; max-height: none }

@container (max-width: 560px) {
  .cover { width: 56px; height: 56px; min-height: 0; margin: 12px 0 0 14px; border-radius: 8px; align-self: start }
  .main { display: contents }
  .head { padding: 12px 14px 0 14px }
  .wave, .foot { grid-column: 1 / -1; margin-inline: 14px }
  .wave { margin-top: 8px }
  .foot { margin-block: 2px 6px }
  :host([fill]) .card { grid-template-rows: auto auto auto auto minmax(0, 1fr) }
  :host([fill]) .says { grid-row: 4 }
  :host([fill]) .list { grid-row: 5 }
  .volume { display: none }
  :host([bare]) .main { display: grid }
  :host([bare]) .head { padding: 0 }
  :host([bare]) .wave, :host([bare]) .foot { margin: 0 }
  :host([bare]) .wave { height: 64px; grid-column: auto }
  :host([bare]) .play { width: 52px; height: 52px; padding: 12px }
  :host([bare]) .main { column-gap: 14px }
}
@container (max-width: 300px) { .cover, .foot select { display: none } }
@media (prefers-reduced-motion: reduce) { *, .play { animation: none !important; transition: none !important } }
@media (forced-colors: active) {
  .play, .small { border: 1px solid ButtonText }
  .wave .rest { fill: GrayText } .wave .played { fill: Highlight }
}
`;

let sheet;

/** Gives the shadow tree its style. A constructed sheet needs no inline style, so it passes any security policy. */
export function dress(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  root.adoptedStyleSheets = [sheet];
}
