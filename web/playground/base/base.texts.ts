export const en = {
  loading: 'Loading …',
  failedToLoad: 'This part did not load: {reason}. Try again, or reload the page.',
  tryAgain: 'Try again',
  copied: 'Copied to the clipboard',
  notCopied: 'Not copied: the browser denies access to the clipboard',
} as const

declare module '../locale/texts.ts' {
  interface English {
    base: typeof en
  }
}
