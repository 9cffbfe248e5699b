import type { Messages } from '../../locale/texts.ts'

export const yourPage: Messages['yourPage'] = {
  title: 'Eigene Seite testen',
  snippet: 'Code für die Seite',
  gateway: 'Gateway',
  watch: 'Verfolgen',
  notAllowed:
    'Das Gateway erlaubt {origin} nicht, aber: {other}. Schema, Host und Port müssen übereinstimmen.',
  notJoined:
    'Den Link öffnen, den das Gateway für {origin} ausgibt. Eine Content-Security-Policy braucht connect-src ws://127.0.0.1:8808.',
  steps: {
    loaded: 'Die Seite lädt',
    joined: 'Dem Gateway beigetreten',
    resource: 'Eine Ressource wurde aufgelistet',
    read: 'Die Ressource wurde gelesen',
    change: 'Eine Änderung wurde gemeldet',
  },
  no: {
    gateway: 'Das Gateway mit diesem Befehl starten und seinen Link öffnen.',
    resource: 'Mit der Seite verbinden. Eine leere Liste braucht `mcp.resource` oder `mcp.mount`.',
    read: 'Eine Ressource lesen.',
    change: 'Die Ressource ändern: `set` oder `mcp.changed` meldet es.',
  },
}
