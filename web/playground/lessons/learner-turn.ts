/** A learner's turn: checks each message that the learner sends until one is right. */

import { type Signal, signal } from '@preact/signals'
import type { Session } from '../connections/session.ts'
import type { Client } from './client.ts'
import type { Difference } from './pattern.ts'
import type { Line, Step } from './scenario.ts'

/** A line that is sent or expected. */
export type MessageLine = Exclude<Line, { what: 'event' }>

/** The task of a turn. */
export interface Turn {
  /** JSON text that the composer starts with; `''`: none. */
  readonly draft: string
  /** The expected message, each time with an unused id. */
  solution(): string
  /** Why the last message was wrong. */
  readonly off: Signal<Difference | undefined>
  readonly session: Session
}

/**
 * Starts the turn.
 *
 * @param line - the expected message
 * @param ended - ends the turn
 * @returns `said` settles when the right message was sent; `solve` sends it
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

/** Formats JSON; other text is unchanged. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
