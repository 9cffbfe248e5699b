/**
 * What the popup and the icon of the extension say. Terms are those of src/access/panel.ts. `data-text` and
 * `data-label` put texts into popup.html.
 */

import { type Language, languageOf, translated } from '../src/translation.ts'
import de from '../texts/extension.de.json' with { type: 'json' }
import ja from '../texts/extension.ja.json' with { type: 'json' }
import zhHans from '../texts/extension.zh-Hans.json' with { type: 'json' }
import type { Standing } from './standing.ts'

export const en = {
  /** The headline, by what assistants can read now; standing.ts. */
  headline: {
    stopped: 'Stopped',
    failed: 'Not running',
    searching: 'One moment',
    away: 'No gateway',
    unpaired: 'Not paired',
    paused: 'Paused',
    nothing: 'Nothing shared',
  } satisfies { [is in Exclude<Standing, 'tabs'>]: string },
  sharingTabs: { one: 'Sharing {count} tab', other: 'Sharing {count} tabs' },
  sharingStopped: 'Sharing is stopped: assistants read nothing in this browser.',

  gateway: 'Gateway',
  oneMoment: 'One moment',
  startGateway: 'Start the gateway in a terminal, and paste the link that it prints:',
  copy: 'Copy',
  copied: 'Copied',
  link: 'Link of the gateway',
  connect: 'Connect',
  /** `{gateway}` stands for an element with its address. */
  otherGateway:
    'This link is of another gateway than the usual one: {gateway}. Assistants there could read the tabs that you tick. Continue only if you started it.',
  refuseGateway: 'Do not connect',
  acceptGateway: 'Connect to this gateway',
  anotherLink: 'Connect by another link',
  notALink: 'This is not a link of a gateway.',
  engineFailed: 'The engine did not start',
  connectedAs: 'Connected as {name}',
  away: 'Gateway unavailable',
  reconnects: 'Start the gateway: this reconnects by itself.',
  searching: 'Searching for the gateway',
  notConnected: 'Not connected',
  linkRefused:
    'The gateway rejected the link: it was used before, is older than two minutes, or the gateway was started without the origin of this extension.',
  /** An error of the engine, which is in English. */
  failed: '{error}',

  mayBeRead: 'May be read by assistants',
  tickATab: 'Tick a tab: assistants can read ticked tabs only.',
  untickAll: 'Untick all',
  noTabs: 'No web page is open.',
  asksFirst: 'asks first',
  untilRestart: 'Until restart',
  forAnHour: 'For an hour',
  untilMidnight: 'Until midnight',
  until: 'Until {time}',
  howLong: 'How long assistants may read: {tab}',
  notBy: 'not by {assistants}',

  assistants: 'Assistants',
  noAssistants: 'None has read a tab today.',
  pauseAll: 'Pause all for an hour',
  resume: 'Resume',
  pausedUntil: 'Paused until {time}.',
  stop: 'Stop',
  allow: 'Allow',
  stopHere: 'Stop here',
  allowHere: 'Allow here',
  /** The accessible name of a button that concerns an assistant or a site, or both. */
  about: '{action}: {names}',
  callsItself: 'calls itself “{name}” (not verified)',
  isStopped: 'stopped',
  stoppedHere: 'stopped here',
  stoppedEverywhere: 'stopped everywhere',
  mayRead: 'may read',
  mayAct: 'may use tools',
  mayReadAfter: { one: 'may read · {count} read', other: 'may read · {count} reads' },
  readsToday: { one: '{count} read today', other: '{count} reads today' },
  /** Between names. */
  separator: ', ',

  sites: 'Sites you agreed to ({count})',
  revoke: 'Revoke',

  /** Tooltips of the icon. */
  noneRead: 'PageMCP: no tab is read',
  tabsRead: {
    one: 'PageMCP: {count} tab may be read',
    other: 'PageMCP: {count} tabs may be read',
  },
}

export type Texts = typeof en

const translations: { readonly [language in Language]: unknown } = {
  en,
  de,
  ja,
  'zh-Hans': zhHans,
}

export const textsIn = (language: Language): Texts => translated(en, translations[language])

/** The language of the browser's own menus; English if there are no texts in it. */
export const uiLanguage = (): Language =>
  languageOf([chrome.i18n?.getUILanguage?.() || navigator.language])
