/**
 * Messages between the presenting window and the speaker's window, over a BroadcastChannel with a name that
 * only these two know.
 */

import { filledCaption } from './caption.ts'
import type { Player } from './player.ts'
import { captionOf } from './scenario.ts'

/** The state that the speaker's window shows. Texts are in the language of the presentation. */
export interface SpeakerState {
  title: string
  /** From 1; 0 before the first. */
  step: number
  steps: number
  caption: string
  /** Notes for the speaker; `''`: none. */
  note: string
  /** The next caption; `''` at the end. */
  next: string
  /** Messages of the next step. */
  coming: readonly string[]
  /** ms since 1970. */
  began: number
  auto: boolean
  blank: boolean
}

/** Commands of the speaker's window. */
export type SpeakerCommand = 'next' | 'back' | 'auto' | 'blank'

export type Message = { speakerState: SpeakerState } | { command: SpeakerCommand } | { hello: true }

export const channelOf = (id: string): BroadcastChannel =>
  new BroadcastChannel(`pagemcp.presentation.${id}`)

/** Parses a message of the channel; undefined: another one. */
export function messageOf(data: unknown): Message | undefined {
  return typeof data === 'object' && data !== null ? (data as Message) : undefined
}

/** The current state of a player, for the speaker. */
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
    key ? filledCaption(captionOf(scenario, key, language, which), player.values) : ''
  return {
    title: captionOf(scenario, 'title', language) || scenario.info.title || scenario.id,
    step,
    steps: steps.length,
    caption: player.caption?.(step - 1) ?? text(now?.caption),
    note: text(now?.caption, 'notes'),
    next: next ? (player.caption?.(step) ?? text(next.caption)) : '',
    coming: (next?.lines ?? []).map((line) => {
      if (line.what === 'event') return `! ${line.verb} ${line.subject}`
      return `${line.what === 'send' ? '→' : '←'}${line.client} ${line.text}`
    }),
    began,
    auto,
    blank,
  }
}

/** Reading time of a text: 60 ms per character, twice that for CJK scripts. */
export function readingTime(text: string): number {
  let ms = 2000
  for (const letter of text) ms += letter > '⺀' ? 120 : 60
  return Math.min(ms, 12_000)
}
