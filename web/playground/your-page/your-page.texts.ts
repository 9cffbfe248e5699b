import type { Translated } from '../locale/texts.ts'

export const en = {
  title: 'Try your page',
  snippet: 'Code for your page',
  gateway: 'Gateway',
  watch: 'Watch',
  notAllowed:
    'The gateway does not allow {origin}, but: {other}. Scheme, host and port must match.',
  notJoined:
    'Open the link that the gateway prints for {origin}. A Content-Security-Policy needs connect-src ws://127.0.0.1:8808.',
  steps: {
    loaded: 'The page loads',
    joined: 'It joined the gateway',
    resource: 'A resource was listed',
    read: 'The resource was read',
    change: 'A change was announced',
  },
  no: {
    gateway: 'Start the gateway with this command, and open its link.',
    resource: 'Connect to the page. An empty list needs `mcp.resource` or `mcp.mount`.',
    read: 'Read a resource.',
    change: 'Change the resource: `set` or `mcp.changed` announces it.',
  },
} as const

export const de: Translated<typeof en> = {
  title: 'Eigene Seite testen',
  snippet: 'Code für die Seite',
  gateway: 'Gateway',
  watch: 'Verfolgen',
  notAllowed:
    'Das Gateway erlaubt {origin} nicht, aber: {other}. Schema, Host und Port müssen übereinstimmen.',
  notJoined:
    'Den Link öffnen, den das Gateway für {origin} ausgibt. Eine Content-Security-Policy braucht connect-src ws://127.0.0.1:8808.',
  steps: {
    loaded: 'Die Seite lädt',
    joined: 'Dem Gateway beigetreten',
    resource: 'Eine Ressource wurde aufgelistet',
    read: 'Die Ressource wurde gelesen',
    change: 'Eine Änderung wurde gemeldet',
  },
  no: {
    gateway: 'Das Gateway mit diesem Befehl starten und seinen Link öffnen.',
    resource: 'Mit der Seite verbinden. Eine leere Liste braucht `mcp.resource` oder `mcp.mount`.',
    read: 'Eine Ressource lesen.',
    change: 'Die Ressource ändern: `set` oder `mcp.changed` meldet es.',
  },
}

export const ja: Translated<typeof en> = {
  title: '自分のページを試す',
  snippet: 'ページのコード',
  gateway: 'ゲートウェイ',
  watch: '確認',
  notAllowed:
    'ゲートウェイは {origin} を許可していません。許可：{other}。スキーム、ホスト、ポートを合わせてください。',
  notJoined:
    'ゲートウェイが {origin} 用に表示するリンクを開いてください。Content-Security-Policy には connect-src ws://127.0.0.1:8808 が必要です。',
  steps: {
    loaded: 'ページの読み込み',
    joined: 'ゲートウェイへの参加',
    resource: 'リソースの一覧',
    read: 'リソースの読み取り',
    change: '変更の通知',
  },
  no: {
    gateway: 'このコマンドでゲートウェイを起動し、リンクを開いてください。',
    resource: 'ページに接続してください。一覧が空なら `mcp.resource` か `mcp.mount` が必要です。',
    read: 'リソースを読み取ってください。',
    change: 'リソースを変更してください。`set` か `mcp.changed` で通知されます。',
  },
}

export const zhHans: Translated<typeof en> = {
  title: '试用自己的网页',
  snippet: '网页代码',
  gateway: '网关',
  watch: '检测',
  notAllowed: '网关不允许 {origin}，只允许：{other}。协议、主机和端口必须一致。',
  notJoined:
    '请打开网关为 {origin} 打印的链接。Content-Security-Policy 需要 connect-src ws://127.0.0.1:8808。',
  steps: {
    loaded: '网页已加载',
    joined: '已加入网关',
    resource: '已列出资源',
    read: '已读取资源',
    change: '已通知更改',
  },
  no: {
    gateway: '请用此命令启动网关，并打开其链接。',
    resource: '请连接网页。列表为空时需要 `mcp.resource` 或 `mcp.mount`。',
    read: '请读取资源。',
    change: '请更改资源：`set` 或 `mcp.changed` 会发出通知。',
  },
}

declare module '../locale/texts.ts' {
  interface English {
    yourPage: typeof en
  }
}
