/** The texts of the elements, in all languages of the project; `{name}` stands for a value. */

import type { AccessReason } from '../access-types.ts'

export type Language = 'en' | 'de' | 'ja' | 'zh-Hans'

export interface Texts {
  title: string
  /** What holds in each mode. */
  ask: string
  open: string
  policy: string
  paused: string
  provider: string
  none: string
  /** Columns. */
  assistant: string
  may: string
  last: string
  today: string
  actions: string
  read: string
  act: string
  tool: string
  /** What holds for a right. */
  session: string
  always: string
  denied: string
  asks: string
  decides: string
  usage: string
  never: string
  unnamed: string
  unnamedBy: string
  browser: string
  callsItself: string
  stop: string
  stopAll: string
  allowRead: string
  allowAct: string
  askAgain: string
  pause: string
  resume: string
  /** The accessible name of a button that concerns an assistant. */
  about: string
  audit: string
  noAudit: string
  allowed: string
  refused: string
  reasons: { readonly [reason in AccessReason]: string }
  reading: string
  close: string
  failed: string
  /** Changes that a screen reader reads out. */
  appeared: string
  stopped: string
  returned: string
}

const en: Texts = {
  title: 'Access by assistants',
  ask: 'Assistants ask before they use this page.',
  open: 'This page is open to the assistants of its gateway: they do not ask first.',
  policy: 'The app decides which assistants may use this page.',
  paused: 'Paused until {time}: no assistant gets anything of this page.',
  provider: 'What assistants read goes to the provider of their model.',
  none: 'No assistant has used this page yet.',
  assistant: 'Assistant',
  may: 'May',
  last: 'Last use',
  today: 'Today',
  actions: 'Actions',
  read: 'Read',
  act: 'Act',
  tool: 'Tool {tool}',
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
  },
  reading: 'Being read: {names}',
  close: 'Close',
  failed: 'This did not work: {error}',
  appeared: '{name} uses this page.',
  stopped: '{name} is stopped.',
  returned: '{name} may use this page.',
}

const de: Texts = {
  title: 'Zugriff durch Assistenten',
  ask: 'Assistenten fragen, bevor sie diese Seite nutzen.',
  open: 'Diese Seite ist für die Assistenten ihres Gateways offen, ohne Rückfrage.',
  policy: 'Die App entscheidet, welche Assistenten diese Seite nutzen dürfen.',
  paused: 'Pausiert bis {time}: Kein Assistent erhält etwas von dieser Seite.',
  provider: 'Was Assistenten lesen, geht an den Anbieter ihres Modells.',
  none: 'Noch kein Assistent hat diese Seite genutzt.',
  assistant: 'Assistent',
  may: 'Darf',
  last: 'Zuletzt',
  today: 'Heute',
  actions: 'Aktionen',
  read: 'Lesen',
  act: 'Handeln',
  tool: 'Tool {tool}',
  session: 'diesmal: bis {time}',
  always: 'bis {time}',
  denied: 'nicht erlaubt',
  asks: 'fragt vorher',
  decides: 'die App entscheidet',
  usage: 'Gelesen: {reads} · Aufrufe: {calls}',
  never: 'nie',
  unnamed: 'Assistent ohne Namen',
  unnamedBy: 'Assistent ohne Namen ({way})',
  browser: 'Assistent des Browsers',
  callsItself: 'Nennt sich „{name}“ (nicht geprüft)',
  stop: 'Beenden',
  stopAll: 'Alle beenden',
  allowRead: 'Lesen erlauben',
  allowAct: 'Handeln erlauben',
  askAgain: 'Wieder fragen',
  pause: 'Eine Stunde pausieren',
  resume: 'Fortsetzen',
  about: '{action}: {name}',
  audit: 'Letzte Entscheidungen',
  noAudit: 'Noch keine Entscheidungen.',
  allowed: 'erlaubt',
  refused: 'abgelehnt',
  reasons: {
    grant: 'gespeicherte Entscheidung',
    asked: 'Antwort auf die Frage',
    policy: 'Regel der App',
    open: 'offen für alle',
    declined: 'nicht erlaubt',
    paused: 'pausiert',
    unanswered: 'keine Antwort',
    revoked: 'inzwischen beendet',
  },
  reading: 'Wird gelesen: {names}',
  close: 'Schließen',
  failed: 'Das ist fehlgeschlagen: {error}',
  appeared: '{name} nutzt diese Seite.',
  stopped: '{name}: beendet.',
  returned: '{name} darf diese Seite nutzen.',
}

