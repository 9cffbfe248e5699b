/**
 * What the popup and the icon of the extension say, in the languages of the project. Terms are those of
 * src/access-element/texts.ts. Longer than other files: a text and its translations stand in one file.
 */

import { type Language, preferredLocale } from '../playground/locale/languages.ts'
import type { Standing } from './standing.ts'

/** Strings are put into popup.html by `data-text` and `data-label`; functions take values, times in ms since 1970. */
export interface Texts {
  /** The switch for all sharing, and what holds when it is off. */
  /** The headline, by what assistants can read now; standing.ts. */
  headline: { readonly [is in Exclude<Standing, 'tabs'>]: string }
  sharingTabs: (count: number) => string
  sharingStopped: string
  /** The gateway. `{gateway}` stands for an element with its address. */
  gateway: string
  oneMoment: string
  startGateway: string
  copy: string
  copied: string
  link: string
  connect: string
  otherGateway: string
  refuseGateway: string
  acceptGateway: string
  anotherLink: string
  notALink: string
  engineFailed: string
  connectedAs: (name: string) => string
  away: string
  reconnects: string
  searching: string
  notConnected: string
  linkRefused: string
  /** An error of the engine, which is in English. */
  failed: (error: string) => string
  /** Tabs. */
  mayBeRead: string
  /** The first step once the gateway is joined. */
  tickATab: string
  untickAll: string
  noTabs: string
  asksFirst: string
  untilRestart: string
  forAnHour: string
  untilMidnight: string
  until: (time: number) => string
  howLong: (tab: string) => string
  notBy: (assistants: readonly string[]) => string
  /** Assistants. */
  assistants: string
  noAssistants: string
  pauseAll: string
  resume: string
  pausedUntil: (time: number) => string
  stop: string
  allow: string
  stopHere: string
  allowHere: string
  /** The accessible name of a button that concerns an assistant or a site, or both. */
  about: (action: string, names: readonly string[]) => string
  callsItself: (name: string) => string
  isStopped: string
  stoppedHere: string
  stoppedEverywhere: string
  mayRead: (reads: number) => string
  readsToday: (reads: number) => string
  list: (names: readonly string[]) => string
  /** Reads. */
  readLast: string
  noReads: string
  readAt: (time: number) => string
  listOfTabs: string
  activeTab: string
  closedTab: string
  textOf: (tab: string) => string
  /** Sites. */
  sites: (count: number) => string
  revoke: string
  /** The tooltip of the icon. */
  icon: (tabs: number) => string
}

/** A time of day; after the weekday if it is not today. `Intl` would put it into brackets in Japanese. */
function clock(locale: string, time: number, weekday: 'short' | 'long' = 'short'): string {
  const date = new Date(time)
  const hours = date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? hours : `${date.toLocaleDateString(locale, { weekday })} ${hours}`
}

/** One of two texts by the number, for languages with a singular. */
const byNumber = (locale: string, count: number, one: string, other: string) =>
  new Intl.PluralRules(locale).select(count) === 'one' ? one : other

const number = (locale: string, count: number) => new Intl.NumberFormat(locale).format(count)

const reads = (count: number) => `${number('en', count)} ${byNumber('en', count, 'read', 'reads')}`

