import type { Translated } from '../locale/texts.ts'

export const en = {
  title: 'Access and audit',
  about:
    'Which assistants used which pages of your gateway: its newest {count} requests, without contents. The page says why it allows a request, the gateway does not know.',
  none: 'No requests yet. Connect an assistant, or a client here to a page of the gateway.',
  noMatch: 'No request matches.',
  uses: 'Use by assistant and page',
  requests: 'Requests, newest first',
  page: 'Page',
  lists: 'lists of all pages',
  unnamed: 'unnamed',
  calls: 'Tool calls',
  last: 'Last use',
  right: 'Right',
  decision: 'Decision',
  allowed: 'allowed',
  denied: 'denied',
  denials: 'Denied',
  reason: 'Reason',
  all: 'all',
  count: { one: '{count} request', other: '{count} requests' },
  more: 'Show {count} more',
  pauseBy: 'Pauses all assistants for an hour:',
  paused: 'All assistants are paused until {time}. This ends it:',
} as const

export const de: Translated<typeof en> = {
  title: 'Zugriff und Protokoll',
  about:
    'Welche Assistenten welche Seiten des Gateways benutzt haben: die neuesten {count} Anfragen, ohne Inhalte. Warum eine Seite etwas erlaubt, sagt sie selbst, das Gateway weiß es nicht.',
  none: 'Noch keine Anfragen. Einen Assistenten verbinden, oder hier einen Client mit einer Seite des Gateways.',
  noMatch: 'Keine Anfrage passt.',
  uses: 'Nutzung nach Assistent und Seite',
  requests: 'Anfragen, neueste zuerst',
  page: 'Seite',
  lists: 'Listen aller Seiten',
  unnamed: 'ohne Namen',
  calls: 'Tool-Aufrufe',
  last: 'Zuletzt benutzt',
  right: 'Recht',
  decision: 'Entscheidung',
  allowed: 'erlaubt',
  denied: 'abgelehnt',
  denials: 'Abgelehnt',
  reason: 'Grund',
  all: 'alle',
  count: { one: '{count} Anfrage', other: '{count} Anfragen' },
  more: '{count} weitere zeigen',
  pauseBy: 'Pausiert alle Assistenten eine Stunde lang:',
  paused: 'Alle Assistenten pausieren bis {time}. Das beendet die Pause:',
}

export const ja: Translated<typeof en> = {
  title: 'アクセスと監査',
  about:
    'どのアシスタントがゲートウェイのどのページを使ったか：最新 {count} 件のリクエスト（内容は含みません）。許可の理由はページだけが知っています。',
  none: 'リクエストはまだありません。アシスタントを接続するか、ここのクライアントをゲートウェイのページに接続してください。',
  noMatch: '一致するリクエストはありません。',
  uses: 'アシスタントとページごとの使用',
  requests: 'リクエスト（新しい順）',
  page: 'ページ',
  lists: '全ページの一覧',
  unnamed: '名前なし',
  calls: 'ツール呼び出し',
  last: '最後の使用',
  right: '権限',
  decision: '決定',
  allowed: '許可',
  denied: '拒否',
  denials: '拒否',
  reason: '理由',
  all: 'すべて',
  count: { other: '{count} 件のリクエスト' },
  more: 'さらに {count} 件を表示',
  pauseBy: '全アシスタントを1時間停止する：',
  paused: '全アシスタントは {time} まで停止中です。停止を終える：',
}

export const zhHans: Translated<typeof en> = {
  title: '访问与审计',
  about:
    '哪些助手使用了网关的哪些网页：最新的 {count} 个请求，不含内容。网页为何允许，只有网页自己知道。',
  none: '还没有请求。请连接助手，或在这里将客户端连接到网关的网页。',
  noMatch: '没有匹配的请求。',
  uses: '按助手和网页统计',
  requests: '请求（最新在前）',
  page: '网页',
  lists: '所有网页的列表',
  unnamed: '未命名',
  calls: '工具调用',
  last: '上次使用',
  right: '权限',
  decision: '决定',
  allowed: '已允许',
  denied: '已拒绝',
  denials: '拒绝',
  reason: '原因',
  all: '全部',
  count: { other: '{count} 个请求' },
  more: '再显示 {count} 个',
  pauseBy: '将所有助手暂停一小时：',
  paused: '所有助手已暂停至 {time}。结束暂停：',
}

declare module '../locale/texts.ts' {
  interface English {
    audit: typeof en
  }
}
