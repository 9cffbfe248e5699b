import type { Messages } from '../texts.ts'

export const apps: Messages['apps'] = {
  open: 'App öffnen',
  none: 'Die gewählte Nachricht hat keine App.',
  failed: '{uri} ist keine App: {reason}',
  flood: 'Die App hat zu viel gesendet und ist geschlossen.',
  needs: 'Diese App verwendet:',
  call: 'Aufruf eines Werkzeugs:',
  link: 'Link:',
  said: 'Die App sagt:',
}
