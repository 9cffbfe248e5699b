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
  set: {
    title: 'Malformed messages',
    about:
      'Sends {count} malformed messages to {server}, and compares each response with the specification. They change nothing.',
    send: 'Send set',
    with: 'Compare with',
    message: 'Message',
    sent: 'Sent',
    expected: 'Expected',
    received: 'Received',
    differs: 'differs',
  },
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
  set: {
    title: 'Fehlerhafte Nachrichten',
    about:
      'Sendet {count} fehlerhafte Nachrichten an {server} und vergleicht jede Antwort mit der Spezifikation. Dabei wird nichts geändert.',
    send: 'Alle senden',
    with: 'Vergleichen mit',
    message: 'Nachricht',
    sent: 'Gesendet',
    expected: 'Erwartet',
    received: 'Empfangen',
    differs: 'verschieden',
  },
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
  set: {
    title: '不正な形式のメッセージ',
    about:
      '{server} に不正な形式のメッセージ {count} 件を送信し、各レスポンスを仕様と比較します。サーバーのデータは変わりません。',
    send: 'すべて送信',
    with: '比較対象',
    message: 'メッセージ',
    sent: '送信',
    expected: '期待',
    received: '受信',
    differs: '相違',
  },
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
  set: {
    title: '格式错误的消息',
    about: '向 {server} 发送 {count} 条格式错误的消息，并将每个响应与规范比较。不会更改任何内容。',
    send: '全部发送',
    with: '比较对象',
    message: '消息',
    sent: '已发送',
    expected: '预期',
    received: '收到',
    differs: '不同',
  },
}

declare module '../locale/texts.ts' {
  interface English {
    conformance: typeof en
  }
}