const en: Texts = {
  headline: {
    stopped: 'Stopped',
    failed: 'Not running',
    searching: 'One moment',
    away: 'No gateway',
    unpaired: 'Not paired',
    paused: 'Paused',
    nothing: 'Nothing shared',
  },
  sharingTabs: (count) => `Sharing ${number('en', count)} ${byNumber('en', count, 'tab', 'tabs')}`,
  sharingStopped: 'Sharing is stopped: assistants read nothing in this browser.',
  gateway: 'Gateway',
  oneMoment: 'One moment',
  startGateway: 'Start the gateway in a terminal, and paste the link that it prints:',
  copy: 'Copy',
  copied: 'Copied',
  link: 'Link of the gateway',
  connect: 'Connect',
  otherGateway:
    'This link is of another gateway than the usual one: {gateway}. Assistants there could read the tabs that you tick. Continue only if you started it.',
  refuseGateway: 'Do not connect',
  acceptGateway: 'Connect to this gateway',
  anotherLink: 'Connect by another link',
  notALink: 'This is not a link of a gateway.',
  engineFailed: 'The engine did not start',
  connectedAs: (name) => `Connected as ${name}`,
  away: 'Gateway unavailable',
  reconnects: 'Start the gateway: this reconnects by itself.',
  searching: 'Searching for the gateway',
  notConnected: 'Not connected',
  linkRefused:
    'The gateway rejected the link: it was used before, is older than two minutes, or the gateway was started without the origin of this extension.',
  failed: (error) => error,
  mayBeRead: 'May be read by assistants',
  tickATab: 'Tick a tab: assistants can read ticked tabs only.',
  untickAll: 'Untick all',
  noTabs: 'No web page is open.',
  asksFirst: 'asks first',
  untilRestart: 'Until restart',
  forAnHour: 'For an hour',
  untilMidnight: 'Until midnight',
  until: (time) => `Until ${clock('en-GB', time)}`,
  howLong: (tab) => `How long assistants may read: ${tab}`,
  notBy: (assistants) => `not by ${assistants.join(', ')}`,
  assistants: 'Assistants',
  noAssistants: 'None has read a tab today.',
  pauseAll: 'Pause all for an hour',
  resume: 'Resume',
  pausedUntil: (time) => `Paused until ${clock('en-GB', time)}.`,
  stop: 'Stop',
  allow: 'Allow',
  stopHere: 'Stop here',
  allowHere: 'Allow here',
  about: (action, names) => `${action}: ${names.join(', ')}`,
  callsItself: (name) => `calls itself “${name}” (not verified)`,
  isStopped: 'stopped',
  stoppedHere: 'stopped here',
  stoppedEverywhere: 'stopped everywhere',
  mayRead: (count) => (count === 0 ? 'may read' : `may read · ${reads(count)}`),
  readsToday: (count) => `${reads(count)} today`,
  list: (names) => names.join(', '),
  readLast: 'Read last',
  noReads: 'Nothing yet.',
  readAt: (time) => new Date(time).toLocaleTimeString(), // British or American, as the browser has it
  listOfTabs: 'The list of ticked tabs',
  activeTab: 'The active tab',
  closedTab: 'A closed tab',
  textOf: (tab) => `${tab} (text)`,
  sites: (count) => `Sites you agreed to (${number('en', count)})`,
  revoke: 'Revoke',
  icon(tabs) {
    const some = `${number('en', tabs)} ${byNumber('en', tabs, 'tab', 'tabs')} may be read`
    return `PageMCP: ${tabs === 0 ? 'no tab is read' : some}`
  },
}

const de: Texts = {
  headline: {
    stopped: 'Freigabe beendet',
    failed: 'Läuft nicht',
    searching: 'Einen Moment',
    away: 'Kein Gateway',
    unpaired: 'Nicht gekoppelt',
    paused: 'Pausiert',
    nothing: 'Nichts freigegeben',
  },
  sharingTabs: (count) =>
    `${number('de', count)} ${byNumber('de', count, 'Tab', 'Tabs')} freigegeben`,
  sharingStopped: 'Die Freigabe ist beendet: Assistenten lesen nichts in diesem Browser.',
  gateway: 'Gateway',
  oneMoment: 'Einen Moment',
  startGateway: 'Das Gateway in einem Terminal starten und den ausgegebenen Link einfügen:',
  copy: 'Kopieren',
  copied: 'Kopiert',
  link: 'Link des Gateways',
  connect: 'Verbinden',
  otherGateway:
    'Dieser Link gehört zu einem anderen Gateway als dem üblichen: {gateway}. Assistenten dort könnten die ausgewählten Tabs lesen. Nur bei einem selbst gestarteten Gateway fortfahren.',
  refuseGateway: 'Nicht verbinden',
  acceptGateway: 'Mit diesem Gateway verbinden',
  anotherLink: 'Mit einem anderen Link verbinden',
  notALink: 'Das ist kein Link eines Gateways.',
  engineFailed: 'Die Engine ist nicht gestartet',
  connectedAs: (name) => `Verbunden als ${name}`,
  away: 'Gateway nicht erreichbar',
  reconnects: 'Das Gateway starten: Die Verbindung kommt von selbst wieder.',
  searching: 'Gateway wird gesucht',
  notConnected: 'Nicht verbunden',
  linkRefused:
    'Das Gateway hat den Link abgelehnt: Er wurde schon benutzt, ist älter als zwei Minuten, oder das Gateway wurde ohne die Origin dieser Erweiterung gestartet.',
  failed: (error) => `Das ist fehlgeschlagen: ${error}`,
  mayBeRead: 'Für Assistenten lesbar',
  tickATab: 'Einen Tab auswählen: Nur ausgewählte Tabs sind für Assistenten lesbar.',
  untickAll: 'Alle abwählen',
  noTabs: 'Keine Webseite ist geöffnet.',
  asksFirst: 'fragt vorher',
  untilRestart: 'Bis Neustart',
  forAnHour: 'Eine Stunde',
  untilMidnight: 'Bis Mitternacht',
  until: (time) => `Bis ${clock('de', time)}`,
  howLong: (tab) => `Wie lange Assistenten lesen dürfen: ${tab}`,
  notBy: (assistants) => `nicht für ${assistants.join(', ')}`,
  assistants: 'Assistenten',
  noAssistants: 'Heute hat noch keiner einen Tab gelesen.',
  pauseAll: 'Alle eine Stunde pausieren',
  resume: 'Fortsetzen',
  pausedUntil: (time) => `Pausiert bis ${clock('de', time)}.`,
  stop: 'Beenden',
  allow: 'Erlauben',
  stopHere: 'Hier beenden',
  allowHere: 'Hier erlauben',
  about: (action, names) => `${action}: ${names.join(', ')}`,
  callsItself: (name) => `nennt sich „${name}“ (nicht geprüft)`,
  isStopped: 'beendet',
  stoppedHere: 'hier beendet',
  stoppedEverywhere: 'überall beendet',
  mayRead: (count) => (count === 0 ? 'darf lesen' : `darf lesen · ${number('de', count)}-mal`),
  readsToday: (count) => `heute ${number('de', count)}-mal gelesen`,
  list: (names) => names.join(', '),
  readLast: 'Zuletzt gelesen',
  noReads: 'Noch nichts.',
  readAt: (time) => new Date(time).toLocaleTimeString('de'),
  listOfTabs: 'Die Liste der ausgewählten Tabs',
  activeTab: 'Der aktive Tab',
  closedTab: 'Ein geschlossener Tab',
  textOf: (tab) => `${tab} (Text)`,
  sites: (count) => `Websites mit Zustimmung (${number('de', count)})`,
  revoke: 'Widerrufen',
  icon(tabs) {
    const verb = byNumber('de', tabs, 'Tab darf', 'Tabs dürfen')
    const some = `${number('de', tabs)} ${verb} gelesen werden`
    return `PageMCP: ${tabs === 0 ? 'Kein Tab wird gelesen' : some}`
  },
}

