/** Captions of a scenario in the current language. */

import { locale } from '../base/i18n.ts'
import { captionOf, type Scenario } from './scenario.ts'

/**
 * A text in the current language; in brackets in the pseudo-locale, as all translated texts.
 *
 * @param key - of a step, `title` or `about`
 */
export function captionIn(scenario: Scenario, key: string): string {
  const text = captionOf(scenario, key, locale())
  return text && locale() === 'en-XA' ? `[${text}]` : text
}
