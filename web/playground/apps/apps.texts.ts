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

declare module '../locale/texts.ts' {
  interface English {
    apps: typeof en
  }
}
