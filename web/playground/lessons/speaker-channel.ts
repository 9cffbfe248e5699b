/**
 * What the speaker's window and the one that presents tell each other, over a BroadcastChannel whose name
 * only these two know.
 */

import type { Player } from './player.ts'
import { captionOf } from './scenario.ts'

/** What the speaker sees. Texts are in the language of the presentation. */
export interface SpeakerState {
  title: string
  /** From 1; 0 before the first. */
  step: number
  steps: number
  caption: string
  /** For the speaker alone; `''`: none. */
  note: string
  /** What will be said next; `''` at the end. */
  next: string
  /** What is sent and comes in the next step, as the scenario has it. */
  coming: readonly string[]
  /** ms since 1970. */
  began: number
  auto: boolean
  blank: boolean
}

/** What a speaker can do from their window. */
export type SpeakerCommand = 'next' | 'back' | 'auto' | 'blank'

export type Message = { podium: SpeakerState } | { move: SpeakerCommand } | { hello: true }

export const channelOf = (id: string): BroadcastChannel =>
  new BroadcastChannel(`pagemcp.presentation.${id}`)

/** Reads what came over the channel; undefined: not from us. */
export function messageOf(data: unknown): Message | undefined {
  return typeof data === 'object' && data !== null ? (data as Message) : undefined
}

/** What the speaker sees of a player now. */
export function speakerStateOf(
  player: Player,
  language: string,
  { began, auto, blank }: Pick<SpeakerState, 'began' | 'auto' | 'blank'>,
): SpeakerState {
  const { scenario, steps } = player
  const step = player.shown.value
  const now = steps[step - 1]
  const next = steps[step]
  const text = (key: string | undefined, which?: 'notes') =>
    key ? captionOf(scenario, key, language, which) : ''
  return {
    title: captionOf(scenario, 'title', language) || scenario.info.title || scenario.id,
    step,
    steps: steps.length,
    caption: text(now?.caption),
    note: text(now?.caption, 'notes'),
    next: text(next?.caption),
    coming: (next?.lines ?? []).map((line) => {
      if (line.what === 'event') return `! ${line.verb} ${line.subject}`
      return `${line.what === 'send' ? '→' : '←'}${line.client} ${line.text}`
    }),
    began,
    auto,
    blank,
  }
}

/** How long a text is left to be read: 60 ms a letter, twice that for scripts that need fewer. */
export function readingTime(text: string): number {
  let ms = 2000
  for (const letter of text) ms += letter > '⺀' ? 120 : 60
  return Math.min(ms, 12_000)
}
