/** Formats numbers of bytes. */

import { tag } from '../base/i18n.ts'

const units = ['byte', 'kilobyte', 'megabyte'] as const

/** `3.4 kB`, in the format of the language. */
export function bytesText(bytes: number): string {
  const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2
  const unitDisplay = step === 0 ? 'long' : 'short' // short bytes have no plural
  const format = {
    style: 'unit',
    unit: units[step],
    unitDisplay,
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(tag(), format).format(bytes / 1_000 ** step)
}
