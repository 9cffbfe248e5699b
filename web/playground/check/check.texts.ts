import type { Translated } from '../locale/texts.ts'

export const en = {
  title: 'Check a server',
  about:
    'Sends reads, lists, subscriptions and malformed messages to a server, in the old and the new protocol, to check {count} requirements.',
  run: 'Run checks',
  stop: 'Stop',
  demo: 'Check the demo',
  playground: 'Playground',
  wanted: 'Expected',
  received: 'Received',
  sent: 'Sent',
  mayCall: 'May call tools that do not exist',
  passed: 'Passed',
  failed: 'Failed',
  none: 'Not applicable',
  others: 'Not checked, and why',
} as const

export const de: Translated<typeof en> = {
  title: 'Server prüfen',
  about:
    'Sendet Lesezugriffe, Listen, Abonnements und fehlerhafte Nachrichten an einen Server, im alten und im neuen Protokoll, und prüft damit {count} Anforderungen.',
  run: 'Prüfen',
  stop: 'Anhalten',
  demo: 'Demo prüfen',
  playground: 'Playground',
  wanted: 'Erwartet',
  received: 'Empfangen',
  sent: 'Gesendet',
  mayCall: 'Darf Tools aufrufen, die es nicht gibt',
  passed: 'Bestanden',
  failed: 'Nicht bestanden',
  none: 'Nicht anwendbar',
  others: 'Nicht geprüft, mit Grund',
}

export const ja: Translated<typeof en> = {
  title: 'サーバーの検査',
  about:
    'サーバーに読み取り、一覧、購読、不正な形式のメッセージを新旧両方のプロトコルで送信し、要件 {count} 件を検査します。',
  run: '検査',
  stop: '停止',
  demo: 'デモを検査',
  playground: 'プレイグラウンド',
  wanted: '期待',
  received: '受信',
  sent: '送信',
  mayCall: '存在しないツールの呼び出しを許可',
  passed: '合格',
  failed: '不合格',
  none: '対象外',
  others: '検査しないものと理由',
}

export const zhHans: Translated<typeof en> = {
  title: '检查服务器',
  about: '用新旧两代协议向服务器发送读取、列表、订阅和格式错误的消息，检查 {count} 项要求。',
  run: '检查',
  stop: '停止',
  demo: '检查演示',
  playground: '演练场',
  wanted: '预期',
  received: '收到',
  sent: '已发送',
  mayCall: '允许调用不存在的工具',
  passed: '通过',
  failed: '未通过',
  none: '不适用',
  others: '未检查的项目及原因',
}

declare module '../locale/texts.ts' {
  interface English {
    check: typeof en
  }
}
