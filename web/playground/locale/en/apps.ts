export const apps = {
  open: 'Open app',
  none: 'The selected message has no app.',
  failed: '{uri} is not an app: {reason}',
  flood: 'The app sent too much, and is closed.',
  needs: 'This app uses:',
  call: 'Call of a tool:',
  link: 'Link:',
  said: 'The app says:',
} as const
