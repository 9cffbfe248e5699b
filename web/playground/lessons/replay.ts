/** Replays rows that are in the store already, such as a shared conversation: a player that sends nothing. */

import { computed, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import type { Store } from '../messages/store.ts'
import { explainRow } from '../protocol/explain.ts'
import { revisionAt } from '../timeline/hints.ts'
import type { Player } from './player.ts'
import { present } from './running.ts'
import type { Line, Scenario, Step } from './scenario.ts'

/** Presents rows; the caption of a step explains its first message. */
export function startReplay(rows: readonly number[], title: string): void {
  present(
    replayOf(store, rows, title, (row) =>
      explainRow(store, row, revisionAt(row))
        .sentences.map(({ key, params }) => t(key, params))
        .join(' '),
    ),
  )
}

/** @param explain - the caption of a row */
export function replayOf(
  from: Store,
  rows: readonly number[],
  title: string,
  explain: (row: number) => string,
): Player {
  const groups = grouped(from, rows)
  const steps = groups.map(
    (group): Step => ({
      caption: '',
      learner: false,
      draft: '',
      lines: group.map((row) => lineOf(from, row)),
    }),
  )
  const scenario: Scenario = {
    id: 'replay',
    comment: '',
    options: {},
    info: { title },
    resources: {},
    templates: {},
    prompts: {},
    tools: {},
    steps,
    captions: new Map([['en', new Map([['title', title]])]]),
  }
  const shown = signal(Math.min(1, steps.length))
  return {
    scenario,
    revision: undefined,
    steps,
    shown,
    played: signal(steps.length),
    learner: false,
    rows: computed(() => groups.slice(0, shown.value).flat()),
    stepRows: signal(groups),
    values: new Map(),
    clients: signal([]),
    busy: signal(false),
    turn: signal(undefined),
    failure: signal(undefined),
    caption(step) {
      const row = groups[step]?.[0]
      return row === undefined ? '' : explain(row)
    },
    async next() {
      shown.value = Math.min(shown.peek() + 1, steps.length)
    },
    back() {
      shown.value = Math.max(shown.peek() - 1, 0)
    },
    solve() {},
    rest: () => [],
    close() {},
  }
}

/** A group for each sent message or event, with what was received after it. */
function grouped(from: Store, rows: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && from.direction(row) === 'in') last.push(row)
    else groups.push([row])
  }
  return groups
}

function lineOf(from: Store, row: number): Line {
  const direction = from.direction(row)
  const text = from.raw(row)
  if (direction === 'world') return { what: 'event', verb: text, subject: '', value: '' }
  return { what: direction === 'out' ? 'send' : 'expect', client: '', text }
}