const ja: Texts = {
  title: 'アシスタントのアクセス',
  ask: 'アシスタントはこのページを使う前に確認します。',
  open: 'このページはゲートウェイのアシスタントに開放されており、事前の確認はありません。',
  policy: 'どのアシスタントがこのページを使えるかは、アプリが決めます。',
  paused: '{time} まで一時停止中：アシスタントはこのページから何も取得できません。',
  provider: 'アシスタントが読み取った内容は、そのモデルの提供元に送られます。',
  none: 'このページを使ったアシスタントはまだありません。',
  assistant: 'アシスタント',
  may: '許可',
  last: '最終利用',
  today: '今日',
  actions: '操作',
  read: '読み取り',
  act: '変更操作',
  tool: 'ツール {tool}',
  session: '今回だけ：{time} まで',
  always: '{time} まで',
  denied: '許可しない',
  asks: '事前に確認',
  decides: 'アプリが決定',
  usage: '読み取り：{reads} · 呼び出し：{calls}',
  never: 'なし',
  unnamed: '名前のないアシスタント',
  unnamedBy: '名前のないアシスタント（{way}）',
  browser: 'ブラウザーのアシスタント',
  callsItself: '「{name}」と名乗っています（未確認）',
  stop: '停止',
  stopAll: 'すべて停止',
  allowRead: '読み取りを許可',
  allowAct: '変更操作を許可',
  askAgain: '再び確認',
  pause: '1 時間停止',
  resume: '再開',
  about: '{action}：{name}',
  audit: '最近の判定',
  noAudit: '判定はまだありません。',
  allowed: '許可',
  refused: '拒否',
  reasons: {
    grant: '保存された判定',
    asked: '確認への回答',
    policy: 'アプリの規則',
    open: 'すべてに開放',
    declined: '許可されていません',
    paused: '一時停止中',
    unanswered: '回答なし',
    revoked: '途中で停止',
  },
  reading: '読み取り中：{names}',
  close: '閉じる',
  failed: '失敗しました：{error}',
  appeared: '{name} がこのページを使っています。',
  stopped: '{name} を停止しました。',
  returned: '{name} はこのページを使えます。',
}

const zhHans: Texts = {
  title: '助手的访问',
  ask: '助手在使用本页面之前会先询问。',
  open: '本页面对其网关的助手开放，不会事先询问。',
  policy: '由应用决定哪些助手可以使用本页面。',
  paused: '已暂停至 {time}：任何助手都无法从本页面获取内容。',
  provider: '助手读取的内容会发送给其模型的提供商。',
  none: '还没有助手使用过本页面。',
  assistant: '助手',
  may: '权限',
  last: '最近使用',
  today: '今天',
  actions: '操作',
  read: '读取',
  act: '执行操作',
  tool: '工具 {tool}',
  session: '本次：至 {time}',
  always: '至 {time}',
  denied: '不允许',
  asks: '先询问',
  decides: '由应用决定',
  usage: '读取：{reads} · 调用：{calls}',
  never: '从未',
  unnamed: '未命名的助手',
  unnamedBy: '未命名的助手（{way}）',
  browser: '浏览器的助手',
  callsItself: '自称“{name}”（未核实）',
  stop: '停止',
  stopAll: '全部停止',
  allowRead: '允许读取',
  allowAct: '允许执行操作',
  askAgain: '重新询问',
  pause: '暂停一小时',
  resume: '恢复',
  about: '{action}：{name}',
  audit: '最近的决定',
  noAudit: '还没有决定。',
  allowed: '已允许',
  refused: '已拒绝',
  reasons: {
    grant: '已保存的决定',
    asked: '已向用户询问',
    policy: '应用的规则',
    open: '对所有助手开放',
    declined: '不允许',
    paused: '已暂停',
    unanswered: '未作决定',
    revoked: '期间已停止',
  },
  reading: '正在被读取：{names}',
  close: '关闭',
  failed: '操作失败：{error}',
  appeared: '{name} 正在使用本页面。',
  stopped: '{name} 已停止。',
  returned: '{name} 可以使用本页面。',
}

export const texts: { readonly [language in Language]: Texts } = { en, de, ja, 'zh-Hans': zhHans }

/** The best language for a tag of BCP 47; English if there is none. */
export function languageFor(tag: string): Language {
  const [first] = tag.toLowerCase().split('-')
  if (first === 'zh') return /^zh(-hans|-cn|-sg|$)/i.test(tag) ? 'zh-Hans' : 'en'
  return first === 'de' || first === 'ja' ? first : 'en'
}

/** The language of an element: `lang` of it or of what it is in, else that of the browser. */
export function languageOf(element: Element): Language {
  const labelled = element.closest('[lang]')
  if (labelled !== null) return languageFor(labelled.getAttribute('lang') ?? '')
  const root = element.getRootNode()
  if (root instanceof ShadowRoot) return languageOf(root.host)
  return languageFor(navigator.language)
}

/** Puts values into a text. What is in the values is not replaced again. */
export function fill(text: string, values: { readonly [name: string]: string }): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : all,
  )
}
