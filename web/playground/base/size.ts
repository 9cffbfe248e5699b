/** Formats numbers of bytes. */

import { tag } from './i18n.ts'

const units = ['byte', 'kilobyte', 'megabyte'] as const

const formats = new Map<string, Intl.NumberFormat>()

/** `341 B`, `3.4 kB` or `1.2 MB`, in the format of the language; in steps of 1,000, as `kB` says. */
export function sizeText(bytes: number): string {
  const step = bytes < 1000 ? 0 : bytes < 1e6 ? 1 : 2
  const key = `${tag()} ${step}`
  let format = formats.get(key) // one costs 50 µs, and each row needs it
  if (format === undefined) {
    format = new Intl.NumberFormat(tag(), {
      style: 'unit',
      unit: units[step],
      unitDisplay: 'narrow', // others have bytes as a word, and without a plural
      maximumFractionDigits: 1,
    })
    formats.set(key, format)
  }
  return format.format(bytes / 1000 ** step).replace(/(?<=\d)\s*(?=\p{L})/u, '\u00a0') // SI: with a space
}
