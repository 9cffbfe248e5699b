/** Formats times, durations and outcomes of rows in the user's language. */

import { type Signal, signal } from '@preact/signals'
import { t, tag } from '../base/i18n.ts'
import type { Store } from '../messages/store.ts'
import { statusOf } from './status.ts'

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

/** Creating a formatter costs 50 µs, and each cell needs one. */
function format<F extends Intl.NumberFormat | Intl.DateTimeFormat>(name: string, make: () => F): F {
  const key = `${tag()} ${name}`
  const known = formats.get(key) as F | undefined
  if (known) return known
  const made = make()
  formats.set(key, made)
  return made
}

/** Formats a count. */
export const count = (n: number): string =>
  format('count', () => new Intl.NumberFormat(tag())).format(n)

/** @param ms - since 1970; written as the time of day, to the millisecond */
export const clockTime = (ms: number): string =>
  format(
    'clock',
    () =>
      new Intl.DateTimeFormat(tag(), {
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        fractionalSecondDigits: 3,
        hour12: false,
      }),
  ).format(ms)

/** @param ms - since the beginning; written in seconds, to the millisecond */
export const sinceStart = (ms: number): string =>
  format(
    'since',
    () =>
      new Intl.NumberFormat(tag(), {
        style: 'unit',
        unit: 'second',
        unitDisplay: 'narrow',
        minimumFractionDigits: 3,
        maximumFractionDigits: 3,
      }),
  ).format(ms / 1000)

const unit = (name: string, digits: number) =>
  format(
    `${name} ${digits}`,
    () =>
      new Intl.NumberFormat(tag(), {
        style: 'unit',
        unit: name,
        unitDisplay: 'short',
        maximumFractionDigits: digits,
      }),
  )

/** @param ms - `''` for NaN */
export function duration(ms: number): string {
  if (Number.isNaN(ms)) return ''
  if (ms >= 10_000) return unit('second', 1).format(ms / 1000)
  return unit('millisecond', ms < 10 && !Number.isInteger(ms) ? 1 : 0).format(ms)
}

/** A time on the axis. `step`: the distance of two ticks, ms, which decides the digits; `last`: the latest tick. */
export function axisTime(ms: number, step: number, last: number): string {
  const [name, factor] =
    last >= 10_000 ? (['second', 1000] as const) : (['millisecond', 1] as const)
  const digits = Math.max(0, Math.ceil(-Math.log10(step / factor)))
  return unit(name, digits).format(ms / factor)
}

/** Requests that stay open and get notifications. */
export const streams: readonly string[] = ['subscriptions/listen', 'events/stream']

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
