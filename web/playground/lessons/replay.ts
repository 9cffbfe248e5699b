/** Replays rows that are in the store already, such as a shared conversation: steps that send nothing. */

import { computed, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import { explainRow } from '../protocol/explain.ts'
import { revisionAt } from '../timeline/hints.ts'
import type { Steps } from './player.ts'
import { present } from './running.ts'

/** Presents rows; the caption of a step explains its first message. */
export const startReplay = (rows: readonly number[], title: string): void =>
  present(replayOf(rows, title))

function replayOf(rows: readonly number[], title: string): Steps {
  const groups = grouped(rows)
  const shown = signal(Math.min(1, groups.length))
  return {
    title: () => title,
    count: groups.length,
    shown,
    played: signal(groups.length),
    rows: computed(() => groups.slice(0, shown.value).flat()),
    stepRows: signal(groups),
    clients: signal([]),
    busy: signal(false),
    failure: signal(undefined),
    caption(step) {
      const row = groups[step]?.[0]
      if (row === undefined) return ''
      const { sentences } = explainRow(store, row, revisionAt(row))
      return sentences.map(({ key, params }) => t(key, params)).join(' ')
    },
    marks: () => [],
    async next() {
      shown.value = Math.min(shown.peek() + 1, groups.length)
    },
    back() {
      shown.value = Math.max(shown.peek() - 1, 0)
    },
    close() {},
  }
}

/** A group for each sent message or event, with what was received after it. */
function grouped(rows: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && store.direction(row) === 'in') last.push(row)
    else groups.push([row])
  }
  return groups
}
