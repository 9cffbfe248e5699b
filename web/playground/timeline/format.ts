/** Formats rows in the user's language: outcomes, targets, and rows as lines. */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { count, duration } from '../base/numbers.ts'
import type { Store } from '../messages/store.ts'
import { statusOf } from './status.ts'

/** Requests that stay open and get notifications. */
export const streams: readonly string[] = ['subscriptions/listen']

/** The outcome of a row: of a response its result, of a request only whether it waits. */
export function outcome(store: Store, row: number): string {
  const status = statusOf(store, row)
  if (store.kind(row) === 'request') {
    if (store.partner(row) >= 0) return ''
    if (status !== 'waiting') return t(`timeline.${status as 'cancelled' | 'unanswered'}`)
    return t(streams.includes(store.method(row)) ? 'timeline.open' : 'timeline.waiting')
  }
  if (status === 'error') return t('timeline.error', { code: String(store.code(row)) })
  return status && t(`timeline.${status}`)
}

/** The target of a row; of progress, how far it is: `3/5 cutting`; of a task, its state: `working cutting`. */
export function targetText(store: Store, row: number): string {
  const method = store.method(row)
  if (method !== 'notifications/progress' && method !== 'notifications/tasks') {
    return store.target(row)
  }
  const { params } = (store.message(row) ?? {}) as { params?: { [name: string]: unknown } }
  if (method === 'notifications/tasks') {
    const texts = [params?.status, params?.statusMessage].filter((one) => typeof one === 'string')
    return texts.join(' ').slice(0, 200)
  }
  const number = (value: unknown) => (typeof value === 'number' ? count(value) : '')
  const steps = [number(params?.progress), number(params?.total)].filter(Boolean).join('/')
  const said = typeof params?.message === 'string' ? params.message.slice(0, 200) : ''
  return [steps, said].filter(Boolean).join(' ')
}

/** `in`, `out` or `event`, in the user's language. */
export const directionText = (store: Store, row: number): string =>
  t(`timeline.${store.direction(row)}`)

/** Translates an event: eventText, once it is loaded. */
export const translation: Signal<((event: string) => string) | undefined> = signal(undefined)

/** The text of a row that is no message; of an event in the user's language. */
export function rawText(store: Store, row: number): string {
  const raw = store.raw(row)
  return store.kind(row) === 'world' ? (translation.value?.(raw) ?? raw) : raw
}

/** A row as one line: for labels and for views without columns. */
export function line(store: Store, row: number): string {
  const kind = store.kind(row)
  const parts =
    kind === 'request'
      ? [store.method(row), store.target(row), `#${store.id(row)}`]
      : kind === 'notification'
        ? [store.method(row), targetText(store, row)]
        : kind === 'result' || kind === 'error'
          ? [
              store.method(row),
              `#${store.id(row)}`,
              outcome(store, row),
              duration(store.latency(row)),
            ]
          : [rawText(store, row).slice(0, 200)]
  return parts.filter(Boolean).join(' ')
}