const ja: Texts = {
  headline: {
    stopped: '停止中',
    failed: '動作していません',
    searching: 'お待ちください',
    away: 'ゲートウェイなし',
    unpaired: '未ペアリング',
    paused: '一時停止中',
    nothing: '共有なし',
  },
  sharingTabs: (count) => `${number('ja', count)} 個のタブを共有中`,
  sharingStopped: '共有は停止中です：アシスタントはこのブラウザーから何も読み取れません。',
  gateway: 'ゲートウェイ',
  oneMoment: 'お待ちください',
  startGateway: 'ターミナルでゲートウェイを起動し、表示されたリンクを貼り付けてください：',
  copy: 'コピー',
  copied: 'コピー済み',
  link: 'ゲートウェイのリンク',
  connect: '接続',
  otherGateway:
    'このリンクは通常とは別のゲートウェイのものです：{gateway}。そこのアシスタントは、選択したタブを読み取れるようになります。自分で起動したゲートウェイの場合にのみ続けてください。',
  refuseGateway: '接続しない',
  acceptGateway: 'このゲートウェイに接続',
  anotherLink: '別のリンクで接続',
  notALink: 'これはゲートウェイのリンクではありません。',
  engineFailed: 'エンジンを起動できませんでした',
  connectedAs: (name) => `${name} として接続中`,
  away: 'ゲートウェイを利用できません',
  reconnects: 'ゲートウェイを起動すると、自動的に再接続します。',
  searching: 'ゲートウェイを検索中',
  notConnected: '未接続',
  linkRefused:
    'ゲートウェイがリンクを拒否しました：使用済みか、発行から 2 分を過ぎているか、この拡張機能のオリジンを指定せずにゲートウェイが起動されています。',
  failed: (error) => `失敗しました：${error}`,
  mayBeRead: 'アシスタントが読み取れるタブ',
  tickATab: 'タブを選択してください。アシスタントが読めるのは、選択したタブだけです。',
  untickAll: 'すべて解除',
  noTabs: '開いているウェブページはありません。',
  asksFirst: '事前に確認',
  untilRestart: '再起動まで',
  forAnHour: '1 時間',
  untilMidnight: '午前 0 時まで',
  until: (time) => `${clock('ja', time, 'long')} まで`,
  howLong: (tab) => `アシスタントが読み取れる期間：${tab}`,
  notBy: (assistants) => `${assistants.join('、')} を除く`,
  assistants: 'アシスタント',
  noAssistants: '今日タブを読み取ったアシスタントはありません。',
  pauseAll: 'すべて 1 時間停止',
  resume: '再開',
  pausedUntil: (time) => `${clock('ja', time, 'long')} まで一時停止中です。`,
  stop: '停止',
  allow: '許可',
  stopHere: 'ここで停止',
  allowHere: 'ここで許可',
  about: (action, names) => `${action}：${names.join('、')}`,
  callsItself: (name) => `「${name}」と名乗っています（未確認）`,
  isStopped: '停止中',
  stoppedHere: 'ここで停止中',
  stoppedEverywhere: '全サイトで停止中',
  mayRead: (count) => (count === 0 ? '読み取り可' : `読み取り可 · ${number('ja', count)} 回`),
  readsToday: (count) => `今日の読み取り ${number('ja', count)} 回`,
  list: (names) => names.join('、'),
  readLast: '最近の読み取り',
  noReads: 'まだありません。',
  readAt: (time) => new Date(time).toLocaleTimeString('ja'),
  listOfTabs: '選択したタブの一覧',
  activeTab: 'アクティブなタブ',
  closedTab: '閉じたタブ',
  textOf: (tab) => `${tab}（テキスト）`,
  sites: (count) => `同意したサイト（${number('ja', count)}）`,
  revoke: '取り消す',
  icon(tabs) {
    const some = `${number('ja', tabs)} 個のタブを読み取れます`
    return `PageMCP：${tabs === 0 ? '読み取られるタブはありません' : some}`
  },
}

