/** The texts of `<page-mcp>`; `{name}` stands for a value. */

import de from '../../texts/panel.de.json' with { type: 'json' }
import ja from '../../texts/panel.ja.json' with { type: 'json' }
import zhHans from '../../texts/panel.zh-Hans.json' with { type: 'json' }
import { type Language, translated } from '../translation.ts'

export const en = {
  title: 'Access by assistants',
  reading: 'Being read: {names}',
  // What holds in each mode.
  ask: 'Assistants ask before they use this page.',
  open: 'This page is open to the assistants of its gateway: they do not ask first.',
  policy: 'The app decides which assistants may use this page.',
  paused: 'Paused until {time}: no assistant gets anything of this page.',
  provider: 'What assistants read goes to the provider of their model.',
  none: 'No assistant has used this page yet.',
  // What holds for a right.
  read: 'Read',
  act: 'Act',
  tool: 'Tool {tool}',
  session: 'this time: until {time}',
  always: 'until {time}',
  denied: 'not allowed',
  asks: 'asks first',
  isOpen: 'open to all',
  decides: 'the app decides',
  last: 'Last use',
  never: 'never',
  today: 'Today',
  usage: 'Reads: {reads} · Calls: {calls}',
  unnamed: 'Unnamed assistant',
  unnamedBy: 'Unnamed assistant ({way})',
  browser: 'Assistant of the browser',
  callsItself: 'Calls itself “{name}” (not verified)',
  stop: 'Stop',
  stopAll: 'Stop all',
  askAgain: 'Ask again',
  allowAgain: 'Allow again',
  pause: 'Pause for an hour',
  resume: 'Resume',
  // The accessible name of a button that concerns an assistant.
  about: '{action}: {name}',
  failed: 'This did not work: {error}',
}

export type Texts = typeof en

const translations = { en, de, ja, 'zh-Hans': zhHans }

export const textsIn = (language: Language): Texts => translated(en, translations[language])
