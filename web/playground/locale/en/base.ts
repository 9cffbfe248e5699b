export const base = {
  loading: 'Loading …',
  failedToLoad: 'This part did not load: {reason}. Check the connection and reload the page.',
  copied: 'Copied to the clipboard',
  notCopied: 'Not copied: the browser denies access to the clipboard',
} as const
