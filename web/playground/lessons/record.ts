/**
 * Makes a scenario of recorded messages of both sides, which plays without the original server. Only responses
 * to requests from before the recording are omitted.
 */

import type { Store } from '../messages/store.ts'
import type { Line, Scenario, Step } from './scenario.ts'

/** A recorded connection. */
export interface Recorded {
  /** Its number in the store. */
  connection: number
  /** The server's name. */
  title: string
}

/**
 * @param connections - to record; the first is the scenario's first client. Events are always recorded
 * @param from - the first row
 * @param to - the row after the last
 * @param redact - removes secrets from a text
 */
export function recordingOf(
  store: Store,
  connections: readonly Recorded[],
  from: number,
  to: number,
  redact: (raw: string) => string = (raw) => raw,
): Scenario {
  const clients = new Map(connections.map(({ connection }, i) => [connection, clientName(i)]))
  const lines: Line[] = []
  for (let row = from; row < to; row++) {
    const connection = store.connection(row)
    const direction = store.direction(row)
    const client = clients.get(connection)
    if (client === undefined && connection !== 0) continue
    if (direction === 'world') lines.push(eventOf(redact(store.raw(row))))
    else {
      if (client === undefined || isOrphan(store, row, from)) continue
      const what = direction === 'out' ? 'send' : 'expect'
      lines.push({ what, client, text: redact(store.raw(row)) })
    }
  }
  return {
    id: 'recording',
    comment: 'A recording.',
    options: { recorded: true },
    info: { name: 'recording', title: connections[0]?.title ?? 'recording' },
    resources: {},
    templates: {},
    prompts: {},
    tools: {},
    steps: stepsOf(lines),
    captions: new Map(),
    notes: new Map(),
  }
}

/** The file name of a recording: `recording-2026-11-21-1530.txtar`. */
export function recordingName(time: Date): string {
  const digits = time.toISOString().slice(0, 16).replace('T', '-').replace(':', '')
  return `recording-${digits}.txtar`
}

/** The first client has no name; others are B, C … */
function clientName(i: number): string {
  if (i === 0) return ''
  return i < 26 ? String.fromCharCode(65 + i) : `C${i}`
}

/** Whether a row responds to a request from before the recording. */
function isOrphan(store: Store, row: number, from: number): boolean {
  const kind = store.kind(row)
  const request = store.partner(row)
  return (kind === 'result' || kind === 'error') && request >= 0 && request < from
}

function eventOf(raw: string): Line {
  const [, verb = '', subject = '', value = ''] = /^(\S+)\s*(\S*)\s*(.*)/.exec(raw) ?? []
  return { what: 'event', verb: verb || '-', subject, value }
}

/** A step for each sent message or event, with what follows it: as parseScenario makes them. */
function stepsOf(lines: readonly Line[]): Step[] {
  const steps: { caption: string; learner: boolean; draft: string; lines: Line[] }[] = []
  for (const line of lines) {
    const last = steps.at(-1)
    if (last && line.what === 'expect') last.lines.push(line)
    else steps.push({ caption: '', learner: false, draft: '', lines: [line] })
  }
  return steps
}
