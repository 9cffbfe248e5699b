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
  --_radius: var(--pagemcp-access-radius, .75em);
  display: block; container-type: inline-size; min-width: min(100%, 18em)
}
:host([hidden]), [hidden] { display: none !important }
* { box-sizing: border-box }
.panel { padding: 1em; border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface);
  color: var(--_ink); font: var(--pagemcp-access-font, inherit); line-height: 1.45; text-align: start; overflow-wrap: anywhere }
h2, p, ul, ol { margin: 0; padding: 0; list-style: none }
h2 { font-size: 1.125em }
.status, .none { margin: .375em 0 .75em; color: var(--_soft) }
.paused .status { color: var(--_warn); font-weight: 600 }
.problem { color: var(--_warn) }
.problem:not(:empty) { margin: .75em 0 }
.buttons { display: flex; flex-wrap: wrap; gap: .5em }
button { min-height: 44px; min-width: 44px; padding: .375em .875em; border: 1px solid var(--_line);
  border-radius: .5em; background: transparent; color: inherit; font: inherit; cursor: pointer }
button:hover { background: color-mix(in srgb, var(--_ink) 7%, var(--_surface)) }
button:disabled, button[aria-disabled] { opacity: .55; cursor: default }
button.stop { color: var(--_warn) }
:focus-visible { outline: 2px solid; outline-offset: 2px }
table { width: 100%; margin-top: .75em; border-collapse: collapse }
th, td { padding: .625em .75em .625em 0; border-top: 1px solid var(--_line); text-align: start; vertical-align: top; font-weight: 400 }
thead th { padding: .25em 0; border: 0; color: var(--_soft); font-size: .875em }
td:last-child { padding-inline-end: 0 }
td .buttons { justify-content: flex-end }
.name { font-weight: 600 }
.active .name::after { content: ""; display: inline-block; width: .5em; height: .5em; margin-inline-start: .375em;
  border-radius: 50%; background: var(--_accent) }
.note { display: block; color: var(--_soft); font-size: .875em }
.stopped .name { text-decoration: line-through }
.detail { color: var(--_soft) }
.denied .detail, .denied .decision { color: var(--_warn) }
details { margin-top: .75em; border-top: 1px solid var(--_line) }
summary { padding-block: .75em; min-height: 44px; cursor: pointer }
.entries { font-size: .875em }
.entry { padding: .25em 0 }
.entry .time, .entry .decision { color: var(--_soft) }
.time { font-variant-numeric: tabular-nums }
.provider { margin-top: .75em; color: var(--_soft); font-size: .875em }
.said { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@container (inline-size < 44em) {
  table, tbody, tr, td, tr > th { display: block }
  thead { position: absolute; clip-path: inset(50%) }
  tr.row { padding: .625em 0; border-top: 1px solid var(--_line) }
  tr.row > * { padding: .125em 0; border: 0 }
  td[data-label] { display: grid; grid-template-columns: 6.5em 1fr; gap: .5em }
  td[data-label]::before { content: attr(data-label) / ""; color: var(--_soft); font-size: .875em }
  td .buttons { justify-content: flex-start; margin-top: .375em }
}
:host(pagemcp-access-indicator) { display: inline-block; container-type: normal; min-width: 0 }
.box { position: relative; font: var(--pagemcp-access-font, inherit) }
.indicator { display: inline-flex; align-items: center; gap: .5em; border-radius: 99px; background: var(--_surface); color: var(--_ink) }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: min(28em, 70vw) }
.dot { flex: none; width: .625em; height: .625em; border-radius: 50%; background: var(--_accent) }
dialog { width: min(56em, calc(100vw - 1em)); max-height: calc(100dvh - 1em); padding: .5em; border: 0;
  border-radius: var(--_radius); background: var(--_surface); color: var(--_ink); overflow: auto; white-space: normal }
dialog::backdrop { background: #0008 }
dialog .close { display: block; margin: .5em auto 0 }
`
