/** Texts of the start page, in German. */

import type { StartTexts } from './en.ts'

export const texts: StartTexts = {
  description: 'PageMCP macht eine Webseite zum MCP-Server.',
  title: 'Eine Webseite ist ein MCP-Server.',
  lead: 'Eine Engine in diesem Browser stellt bereit, was eine Seite enthält; Assistenten lesen es über ein Gateway auf diesem Rechner und geben es an den Anbieter ihres Modells weiter.',
  docs: 'Dokumentation',
  playground: 'Playground öffnen',
  playgroundAbout:
    'MCP-Nachrichten verfassen, sehen, was zurückkommt, Lektionen durchgehen. Ohne Installation.',
  scene: {
    page: 'Einkaufen',
    item: 'Zitronen',
    added: 'Olivenöl',
    ask: 'Was ist noch zu kaufen?',
    reply: 'Zitronen und Olivenöl.',
  },
  state: {
    looking: ['Sucht das Gateway', 'Einen Moment.'],
    paired: [
      'Dieser Browser ist gekoppelt',
      'Die Demos verbinden sich von selbst mit dem Gateway, jetzt und nach jedem Neuladen.',
    ],
    silent: [
      'Das Gateway antwortet nicht',
      'Läuft „pagemcp dev“ noch? Diese Seite versucht es weiter.',
    ],
    expired: [
      'Dieser Link ist abgelaufen oder wurde schon benutzt',
      'Im Terminal von „pagemcp dev“ die Eingabetaste drücken und den neuen Link öffnen.',
    ],
    unpaired: [
      'Dieser Browser ist noch nicht gekoppelt',
      'Den Link öffnen, den „pagemcp dev“ im Terminal ausgegeben hat. Die Eingabetaste dort erzeugt einen neuen.',
    ],
    failed: ['Das Koppeln ist fehlgeschlagen', ''],
  },
  traffic: 'Wer die Seiten liest',
  noReaders: 'Heute hat kein Assistent etwas gelesen.',
  joinedPages: 'Verbundene Seiten',
  noPages: 'Noch ist keine Seite verbunden. Eine Demo oder eine eigene Seite öffnen.',
  joinedAt: 'verbunden um {time}',
  pageAway: 'nicht da',
  unnamed: 'Assistent ohne Namen',
  callsItself: 'nennt sich „{name}“ (nicht geprüft)',
  readToday: 'heute gelesen: {pages}',
  ranToday: 'Tools ausgeführt: {count}',
  deniedToday: 'abgelehnt: {count}',
  lastAt: 'zuletzt um {time}',
  stop: 'Stoppen',
  stopAll: 'Alle stoppen',
  stoppedUntil: 'Gestoppt bis {time}; „pagemcp resume“ beendet das',
  demos: 'Demos',
  demosAbout: 'Web-Apps, die Assistenten lesen können.',
  connect: 'Einen Assistenten verbinden',
  pending: 'Die Adresse wird abgefragt …',
  noGateway:
    'Assistenten verbinden sich mit dem Gateway, einem Programm auf dem eigenen Rechner. `pagemcp dev` startet es, mit diesen Demos.',
  ask: 'Dann etwas fragen',
  askText:
    '„Was ist noch zu kaufen?“ Etwas auf die Einkaufsliste schreiben und noch einmal fragen: Der Assistent erfährt, dass sich die Notiz geändert hat.',
  copy: 'Kopieren',
  copyWay: 'Kopieren: {title}',
  copied: 'Kopiert',
  pressCopy: 'Strg+C drücken',
  noToken: 'Ein Token ist nicht nötig.',
  tokenIn: 'Das Bearer-Token ist die Zeile in {file}.',
  claude: 'In einem Terminal; danach darum bitten, die Notizen zu lesen.',
  vsCode: 'In einem Terminal; danach den Server mit „MCP: List Servers“ starten.',
  others: 'Andere Assistenten',
  othersHint:
    'Listet ihre Namen auf, für denselben Befehl. Darunter steht, was von Hand einzutragen ist.',
  curl: 'Oder ein anderer HTTP-Client: Protokoll 2026-07-28 braucht keinen Handshake.',
  command: 'Assistenten, die ein Programm starten',
  commandHint: 'Ohne Token.',
  demoTexts: {
    notes: {
      title: 'Notizen',
      text: 'Eine Notiz-App auf IndexedDB. Assistenten lesen die Notizen und erfahren von Änderungen; die Seite zeigt, was sie lesen.',
      sample: ['Einkaufen', 'Zitronen', 'Olivenöl'],
    },
    trip: {
      title: 'Reise',
      text: 'Ein Reiseplaner in React. Assistenten lesen den Plan, ergänzen Stationen und fragen, bevor sie eine entfernen.',
      sample: ['Lissabon', 'Sintra', 'Porto'],
    },
    board: {
      title: 'Pinnwand',
      text: 'Jeder offene Tab ist eine Notiz. Assistenten lesen alle Notizen über jeden beliebigen Tab.',
      sample: ['Zelt', 'Stühle', 'Kohle'],
    },
    drop: {
      title: 'Ablage',
      text: 'Dateien im privaten Dateisystem dieses Browsers ablegen. Assistenten lesen sie und erfahren von jeder Änderung.',
      sample: ['rezept.md', 'ausgaben.csv'],
    },
    world: {
      title: 'Eine kleine Welt',
      text: 'Dateien, ein Protokoll, eine Tabelle, ein Bildschirm, das Wetter und ein Agent mit einem Prompt: von allem etwas, und alles ändert sich.',
      sample: ['22 °C', 'Klar'],
    },
  },
}
