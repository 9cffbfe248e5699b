/**
 * What the question about an assistant says. `{x}` stands for a name, which becomes a text of its own: names never become
 * HTML, and their direction does not change that of the sentence.
 */

import de from '../../texts/consent.de.json' with { type: 'json' }
import ja from '../../texts/consent.ja.json' with { type: 'json' }
import zhHans from '../../texts/consent.zh-Hans.json' with { type: 'json' }
import type { Language } from '../translation.ts'

export const en = {
  read: 'Allow {assistant} to read {app}?',
  act: 'Allow {assistant} to use the tools of {app}?',
  once: 'Allow {assistant} to run {tool}?',
  unnamed: 'an unnamed assistant',
  browser: 'the assistant of this browser',
  window: 'the site {origin}',
  app: 'App: {id} at {origin}',
  callsItself: 'It calls itself {name}. This name is not checked.',
  unnamedMeans:
    'It uses the access without a name, so the decision is for all assistants that use it.',
  readMeans:
    'It could read all that this app shares. The contents go to the provider of its language model.',
  actMeans: 'It could change things in this app by its tools, in your name.',
  onceMeans:
    'This tool may delete or overwrite something. Each call asks, unless you allow this tool for 8 hours.',
  wants: 'It asks for {method} {what}',
  tool: 'Tool: {title} ({name})',
  arguments: 'Arguments',
  untilSession:
    '“Allow this time” ends after 8 hours, {time}, or earlier if the gateway forgets this app.',
  untilAlways: '“Allow always” ends after 30 days without use.',
  untilToolSession:
    '“Allow for 8 hours” is for this tool alone. It ends {time}, or earlier if the gateway forgets this app.',
  thisTime: 'Allow this time',
  always: 'Allow always',
  allowOnce: 'Allow once',
  toolSession: 'Allow for 8 hours',
  deny: 'Don’t allow',
  close: 'Close without a decision',
}

export type Texts = typeof en

const translations: { readonly [language in Language]: Partial<Texts> } = {
  en,
  de,
  ja,
  'zh-Hans': zhHans,
}

export const textsIn = (language: Language): Texts => ({ ...en, ...translations[language] })

/** The parts of a text: what stands between the names, and the names, marked by `isName`. */
export function filled(
  text: string,
  names: { readonly [name: string]: string },
): { readonly text: string; readonly isName: boolean }[] {
  return text
    .split(/\{(\w+)\}/)
    .map((part, i) => ({ text: i % 2 === 1 ? (names[part] ?? '') : part, isName: i % 2 === 1 }))
    .filter((part) => part.text !== '')
}