const zhHans: Texts = {
  headline: {
    stopped: '已停止',
    failed: '未运行',
    searching: '请稍候',
    away: '没有网关',
    unpaired: '未配对',
    paused: '已暂停',
    nothing: '未共享',
  },
  sharingTabs: (count) => `共享 ${number('zh-Hans', count)} 个标签页`,
  sharingStopped: '共享已停止：助手无法从此浏览器读取任何内容。',
  gateway: '网关',
  oneMoment: '请稍候',
  startGateway: '在终端中启动网关，并粘贴它输出的链接：',
  copy: '复制',
  copied: '已复制',
  link: '网关的链接',
  connect: '连接',
  otherGateway:
    '此链接属于另一个网关，而不是常用的网关：{gateway}。那里的助手将可以读取所选的标签页。仅当该网关由本人启动时才继续。',
  refuseGateway: '不连接',
  acceptGateway: '连接到此网关',
  anotherLink: '通过其他链接连接',
  notALink: '这不是网关的链接。',
  engineFailed: '引擎未能启动',
  connectedAs: (name) => `已连接，名称为 ${name}`,
  away: '网关不可用',
  reconnects: '启动网关后，将自动重新连接。',
  searching: '正在查找网关',
  notConnected: '未连接',
  linkRefused:
    '网关拒绝了此链接：链接已被使用、已超过两分钟，或者网关启动时未指定此扩展程序的来源。',
  failed: (error) => `操作失败：${error}`,
  mayBeRead: '助手可以读取的标签页',
  tickATab: '请勾选标签页：助手只能读取已勾选的标签页。',
  untickAll: '全部取消选择',
  noTabs: '没有打开的网页。',
  asksFirst: '先询问',
  untilRestart: '直到重启',
  forAnHour: '一小时',
  untilMidnight: '直到午夜',
  until: (time) => `至 ${clock('zh-Hans', time)}`,
  howLong: (tab) => `助手可以读取的时长：${tab}`,
  notBy: (assistants) => `不包括 ${assistants.join('、')}`,
  assistants: '助手',
  noAssistants: '今天还没有助手读取过标签页。',
  pauseAll: '全部暂停一小时',
  resume: '恢复',
  pausedUntil: (time) => `已暂停至 ${clock('zh-Hans', time)}。`,
  stop: '停止',
  allow: '允许',
  stopHere: '在此停止',
  allowHere: '在此允许',
  about: (action, names) => `${action}：${names.join('、')}`,
  callsItself: (name) => `自称“${name}”（未核实）`,
  isStopped: '已停止',
  stoppedHere: '已在此停止',
  stoppedEverywhere: '已全部停止',
  mayRead: (count) => (count === 0 ? '可以读取' : `可以读取 · ${number('zh-Hans', count)} 次`),
  readsToday: (count) => `今天读取 ${number('zh-Hans', count)} 次`,
  list: (names) => names.join('、'),
  readLast: '最近读取',
  noReads: '暂无。',
  readAt: (time) => new Date(time).toLocaleTimeString('zh-Hans'),
  listOfTabs: '所选标签页的列表',
  activeTab: '活动标签页',
  closedTab: '已关闭的标签页',
  textOf: (tab) => `${tab}（文本）`,
  sites: (count) => `已同意的网站（${number('zh-Hans', count)}）`,
  revoke: '撤销',
  icon(tabs) {
    const some = `可以读取 ${number('zh-Hans', tabs)} 个标签页`
    return `PageMCP：${tabs === 0 ? '没有标签页被读取' : some}`
  },
}

export const texts: { readonly [language in Language]: Texts } = { en, de, ja, 'zh-Hans': zhHans }

/** The language of the browser's own menus; English if there are no texts in it. */
export function uiLanguage(): Language {
  const locale = preferredLocale([chrome.i18n?.getUILanguage?.() || navigator.language])
  return locale === 'en-XA' ? 'en' : locale // the playground's pseudo-locale
}
