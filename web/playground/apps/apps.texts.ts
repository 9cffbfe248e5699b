import type { Translated } from '../locale/texts.ts'

export const en = {
  open: 'Open app',
  none: 'The selected message has no app.',
  failed: '{uri} is not an app: {reason}',
  flood: 'The app sent too much, and is closed.',
  runs: 'This app is a page of the server, with scripts. It cannot read this page. By WebRTC it can send its content and what you enter to any address; most browsers cannot block that.',
  run: 'Run app',
  needs: 'It also uses:',
  call: 'Call of a tool:',
  link: 'Link:',
  said: 'The app says:',
} as const

export const de: Translated<typeof en> = {
  open: 'App öffnen',
  none: 'Die gewählte Nachricht hat keine App.',
  failed: '{uri} ist keine App: {reason}',
  flood: 'Die App hat zu viel gesendet und ist geschlossen.',
  runs: 'Diese App ist eine Seite des Servers, mit Skripten. Diese Seite kann die App nicht lesen. Per WebRTC kann die App ihren Inhalt und Eingaben an jede Adresse senden; die meisten Browser können das nicht verhindern.',
  run: 'App starten',
  needs: 'Die App verwendet außerdem:',
  call: 'Aufruf eines Tools:',
  link: 'Link:',
  said: 'Die App sagt:',
}

export const ja: Translated<typeof en> = {
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

export const zhHans: Translated<typeof en> = {
  open: '打开应用',
  none: '所选消息没有应用。',
  failed: '{uri} 不是应用：{reason}',
  flood: '应用发送过多，已关闭。',
  runs: '此应用是服务器的页面，包含脚本。它无法读取本页面，但可以通过 WebRTC 将其内容和输入发送到任意地址，大多数浏览器无法阻止。',
  run: '运行应用',
  needs: '它还使用：',
  call: '调用工具：',
  link: '链接：',
  said: '应用消息：',
}

declare module '../locale/texts.ts' {
  interface English {
    apps: typeof en
  }
}
