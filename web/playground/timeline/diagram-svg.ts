/** Exports a sequence diagram as SVG, for slides and documents: black on white, without style sheet or script. */

import type { Store } from '../messages/store.ts'
import type { Bars } from './bars.ts'
import {
  arrowOf,
  boxesOf,
  columnsOf,
  fit,
  listed,
  middle,
  type Naming,
  tailOf,
  widthOf,
} from './diagram.ts'

/** Programs take minutes to open larger files. */
export const maxSvgMessages = 1000 // messages

const step = 40 // px
const head = 48 // px
const letter = 7.3 // px, of 12 px monospace

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * @param rows - of the store, oldest first; the first {@link maxSvgMessages} are drawn
 * @param say - the label of a message
 * @param client - the word for a client
 * @param revision - of a row; default: as its connection declared it
 */
export function diagramSvg(
  store: Store,
  bars: Bars,
  rows: readonly number[],
  name: Naming,
  say: (row: number) => string,
  client = 'Client',
  revision: (row: number) => string | undefined = (row) => store.revision(row),
): string {
  const drawn = listed(rows.slice(0, maxSvgMessages))
  const latest = new Map<number, number>() // the last row by connection
  for (const row of rows.slice(0, maxSvgMessages)) latest.set(store.connection(row), row)
  const columns = columnsOf(latest.keys(), name, client, (connection) =>
    revision(latest.get(connection) as number),
  )
  const width = Math.max(640, columns.length * 240)
  const height = head + (drawn.length + 0.5) * step
  const measures = { width, step, bar: 10 }
  const parts: string[] = []
  for (const [index, { title, revision }] of columns.entries()) {
    const x = middle(index, columns.length, width)
    parts.push(
      `<line x1="${x}" y1="${head - 10}" x2="${x}" y2="${height}" stroke="#999" stroke-dasharray="3 4"/>`,
      `<rect x="${x - 100}" y="8" width="200" height="30" rx="6" fill="#fff" stroke="#333"/>`,
      `<text x="${x}" y="${revision ? 21 : 28}" text-anchor="middle" font-weight="bold">${escaped(fit(title, 190, 8))}</text>`,
    )
    if (revision)
      parts.push(
        `<text x="${x}" y="34" text-anchor="middle" font-size="11">${escaped(revision)}</text>`,
      )
  }
  for (const box of boxesOf(bars, drawn, 0, drawn.length, columns, measures)) {
    parts.push(
      `<rect x="${round(box.x)}" y="${round(head + box.y)}" width="${box.width}" height="${round(box.height)}" fill="#dfe5ff" stroke="#3451c6"/>`,
    )
  }
  for (let index = 0; index < drawn.length; index++) {
    const arrow = arrowOf(store, drawn, index, columns, measures)
    const { kind, x1, x2 } = arrow
    const y = round(head + arrow.y)
    const label = say(arrow.row)
    if (kind === 'world') {
      const wide = Math.max(200, Math.abs(x2 - x1))
      const left = Math.min(width - wide - 4, Math.max(4, (x1 + x2) / 2 - wide / 2))
      parts.push(
        `<rect x="${round(left)}" y="${round(y - 20)}" width="${wide}" height="26" rx="4" fill="#fff6d6" stroke="#a68b2d"/>`,
        `<text x="${round(left + wide / 2)}" y="${round(y - 3)}" text-anchor="middle">${escaped(fit(label, wide - 12, letter))}</text>`,
      )
      continue
    }
    const state = store.state(arrow.row)
    const bad = kind === 'error' || kind === 'broken' || state === 'failed'
    const colour = bad ? '#b3261e' : state === 'input' ? '#8a5a00' : '#222'
    const dash = kind === 'result' || kind === 'error' ? ' stroke-dasharray="6 4"' : ''
    const back = x2 < x1 ? 1 : -1
    const tail = tailOf(label, Math.abs(x2 - x1) - 24, letter)
    const text = tail === label ? label : `…${tail}`
    const under = widthOf(text, letter) + 8 // covers the lifelines behind the text
    parts.push(
      `<line x1="${x1}" y1="${y}" x2="${x2}" y2="${y}" stroke="${colour}" stroke-width="1.5"${dash}/>`,
      `<path d="M${x2},${y}l${back * 9},-5v10z" fill="${colour}"/>`,
      `<rect x="${round((x1 + x2 - under) / 2)}" y="${round(y - 18)}" width="${round(under)}" height="16" fill="#fff"/>`,
      `<text x="${(x1 + x2) / 2}" y="${round(y - 6)}" text-anchor="middle" fill="${colour}">${escaped(text)}</text>`,
    )
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>\n`
}

const round = (px: number) => Math.round(px * 10) / 10
