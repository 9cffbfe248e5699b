import type { Translated } from '../locale/texts.ts'

export const en = {
  loading: 'Loading …',
  failedToLoad: 'This part did not load: {reason}. Try again, or reload the page.',
  tryAgain: 'Try again',
  copied: 'Copied to the clipboard',
  notCopied: 'Not copied: the browser denies access to the clipboard',
} as const

export const de: Translated<typeof en> = {
  loading: 'Wird geladen …',
  failedToLoad:
    'Dieser Teil wurde nicht geladen: {reason}. Erneut versuchen oder die Seite neu laden.',
  tryAgain: 'Erneut versuchen',
  copied: 'In die Zwischenablage kopiert',
  notCopied: 'Nicht kopiert: Der Browser verweigert den Zugriff auf die Zwischenablage',
}

export const ja: Translated<typeof en> = {
  loading: '読み込み中…',
  failedToLoad:
    'この部分を読み込めませんでした：{reason}。再試行するか、ページを再読み込みしてください。',
  tryAgain: '再試行',
  copied: 'クリップボードにコピーしました',
  notCopied: 'コピーできません：ブラウザーがクリップボードの使用を許可していません',
}

export const zhHans: Translated<typeof en> = {
  loading: '正在加载…',
  failedToLoad: '这一部分未能加载：{reason}。请重试，或重新加载页面。',
  tryAgain: '重试',
  copied: '已复制到剪贴板',
  notCopied: '未能复制：浏览器不允许访问剪贴板',
}

declare module '../locale/texts.ts' {
  interface English {
    base: typeof en
  }
}
