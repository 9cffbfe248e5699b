import type { Messages } from '../texts.ts'

export const conformance: Messages['conformance'] = {
  title: '適合性',
  command: '適合性を検査…',
  about:
    '{server} が MCP の要件 {count} 件を満たすかを、両方の世代で検査します。送信するのは読み取り、一覧、購読、不正な形式のメッセージで、タイムラインに表示されます。',
  run: '検査',
  stop: '停止',
  mayCall: '存在しない名前でのツール呼び出しを許可',
  passed: '合格',
  failed: '不合格',
  none: '対象外',
  show: 'メッセージを表示',
  others: '検査しないものと理由',
}
