/** Formats counts, times and durations in the user's language. */

import { tag } from './i18n.ts'

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
