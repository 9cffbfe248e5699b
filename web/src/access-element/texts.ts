/** The texts of the elements; `{name}` stands for a value. */

import de from '../../texts/panel.de.json' with { type: 'json' }
import ja from '../../texts/panel.ja.json' with { type: 'json' }
import zhHans from '../../texts/panel.zh-Hans.json' with { type: 'json' }
import type { AccessReason } from '../access-types.ts'
import { type Language, languageOf } from '../translation.ts'

export const en = {
  title: 'Access by assistants',
  // What holds in each mode.
  ask: 'Assistants ask before they use this page.',
  open: 'This page is open to the assistants of its gateway: they do not ask first.',
  policy: 'The app decides which assistants may use this page.',
  paused: 'Paused until {time}: no assistant gets anything of this page.',
  provider: 'What assistants read goes to the provider of their model.',
  none: 'No assistant has used this page yet.',
  // Columns.
  assistant: 'Assistant',
  may: 'May',
  last: 'Last use',
  today: 'Today',
  actions: 'Actions',
  read: 'Read',
  act: 'Act',
  tool: 'Tool {tool}',
  // What holds for a right.
  session: 'this time: until {time}',
  always: 'until {time}',
  denied: 'not allowed',
  asks: 'asks first',
  decides: 'the app decides',
  usage: 'Reads: {reads} · Calls: {calls}',
  never: 'never',
  unnamed: 'Unnamed assistant',
  unnamedBy: 'Unnamed assistant ({way})',
  browser: 'Assistant of the browser',
  callsItself: 'Calls itself “{name}” (not verified)',
  stop: 'Stop',
  stopAll: 'Stop all',
  allowRead: 'Allow reading',
  allowAct: 'Allow acting',
  askAgain: 'Ask again',
  pause: 'Pause for an hour',
  resume: 'Resume',
  // The accessible name of a button that concerns an assistant.
  about: '{action}: {name}',
  audit: 'Last decisions',
  noAudit: 'No decisions yet.',
  allowed: 'allowed',
  refused: 'denied',
  reasons: {
    grant: 'saved decision',
    asked: 'answer to the question',
    policy: 'rule of the app',
    open: 'open to all',
    declined: 'declined',
    paused: 'paused',
    unanswered: 'no answer',
    revoked: 'stopped meanwhile',
  } satisfies { [reason in AccessReason]: string },
  reading: 'Being read: {names}',
  close: 'Close',
  failed: 'This did not work: {error}',
  // Changes that a screen reader reads out.
  appeared: '{name} uses this page.',
  stopped: '{name} is stopped.',
  returned: '{name} may use this page.',
}

export type Texts = typeof en

/** The texts of a language that are translated. */
type Translation = Partial<Omit<Texts, 'reasons'> & { reasons: Partial<Texts['reasons']> }>

const translations: { readonly [language in Language]: Translation } = {
  en,
  de,
  ja,
  'zh-Hans': zhHans,
}

export function textsIn(language: Language): Texts {
  const own = translations[language]
  return { ...en, ...own, reasons: { ...en.reasons, ...own.reasons } }
}

/** The language of an element: `lang` of it or of what it is in, else that of the browser. */
export function languageAt(element: Element): Language {
  const labelled = element.closest('[lang]')
  if (labelled !== null) return languageOf([labelled.getAttribute('lang') ?? ''])
  const root = element.getRootNode()
  if (root instanceof ShadowRoot) return languageAt(root.host)
  return languageOf([navigator.language])
}
