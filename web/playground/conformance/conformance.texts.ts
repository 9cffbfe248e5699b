import type { Translated } from '../locale/texts.ts'

export const en = {
  title: 'Conformance',
  about:
    'Sends reads, lists, subscriptions and malformed messages to {server}, in the old and the new protocol, to check {count} requirements.',
  run: 'Run checks',
  stop: 'Stop',
  mayCall: 'May call tools that do not exist',
  passed: 'Passed',
  failed: 'Failed',
  none: 'Not applicable',
  others: 'Not checked, and why',
} as const

export const de: Translated<typeof en> = {
  title: 'Konformität',
  about:
    'Sendet Lesezugriffe, Listen, Abonnements und fehlerhafte Nachrichten an {server}, im alten und im neuen Protokoll, und prüft damit {count} Anforderungen.',
  run: 'Prüfen',
  stop: 'Anhalten',
  mayCall: 'Darf Tools aufrufen, die es nicht gibt',
  passed: 'Bestanden',
  failed: 'Nicht bestanden',
  none: 'Nicht anwendbar',
  others: 'Nicht geprüft, mit Grund',
}

export const ja: Translated<typeof en> = {
  title: '適合性',
  about:
    '{server} に読み取り、一覧、購読、不正な形式のメッセージを新旧両方のプロトコルで送信し、要件 {count} 件を検査します。',
  run: '検査',
  stop: '停止',
  mayCall: '存在しないツールの呼び出しを許可',
  passed: '合格',
  failed: '不合格',
  none: '対象外',
  others: '検査しないものと理由',
}

export const zhHans: Translated<typeof en> = {
  title: '一致性',
  about: '用新旧两代协议向 {server} 发送读取、列表、订阅和格式错误的消息，检查 {count} 项要求。',
  run: '检查',
  stop: '停止',
  mayCall: '允许调用不存在的工具',
  passed: '通过',
  failed: '未通过',
  none: '不适用',
  others: '未检查的项目及原因',
}

declare module '../locale/texts.ts' {
  interface English {
    conformance: typeof en
  }
}
