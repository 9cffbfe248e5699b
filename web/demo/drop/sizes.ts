import { tag } from '../shared/language.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size, such as `214 bytes` or `1.2 MB`. */
export function sizeText(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return (bytes / 1000 ** step).toLocaleString(tag, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  })
}
