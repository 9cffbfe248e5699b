/** Texts of every demo, in German. */
import type { Shared } from './en.ts'

export const texts: Shared = {
  home: 'PageMCP, Startseite',
  language: 'Sprache',
  watch: 'Im Playground mitlesen',
  newTab: 'öffnet einen neuen Tab',
  starting: 'Startet',
  looking: 'Sucht das Gateway',
  joined: 'Verbunden als {name}',
  away: 'Gateway nicht erreichbar',
  notPaired: 'Nicht gekoppelt',
  refused: 'Abgelehnt',
  notServed: 'Nicht freigegeben',
  awayAdvice:
    'Das Gateway antwortet nicht. Die Seite verbindet sich wieder, sobald es zurück ist. Läuft „pagemcp dev“ noch?',
  pairAdvice:
    'Assistenten können diese Seite noch nicht lesen. Den Link öffnen, den „pagemcp dev“ im Terminal ausgibt; die Eingabetaste dort erzeugt einen neuen.',
  linkAdvice:
    'Der Link ist abgelaufen oder wurde schon benutzt. Im Terminal von „pagemcp dev“ die Eingabetaste drücken und den neuen Link öffnen.',
  otherAdvice:
    'Dieser Link ist die Einladung eines anderen Gateways. Diese Seite verbindet sich mit {gateway}: den Link öffnen, den dieses Gateway ausgibt.',
  failAdvice: 'Die Engine ist nicht gestartet: {reason}',
  stopAdvice:
    'Die Engine ist stehen geblieben. Seite neu laden; hilft das nicht, steht mehr in der Konsole.',
  retry: 'Erneut versuchen',
  explain: 'Was hilft',
  undo: 'Rückgängig',
  reads: 'Von Assistenten gelesen',
  requests: 'Anfragen, die neueste zuerst',
  nothing: 'Noch hat kein Assistent etwas angefragt.',
  connectAndAsk: 'Einen Assistenten verbinden und fragen: {question}',
  kind: { read: 'gelesen', tool: 'Tool', prompt: 'Prompt' },
  outcome: { answered: 'ok', asks: 'fragt', failed: 'Fehler' },
}
