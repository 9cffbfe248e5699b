/** Texts of the start page, in Japanese. */

import type { StartTexts } from './en.ts'

export const texts: StartTexts = {
  description: 'PageMCP は Web ページを MCP サーバーにします。',
  title: 'Web ページが MCP サーバーに。',
  lead: 'ページの内容をブラウザー内のエンジンが提供し、アシスタントはこのマシンのゲートウェイを通して読み、その内容をモデルの提供元に送信します。',
  docs: 'ドキュメント',
  playground: 'プレイグラウンドを開く',
  playgroundAbout:
    'MCP メッセージを書き、返ってくるものを見て、レッスンを進められます。インストールは不要です。',
  scene: {
    page: '買い物',
    item: 'レモン',
    added: 'オリーブオイル',
    ask: 'あと何を買えばいい？',
    reply: 'レモンとオリーブオイルです。',
  },
  state: {
    looking: ['ゲートウェイを探しています', '少々お待ちください。'],
    paired: [
      'このブラウザーはペアリング済みです',
      'デモは自動でゲートウェイに接続します。再読み込みの後も同じです。',
    ],
    silent: [
      'ゲートウェイが反応しません',
      '「pagemcp dev」は動いていますか。このページは接続を試し続けます。',
    ],
    expired: [
      'このリンクは期限切れか、使用済みです',
      '「pagemcp dev」のターミナルで Enter キーを押し、表示されたリンクを開いてください。',
    ],
    unpaired: [
      'このブラウザーはまだペアリングされていません',
      '「pagemcp dev」がターミナルに表示したリンクを開いてください。そこで Enter キーを押すと新しいリンクが出ます。',
    ],
    failed: ['ペアリングできませんでした', ''],
  },
  traffic: 'ページを読んでいるアシスタント',
  noReaders: '今日は、どのアシスタントも何も読んでいません。',
  joinedPages: '参加しているページ',
  noPages: '参加しているページはまだありません。デモか、自分のページを開いてください。',
  joinedAt: '{time} に参加',
  pageAway: '不在',
  unnamed: '名前のないアシスタント',
  callsItself: '「{name}」と名乗っています（未確認）',
  readToday: '今日の読み取り：{pages}',
  ranToday: '実行したツール：{count}',
  deniedToday: '拒否：{count}',
  lastAt: '最後は {time}',
  stop: '停止',
  stopAll: 'すべて停止',
  stoppedUntil: '{time} まで停止中。終えるには「pagemcp resume」を実行します',
  demos: 'デモ',
  demosAbout: 'アシスタントが読める Web アプリです。',
  connect: 'アシスタントを接続する',
  pending: 'アドレスを問い合わせています…',
  noGateway:
    'アシスタントの接続先は、自分のマシンで動くプログラム、ゲートウェイです。`pagemcp dev` で、これらのデモと一緒に起動します。',
  ask: '何か聞いてみる',
  askText:
    '「あと何を買えばいい？」買い物リストに書き足して、もう一度聞いてみてください。メモが変わったことは、アシスタントに通知されています。',
  copy: 'コピー',
  copyWay: 'コピー：{title}',
  copied: 'コピーしました',
  pressCopy: 'Ctrl+C を押してください',
  noToken: 'トークンは不要です。',
  tokenIn: 'ベアラートークンは {file} の 1 行です。',
  claude: 'ターミナルで実行し、メモを読むように頼んでください。',
  vsCode: 'ターミナルで実行し、「MCP: List Servers」でサーバーを起動してください。',
  others: 'ほかのアシスタント',
  othersHint: '同じコマンドで使う名前の一覧です。手で設定する内容は下にあります。',
  curl: 'ほかの HTTP クライアントでも使えます。プロトコル 2026-07-28 にハンドシェイクは不要です。',
  command: 'コマンドを起動するアシスタント',
  commandHint: 'トークンは不要です。',
  demoTexts: {
    notes: {
      title: 'メモ',
      text: 'IndexedDB を使うメモアプリです。アシスタントはメモを読み、変更の通知を受け取ります。何が読まれたかも分かります。',
      sample: ['買い物', 'レモン', 'オリーブオイル'],
    },
    trip: {
      title: '旅行',
      text: 'React のプランナーです。アシスタントは予定を読み、目の前で滞在先を追加し、削除の前には確認します。',
      sample: ['リスボン', 'シントラ', 'ポルト'],
    },
    board: {
      title: 'ボード',
      text: '開いているタブ一つがメモ一枚です。アシスタントはどのタブからでもすべてのメモを読めます。',
      sample: ['テント', '椅子', '炭'],
    },
    drop: {
      title: 'ファイル置き場',
      text: 'ブラウザー専用のファイルシステムにファイルを置きます。アシスタントは読むことができ、変更の通知を受け取ります。',
      sample: ['レシピ.md', '支出.csv'],
    },
    world: {
      title: '小さな世界',
      text: 'ファイル、ログ、表、画面、天気、プロンプトを持つエージェント。あらゆる種類のデータが一つずつあり、すべて変化します。',
      sample: ['22 °C', '晴れ'],
    },
  },
}
