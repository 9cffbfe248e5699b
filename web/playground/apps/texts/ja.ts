import type { Messages } from '../../locale/texts.ts'

export const apps: Messages['apps'] = {
  open: 'アプリを開く',
  none: '選択したメッセージにアプリはありません。',
  failed: '{uri} はアプリではありません：{reason}',
  flood: '送信が多すぎるため、アプリを閉じました。',
  runs: 'このアプリはサーバーのページで、スクリプトを含みます。このページは読めません。WebRTC を使うと、内容や入力を任意のアドレスへ送信でき、ほとんどのブラウザーはそれを防げません。',
  run: 'アプリを実行',
  needs: 'ほかに使うもの：',
  call: 'ツールの呼び出し：',
  link: 'リンク：',
  said: 'アプリから：',
}
