import type { Messages } from '../../locale/texts.ts'

export const apps: Messages['apps'] = {
  open: 'App öffnen',
  none: 'Die gewählte Nachricht hat keine App.',
  failed: '{uri} ist keine App: {reason}',
  flood: 'Die App hat zu viel gesendet und ist geschlossen.',
  runs: 'Diese App ist eine Seite des Servers, mit Skripten. Diese Seite kann die App nicht lesen. Per WebRTC kann die App ihren Inhalt und Eingaben an jede Adresse senden; die meisten Browser können das nicht verhindern.',
  run: 'App starten',
  needs: 'Die App verwendet außerdem:',
  call: 'Aufruf eines Werkzeugs:',
  link: 'Link:',
  said: 'Die App sagt:',
}
