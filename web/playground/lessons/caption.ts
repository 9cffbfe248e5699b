/** Captions of a scenario in the current language. */

import { locale } from '../base/i18n.ts'
import { captionOf, type Scenario } from './scenario.ts'

/**
 * A text in the current language; in brackets in the pseudo-locale, as all translated texts.
 *
 * @param key - of a step, `title` or `about`
 * @param values - of the names in messages: `{name}` in a text is the value of `$name`
 * @param learner - whether it is for a learner, who gets what `[[…]]` says, and not for an audience
 */
export function captionIn(
  scenario: Scenario,
  key: string,
  values: ReadonlyMap<string, unknown> = new Map(),
  learner = false,
): string {
  const whole = captionOf(scenario, key, locale())
  const text = filledCaption(whole.replace(/\[\[(.*?)\]\]/g, learner ? '$1' : ''), values)
  return text && locale() === 'en-XA' ? `[${text}]` : text
}

/** Maximum length of a value in a caption. */
const maxValueLength = 200 // UTF-16 code units

/** Replaces names by their values: an array by its length. Names without a value stay. */
export function filledCaption(text: string, values: ReadonlyMap<string, unknown>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values.get(`$${name}`) ?? whole
    if (Array.isArray(value)) return String(value.length)
    const written = typeof value === 'string' ? value : JSON.stringify(value)
    return written.length > maxValueLength ? `${written.slice(0, maxValueLength)}…` : written
  })
}
