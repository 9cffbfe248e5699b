import type { Messages } from '../../locale/texts.ts'

export const base: Messages['base'] = {
  loading: '読み込み中…',
  failedToLoad:
    'この部分を読み込めませんでした：{reason}。再試行するか、ページを再読み込みしてください。',
  tryAgain: '再試行',
  copied: 'クリップボードにコピーしました',
  notCopied: 'コピーできません：ブラウザーがクリップボードの使用を許可していません',
}
