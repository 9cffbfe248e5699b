/** Texts of a scenario as they are shown now. */

import { locale } from '../base/i18n.ts'
import { captionOf, type Scenario } from './scenario.ts'

/**
 * A text in the language that is shown; in brackets in the pseudo-locale, as all that is translated.
 *
 * @param key - of a step, `title` or `about`
 */
export function captionIn(scenario: Scenario, key: string): string {
  const text = captionOf(scenario, key, locale())
  return text && locale() === 'en-XA' ? `[${text}]` : text
}
