/** Helpers for rendering. */

import { tag } from '../shared/language.ts'
import { texts } from './texts.ts'

export function text(tag: string, content: string, className = ''): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = content
  made.className = className
  return made
}

/** The beginning of a note, on one line. */
export function summary({ text: all }: { text: string }): string {
  return all.slice(0, 160).replace(/\s+/g, ' ').trim() || texts.noText
}

const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' })
const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** How long ago something was: `just now`, `5 min. ago`, `yesterday`. */
export function ago(date: Date, now = Date.now()): string {
  const seconds = Math.max(0, (now - date.getTime()) / 1000)
  for (const [unit, length] of units) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit)
  }
  return texts.justNow
}
