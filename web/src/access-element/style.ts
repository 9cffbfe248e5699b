let sheet: CSSStyleSheet | undefined

/**
 * The style sheet of the elements: constructed, so that it is allowed under every Content-Security-Policy. It uses the
 * font of the page, system colours of its colour scheme, and the custom properties `--pagemcp-access-*`.
 */
export function styles(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
  }
  return sheet
}

const css = `
:host {
  --_ink: var(--pagemcp-access-ink, CanvasText);
  --_surface: var(--pagemcp-access-surface, Canvas);
  --_line: var(--pagemcp-access-line, color-mix(in srgb, var(--_ink) 22%, var(--_surface)));
  --_soft: color-mix(in srgb, var(--_ink) 72%, var(--_surface));
  --_warn: var(--pagemcp-access-warn, light-dark(#b3261e, #ff9d94));
  --_accent: var(--pagemcp-access-accent, light-dark(#1d7a3a, #6fd58d));
  --_radius: var(--pagemcp-access-radius, .75rem);
  display: block; container-type: inline-size; min-inline-size: min(100%, 18rem)
}
:host([hidden]), [hidden] { display: none !important }
* { box-sizing: border-box }
.panel { padding: 1rem; border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface);
  color: var(--_ink); font: var(--pagemcp-access-font, inherit); line-height: 1.45; text-align: start; overflow-wrap: anywhere }
h2, p, ul, ol { margin: 0; padding: 0; list-style: none }
h2 { font-size: 1.125em; outline-offset: 2px }
.status, .none { margin-block: .375rem .75rem; color: var(--_soft) }
.paused .status { color: var(--_warn); font-weight: 600 }
.problem { color: var(--_warn) }
.problem:not(:empty) { margin-block: .75rem }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem }
button { min-block-size: 44px; min-inline-size: 44px; padding: .375rem .875rem; border: 1px solid var(--_line);
  border-radius: calc(var(--_radius) * .67); background: transparent; color: inherit; font: inherit; cursor: pointer }
button:hover { background: color-mix(in srgb, var(--_ink) 7%, var(--_surface)) }
button:disabled, button[aria-disabled] { opacity: .55; cursor: default }
button.stop { color: var(--_warn) }
:focus-visible { outline: 2px solid var(--pagemcp-access-focus, Highlight); outline-offset: 2px }
table { inline-size: 100%; margin-block-start: .75rem; border-collapse: collapse }
th, td { padding: .625rem .75rem .625rem 0; border-block-start: 1px solid var(--_line); text-align: start; vertical-align: top; font-weight: 400 }
thead th { padding-block: .25rem; border: 0; color: var(--_soft); font-size: .875em }
td:last-child { padding-inline-end: 0 }
td .buttons { justify-content: flex-end }
.name { font-weight: 600 }
.active .name::after { content: ""; display: inline-block; inline-size: .5rem; block-size: .5rem; margin-inline-start: .375rem;
  border-radius: 50%; background: var(--_accent) }
.note { display: block; color: var(--_soft); font-size: .875em }
.stopped .name { text-decoration: line-through }
.detail { color: var(--_soft) }
.denied .detail, .denied .decision { color: var(--_warn) }
details { margin-block-start: .75rem; border-block-start: 1px solid var(--_line) }
summary { display: flex; align-items: center; gap: .5rem; min-block-size: 44px; cursor: pointer }
summary::before { content: "▸" / ""; inline-size: 1em }
[open] > summary::before { content: "▾" / "" }
.entries { font-size: .875em }
.entry { padding-block: .25rem }
.entry .time, .entry .decision { color: var(--_soft) }
.time { font-variant-numeric: tabular-nums }
.provider { margin-block-start: .75rem; color: var(--_soft); font-size: .875em }
.said { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@container (inline-size < 44rem) {
  table, tbody, tr, td, tr > th { display: block }
  thead { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%) }
  tr.row { padding-block: .625rem; border-block-start: 1px solid var(--_line) }
  tr.row > * { padding: .125rem 0; border: 0 }
  td[data-label] { display: grid; grid-template-columns: 6.5em 1fr; gap: .5rem }
  td[data-label]::before { content: attr(data-label) / ""; color: var(--_soft); font-size: .875em }
  td .buttons { justify-content: flex-start; margin-block-start: .375rem }
}
:host(pagemcp-access-indicator) { display: inline-block; container-type: normal; min-inline-size: 0 }
.box { position: relative; font: var(--pagemcp-access-font, inherit) }
.indicator { display: inline-flex; align-items: center; gap: .5rem; max-inline-size: 100%; border-radius: 99px; background: var(--_surface); color: var(--_ink) }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-inline-size: min(28rem, 70vw) }
.dot { flex: none; inline-size: .625rem; block-size: .625rem; border-radius: 50%; background: var(--_accent) }
dialog { inline-size: min(56rem, calc(100vw - 1rem)); max-block-size: calc(100dvh - 1rem); padding: .5rem; border: 1px solid var(--_line);
  border-radius: calc(var(--_radius) + .375rem); background: var(--_surface); color: var(--_ink); overflow: auto; white-space: normal }
dialog::backdrop { background: #0008 }
dialog .close { display: block; margin: .5rem auto 0 }
`
