import type { Messages } from '../../locale/texts.ts'

export const conformance: Messages['conformance'] = {
  title: '適合性',
  about:
    '{server} に読み取り、一覧、購読、不正な形式のメッセージを両方の世代で送信し、要件 {count} 件を検査します。',
  run: '検査',
  stop: '停止',
  mayCall: '存在しないツールの呼び出しを許可',
  passed: '合格',
  failed: '不合格',
  none: '対象外',
  others: '検査しないものと理由',
}
