/** Texts of every demo, in Japanese. */
import type { Shared } from './en.ts'

export const texts: Shared = {
  home: 'PageMCP、スタートページ',
  language: '言語',
  watch: 'プレイグラウンドで監視',
  newTab: '新しいタブで開きます',
  starting: '起動中',
  looking: 'ゲートウェイを探しています',
  joined: '{name} として接続済み',
  away: 'ゲートウェイに届きません',
  notPaired: '未ペアリング',
  refused: '拒否されました',
  notServed: '公開されていません',
  awayAdvice:
    'ゲートウェイが反応しません。戻り次第、このページは自動で再接続します。「pagemcp dev」は動いていますか。',
  pairAdvice:
    'アシスタントはまだこのページを読めません。「pagemcp dev」がターミナルに表示するリンクを開いてください。そこで Enter キーを押すと新しいリンクが出ます。',
  linkAdvice:
    'リンクの期限が切れているか、すでに使われています。「pagemcp dev」のターミナルで Enter キーを押し、新しいリンクを開いてください。',
  otherAdvice:
    'このリンクは別のゲートウェイの招待です。このページは {gateway} に参加します。そのゲートウェイが表示するリンクを開いてください。',
  failAdvice: 'エンジンを起動できませんでした：{reason}',
  stopAdvice:
    'エンジンが停止しました。ページを再読み込みしてください。直らない場合はコンソールを見てください。',
  retry: '再試行',
  explain: '対処方法',
  undo: '元に戻す',
  reads: 'アシスタントが読んだもの',
  requests: 'リクエスト（新しい順）',
  nothing: 'アシスタントからの問い合わせはまだありません。',
  connectAndAsk: 'アシスタントを接続して、こう聞いてみてください：{question}',
  kind: { read: '読み取り', tool: 'ツール', prompt: 'プロンプト' },
  outcome: { answered: 'OK', asks: '質問', failed: '失敗' },
}
