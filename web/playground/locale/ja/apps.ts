import type { Messages } from '../texts.ts'

export const apps: Messages['apps'] = {
  open: 'アプリを開く',
  none: '選択したメッセージにアプリはありません。',
  failed: '{uri} はアプリではありません：{reason}',
  flood: '送信が多すぎるため、アプリを閉じました。',
  needs: 'このアプリが使うもの：',
  call: 'ツールの呼び出し：',
  link: 'リンク：',
  said: 'アプリから：',
}
