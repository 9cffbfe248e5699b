import type { Messages } from '../../locale/texts.ts'

export const yourPage: Messages['yourPage'] = {
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
