/** Times in the language of the element, in 24 hours. */

import type { Language } from '../translation.ts'

/** The tag for `Intl`. */
export const localeOf = (language: Language): string => (language === 'en' ? 'en-GB' : language)

const day = 86_400_000 // ms

/** The time of day. */
export function clock(time: number, locale: string, seconds = false): string {
  return new Date(time).toLocaleTimeString(locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
  })
}

/** The time of day if it is today, the weekday too within a week, else the date. */
export function moment(time: number, locale: string, seconds = false): string {
  const date = new Date(time)
  if (date.toDateString() === new Date().toDateString()) return clock(time, locale, seconds)
  if (Math.abs(time - Date.now()) < 6 * day) {
    return date.toLocaleString(locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
  }
  return date.toLocaleDateString(locale, { dateStyle: 'medium' })
}
