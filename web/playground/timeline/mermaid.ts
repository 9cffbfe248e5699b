/** Exports messages as a Mermaid sequence diagram. https://mermaid.js.org/syntax/sequenceDiagram.html */

import type { Store } from '../messages/store.ts'
import { type Column, columnsOf, endsOf, type Naming } from './diagram.ts'
import { outcome, targetText } from './format.ts'

/** Mermaid accepts at most 50,000 characters. */
export const maxMermaidMessages = 300 // messages

/** One line; characters with a meaning in Mermaid (`%%{` starts a directive anywhere) are escaped. */
const escaped = (text: string) =>
  text
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 120)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/[#;<>%]/g, (character) => `#${character.charCodeAt(0)};`) || '…'

/**
 * @param rows - of the store, oldest first; the first {@link maxMermaidMessages} are exported
 * @param client - the word for a client
 */
export function mermaid(
  store: Store,
  rows: readonly number[],
  name: Naming,
  client = 'Client',
): string {
  const written = rows.slice(0, maxMermaidMessages)
  const columns = columnsOf(new Set(written.map((row) => store.connection(row))), name, client)
  const lines = ['sequenceDiagram']
  for (const [index, { kind, title }] of columns.entries()) {
    lines.push(`  ${kind === 'client' ? 'actor' : 'participant'} P${index} as ${escaped(title)}`)
  }
  const shown = new Set(written)
  for (const row of written) lines.push(`  ${lineOf(store, row, columns, shown)}`)
  if (written.length < rows.length) {
    lines.push(`  Note over P0: ${escaped(`${rows.length - written.length} more`)}`)
  }
  return `${lines.join('\n')}\n`
}

function lineOf(
  store: Store,
  row: number,
  columns: readonly Column[],
  shown: ReadonlySet<number>,
): string {
  const [from, to] = endsOf(store, row, columns)
  const kind = store.kind(row)
  if (kind === 'world') {
    return `Note over P${from}${from === to ? '' : `,P${to}`}: ${escaped(store.raw(row))}`
  }
  // Bars without an end are omitted: Mermaid rejects them.
  const paired = shown.has(store.partner(row))
  const what = [store.method(row), targetText(store, row)].filter(Boolean).join(' ')
  switch (kind) {
    case 'request':
      return `P${from}->>${paired ? '+' : ''}P${to}: ${escaped(`${what} (${store.id(row)})`)}`
    case 'result':
      if (store.state(row)) {
        const failed = store.state(row) === 'failed'
        const state = escaped(`${outcome(store, row)} (${store.id(row)})`)
        return `P${from}${failed ? '--x' : '-->>'}${paired ? '-' : ''}P${to}: ${state}`
      }
      return `P${from}-->>${paired ? '-' : ''}P${to}: ${escaped(`result (${store.id(row)})`)}`
    case 'error':
      return `P${from}--x${paired ? '-' : ''}P${to}: ${escaped(`error ${store.code(row)} (${store.id(row)})`)}`
    case 'notification':
      return `P${from}-)P${to}: ${escaped(what)}`
    default:
      return `P${from}-xP${to}: ${escaped(store.raw(row))}`
  }
}
