import type { Messages } from '../../locale/texts.ts'

export const explain: Messages['explain'] = {
  request: {
    client: 'Eine Anfrage des Clients. Der Server sendet eine Antwort mit derselben id.',
    server: 'Eine Anfrage des Servers. Der Client sendet eine Antwort mit derselben id.',
  },
  notification: {
    client: 'Eine Benachrichtigung des Clients. Ohne id und ohne Antwort.',
    server: 'Eine Benachrichtigung des Servers. Ohne id und ohne Antwort.',
  },
  result: 'Die Antwort auf {method}: Erfolg.',
  error: 'Die Antwort auf {method}: Fehler {code}.',
  stray: 'Eine Antwort auf eine Anfrage, die nicht in dieser Zeitleiste steht.',
  open: 'Noch keine Antwort.',
  failed:
    'Die Antwort auf {method}: Das Werkzeug lief und scheiterte (`isError`). Ein Modell sieht diesen Text und kann den Aufruf korrigieren.',
  input:
    'Die Antwort auf {method}: Der Server braucht erst Eingaben. Der Client sendet die Anfrage damit erneut.',
  cancelled: 'Diese Anfrage wurde abgebrochen.',
  unanswered: 'Es kommt keine Antwort mehr: Die Verbindung ist geschlossen oder gescheitert.',
  batch: 'Mehrere Nachrichten in einem Array. MCP hat Stapel mit 2025-06-18 entfernt.',
  broken: 'Das ist keine JSON-RPC-Nachricht: {problem}.',
  world: 'Keine Nachricht: ein Ereignis der Demo oder einer Verbindung.',
  strange: 'Keine bekannte Revision von MCP hat {method}.',
  elsewhere: '{method} gibt es nicht in {revision}, aber in {others}.',
  method: {
    'server/discover':
      'Fragt nach Revisionen und Fähigkeiten des Servers. Optional, aber meist die erste Anfrage.',
    initialize: 'Die erste Nachricht: Client und Server tauschen Revision und Fähigkeiten aus.',
    'notifications/initialized':
      'Beendet den Handshake. Von nun an dürfen beide Seiten Anfragen senden.',
    ping: 'Prüft, ob die andere Seite antwortet. Die Antwort ist leer.',
    'resources/list': 'Fragt nach einer Seite der Liste von Ressourcen.',
    'resources/templates/list':
      'Fragt nach einer Seite der Liste von Vorlagen für Ressourcen: Mustern von URIs.',
    'resources/read': 'Fragt nach dem Inhalt einer Ressource, als Text oder Blob.',
    'resources/subscribe':
      'Abonniert eine Ressource. Eine Benachrichtigung meldet die Änderung ohne den neuen Inhalt.',
    'resources/unsubscribe': 'Beendet ein Abonnement.',
    'subscriptions/listen':
      'Öffnet einen Stream von Benachrichtigungen. Er bleibt offen, und seine id bezeichnet das Abonnement.',
    'notifications/subscriptions/acknowledged':
      'Die erste Nachricht eines Abonnements: der gewährte Teil seines Filters.',
    'notifications/resources/updated':
      'Eine Ressource hat sich geändert. Den neuen Inhalt liefert erneutes Lesen.',
    'notifications/resources/list_changed':
      'Die Liste der Ressourcen hat sich geändert. Die neue liefert eine erneute Anfrage.',
    'prompts/list': 'Fragt nach einer Seite der Liste von Prompts.',
    'prompts/get': 'Fragt nach einem Prompt mit eingesetzten Argumenten.',
    'notifications/prompts/list_changed':
      'Die Liste der Prompts hat sich geändert. Die neue liefert eine erneute Anfrage.',
    'tools/list': 'Fragt nach einer Seite der Liste von Werkzeugen.',
    'tools/call':
      'Ruft ein Werkzeug auf. Scheitert das Werkzeug, steht das im Ergebnis, nicht in einem Fehler.',
    'notifications/tools/list_changed':
      'Die Liste der Werkzeuge hat sich geändert. Die neue liefert eine erneute Anfrage.',
    'completion/complete':
      'Fragt nach Ergänzungen für ein Argument, mit den bisher eingesetzten Werten.',
    'logging/setLevel': 'Setzt die niedrigste Stufe der zu sendenden Log-Nachrichten.',
    'notifications/message': 'Eine Log-Nachricht des Servers.',
    'notifications/cancelled':
      'Bricht eine Anfrage ab. Die Antwort kann noch kommen, wenn sie schon gesendet war.',
    'notifications/progress': 'Meldet den Fortschritt einer Anfrage, die einen progressToken hat.',
    'sampling/createMessage':
      'Fragt nach einer Ausgabe des Sprachmodells des Clients. Ein Mensch sollte vorher zustimmen.',
    'elicitation/create':
      'Fragt nach Eingaben des Benutzers, mit einem Formular oder einer Seite. Ablehnen ist möglich.',
    'notifications/elicitation/complete': 'Der Benutzer ist mit der geöffneten Seite fertig.',
    'roots/list': 'Fragt nach den Ordnern, in denen der Client arbeitet.',
    'notifications/roots/list_changed': 'Die Ordner des Clients haben sich geändert.',
    'tasks/list': 'Fragt nach der Liste der Aufgaben.',
    'tasks/get': 'Fragt nach dem Zustand einer Aufgabe.',
    'tasks/result': 'Fragt nach dem Ergebnis einer Aufgabe und wartet darauf.',
    'tasks/cancel': 'Bricht eine Aufgabe ab.',
    'notifications/tasks/status': 'Der Zustand einer Aufgabe hat sich geändert.',
  },
  code: {
    '-32700': 'Parse error: Die Nachricht ist kein JSON.',
    '-32600': 'Invalid request: gültiges JSON, aber keine Nachricht.',
    '-32601': 'Method not found: Der Server unterstützt sie nicht.',
    '-32602': 'Invalid params: Die Methode gibt es, aber nicht mit diesen params.',
    '-32602 2026-07-28':
      'Invalid params. In 2026-07-28 auch für eine Ressource, die es nicht gibt, und für eine Anfrage ohne Umschlag.',
    '-32603':
      'Internal error: Die Anfrage ist gültig, der Server ist gescheitert. Server verbergen die Einzelheiten.',
    '-32002':
      'Resource not found. Diesen Code haben nur Revisionen bis 2025-11-25; 2026-07-28 verwendet -32602.',
    '-32042': 'Zuerst muss der Benutzer eine Seite besuchen. Diesen Code hat nur 2025-11-25.',
    '-32020': 'Header mismatch: Ein HTTP-Header fehlt oder weicht von der Nachricht ab.',
    '-32021':
      'Dem Client fehlt eine Fähigkeit für diese Anfrage. Jede Anfrage nennt die Fähigkeiten erneut.',
    '-32022': 'Der Server unterstützt die Revision der Anfrage nicht.',
    reserved: 'JSON-RPC und MCP reservieren diesen Code. Hier hat er keine Bedeutung.',
    own: 'Ein Code, den der Server festlegt.',
  },
  cause: {
    nearest: 'Vermutlich: {asked} gibt es nicht. War {nearest} gemeint?',
    unlisted: 'Vermutlich: Der Server listet {asked} nicht auf.',
    nearestMethod: 'Vermutlich: ein Tippfehler in {asked}. War {nearest} gemeint?',
    elsewhere: 'Vermutlich: {method} gibt es nicht in {revision}.',
    capability: 'Vermutlich: Der Server hat {capability} nicht angegeben.',
    missing: 'Vermutlich: {member} fehlt.',
    type: 'Vermutlich: {member} sollte {type} sein.',
    json: 'Vermutlich: {problem}.',
    jsonrpc: 'Vermutlich: jsonrpc fehlt oder ist nicht "2.0".',
    id: 'Vermutlich: Die id ist weder ein Text noch eine ganze Zahl.',
    batch: 'Vermutlich: mehrere Nachrichten in einem Array.',
    cursor: 'Vermutlich: Der cursor stammt von einem anderen Server oder von vor einer Änderung.',
    version: 'Angefordert: {requested}. Der Server unterstützt {supported}.',
    ability: 'Der Umschlag muss {ability} nennen.',
    visit: 'Die zu besuchende Seite: {url}',
    headers:
      'Mcp-Method, Mcp-Name und MCP-Protocol-Version mit Methode, Name oder URI und _meta vergleichen.',
  },
  hint: {
    unknownId: 'Keine offene Anfrage hat diese id.',
    duplicateId: 'Eine Anfrage mit dieser id ist noch offen.',
    afterCancel: 'Die Anfrage wurde vor dieser Antwort abgebrochen.',
    unsubscribed: 'Kein Abonnement umfasst diese Benachrichtigung.',
    version: 'Der Umschlag nennt {said}; dieser Client verwendet {spoken}.',
    notObject: 'Eine Nachricht muss ein Objekt sein.',
    jsonrpc: 'jsonrpc muss "2.0" sein.',
    idType: 'Eine id muss ein Text oder eine ganze Zahl sein.',
    both: 'Eine Antwort muss entweder result oder error haben, nicht beides.',
    method: '{method} gibt es in {revision} nicht.',
    missing: '{member} fehlt.',
    type: '{member} sollte {type} sein.',
    value: '{member} sollte {value} sein.',
    range: '{member} liegt außerhalb der Grenzen: {limit}.',
    schema: '{member} passt zu keiner der erlaubten Formen.',
    code: '{revision} hat den Code {code} nicht.',
    json: 'Kein gültiges JSON: {problem}',
  },
  change: {
    none: 'Keine Änderungen nötig.',
    broken: 'Text, der kein JSON ist, bleibt unverändert.',
    envelope:
      'Die Anfrage hat nun einen Umschlag in params._meta, mit ihrer Revision und ihren Fähigkeiten.',
    noEnvelope: '`_meta` ist entfernt: `initialize` hat es schon gesendet.',
    version: '{member} ist nun {to}.',
    discover: 'Aus initialize wurde server/discover: 2026-07-28 hat keinen Handshake (changelog).',
    initialize:
      'Aus server/discover wurde initialize, der Handshake der älteren Revisionen. notifications/initialized muss folgen.',
    listen:
      'Aus resources/subscribe, in 2026-07-28 entfernt (changelog), wurde subscriptions/listen mit einem Filter.',
    subscribe: 'Aus subscriptions/listen wurde resources/subscribe, das für eine Ressource gilt.',
    onlyFirst: 'Nur der erste URI ist enthalten: Jeder weitere braucht eine eigene Anfrage.',
    unasked: 'Ältere Revisionen senden list_changed ohne Abonnement.',
    unsubscribe:
      'resources/unsubscribe wurde in 2026-07-28 entfernt (changelog): stattdessen die Anfrage subscriptions/listen abbrechen.',
    ping: 'ping wurde in 2026-07-28 entfernt (changelog): Jede Anfrage ersetzt es.',
    setLevel:
      'logging/setLevel wurde in 2026-07-28 entfernt (changelog): Die Stufe steht im Umschlag jeder Anfrage.',
    initialized:
      'notifications/initialized wurde in 2026-07-28 entfernt (changelog): Es gibt keinen Handshake.',
    inside:
      '{method} ist in 2026-07-28 keine eigene Nachricht mehr (changelog): Ein Ergebnis, das Eingaben braucht, enthält es.',
    removed: '{method} gibt es in {to} nicht.',
    retry: 'inputResponses und requestState sind entfernt: Es gibt sie nur in 2026-07-28.',
  },
}
