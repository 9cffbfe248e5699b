/** A learner's turn: they send what they like, and each message is looked at until one is right. */

import { type Signal, signal } from '@preact/signals'
import type { Session } from '../connections/session.ts'
import type { Client } from './client.ts'
import type { Difference } from './pattern.ts'
import type { Line, Step } from './scenario.ts'

/** A line that is sent or expected. */
export type MessageLine = Exclude<Line, { what: 'event' }>

/** What a learner has to do. */
export interface Turn {
  /** JSON text to begin with; `''`: no help is meant. */
  readonly draft: string
  /** The text of what is to be sent; with an id of its own each time. */
  solution(): string
  /** Why the last message was not it. */
  readonly off: Signal<Difference | undefined>
  readonly session: Session
}

/**
 * Begins the turn.
 *
 * @param line - what is to be sent
 * @param ended - ends it, whatever was sent
 * @returns `said` settles when the right message was sent, which `solve` does
 */
export function learnerTurn(
  speaker: Client,
  { draft }: Step,
  { text, exact }: MessageLine,
  ended: AbortSignal,
): { turn: Turn; said: Promise<void>; solve(): void } {
  const { session } = speaker
  const { connection } = session
  const solution = text.includes('"$any"') ? draft : text
  const off = signal<Difference | undefined>(undefined)
  const said = new Promise<void>((resolve) => {
    const unwatch = connection.watch((row, sent) => {
      if (connection.direction(row) !== 'out') return
      off.value = speaker.isSaid(text, sent)
      if (off.peek() !== undefined) return
      unwatch()
      resolve()
    })
    ended.addEventListener('abort', () => resolve(), { once: true })
  })
  return {
    turn: {
      draft: draft && pretty(speaker.outgoing(draft)),
      solution: () => pretty(speaker.outgoing(solution, exact)),
      off,
      session,
    },
    said,
    solve: () => connection.send(speaker.outgoing(solution, exact)),
  }
}

/** JSON as people write it; what is none stays. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
