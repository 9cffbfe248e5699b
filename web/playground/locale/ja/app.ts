import type { Messages } from '../../app/i18n.ts'

export const app: Messages['app'] = {
  title: 'PageMCP プレイグラウンド',
  lead: 'MCP メッセージを書き、このページで動くサーバーに送り、返ってくるものを見ましょう。',
  toExplore: '一覧へ移動',
  toCompose: '作成へ移動',
  toInspect: 'メッセージへ移動',
  toTimeline: 'タイムラインへ移動',
  explore: '一覧',
  compose: '作成',
  inspect: '詳細',
  timeline: 'タイムライン',
  loading: '読み込み中…',
  failedToLoad:
    'この部分を読み込めませんでした: {reason}。接続を確認し、ページを再読み込みしてください。',
  language: '言語',
  theme: '配色',
  themeSystem: 'システムに合わせる',
  themeLight: 'ライト',
  themeDark: 'ダーク',
  client: 'クライアント',
  server: 'サーバー',
  revision: 'プロトコルの版',
  lessons: 'レッスン',
  share: '共有',
  palette: 'すべてのコマンド',
  resize: '{a}と{b}の大きさを変える',
}
