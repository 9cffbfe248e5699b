import type { Messages } from '../texts.ts'

export const explain: Messages['explain'] = {
  request: {
    client: 'Eine Anfrage des Clients. Der Server beantwortet sie einmal, mit derselben id.',
    server: 'Eine Anfrage des Servers. Der Client beantwortet sie einmal, mit derselben id.',
  },
  notification: {
    client: 'Eine Mitteilung des Clients. Sie hat keine id und wird nie beantwortet.',
    server: 'Eine Mitteilung des Servers. Sie hat keine id und wird nie beantwortet.',
  },
  result: 'Die Antwort auf {method}: Es hat geklappt.',
  error: 'Die Antwort auf {method}: Es ist mit {code} gescheitert.',
  stray: 'Eine Antwort auf eine Anfrage, die nicht in diesem Verlauf steht.',
  open: 'Bisher ist keine Antwort gekommen.',
  batch: 'Mehrere Nachrichten in einem Array. MCP kennt das seit 2025-06-18 nicht mehr.',
  broken: 'Das ist keine Nachricht nach JSON-RPC: {problem}.',
  world: 'Keine Nachricht: In der Welt, von der der Server berichtet, ist etwas geschehen.',
  strange: 'Keine hier bekannte Fassung von MCP hat {method}.',
  elsewhere: '{method} gibt es nicht in {revision}, aber in {others}.',
  method: {
    'server/discover':
      'Fragt, welche Fassungen der Server spricht und was er hat. Nicht nötig, aber als Erstes üblich.',
    initialize:
      'Die erste Nachricht: Beide Seiten sagen, welche Fassung sie sprechen und was sie können.',
    'notifications/initialized':
      'Beendet die Begrüßung. Von nun an darf in beide Richtungen gefragt werden.',
    ping: 'Fragt, ob die andere Seite noch da ist. Die Antwort ist leer.',
    'resources/list': 'Fragt seitenweise, was gelesen werden kann.',
    'resources/templates/list':
      'Fragt nach Mustern von URIs, für Ressourcen, die in keine Liste passen.',
    'resources/read': 'Fragt nach dem Inhalt einer Ressource, als Text oder Blob.',
    'resources/subscribe':
      'Bittet um Nachricht, wenn sich eine Ressource ändert. Gemeldet wird, dass, nicht was.',
    'resources/unsubscribe': 'Beendet ein Abonnement.',
    'subscriptions/listen':
      'Öffnet einen Strom von Mitteilungen. Er bleibt offen, und seine id ist der Name des Abonnements.',
    'notifications/subscriptions/acknowledged':
      'Die erste Nachricht eines Abonnements: der Teil des Gewünschten, der gewährt ist.',
    'notifications/resources/updated':
      'Eine Ressource hat sich geändert. Wer den neuen Inhalt will, liest sie.',
    'notifications/resources/list_changed':
      'Ressourcen sind gekommen oder gegangen. Wer die neue Liste will, fragt nach ihr.',
    'prompts/list': 'Fragt seitenweise nach fertigen Nachrichten.',
    'prompts/get': 'Fragt nach einer fertigen Nachricht mit eingesetzten Argumenten.',
    'notifications/prompts/list_changed':
      'Prompts sind gekommen oder gegangen. Wer die neue Liste will, fragt nach ihr.',
    'tools/list': 'Fragt seitenweise, was der Server tun kann.',
    'tools/call':
      'Bittet den Server, etwas zu tun. Scheitert ein Werkzeug, steht das im Ergebnis, nicht in einem Fehler.',
    'notifications/tools/list_changed':
      'Werkzeuge sind gekommen oder gegangen. Wer die neue Liste will, fragt nach ihr.',
    'completion/complete': 'Fragt, was gemeint sein könnte, während jemand ein Argument eingibt.',
    'logging/setLevel': 'Sagt, ab welcher Stufe Protokollmeldungen erwünscht sind.',
    'notifications/message': 'Eine Protokollmeldung des Servers.',
    'notifications/cancelled':
      'Eine Anfrage hat sich erledigt. Ihre Antwort kann trotzdem kommen, wenn sie schon unterwegs war.',
    'notifications/progress':
      'Sagt, wie weit eine Anfrage ist, die mit einem progressToken darum gebeten hat.',
    'sampling/createMessage':
      'Fragt das Sprachmodell des Clients. Ein Mensch sollte es vorher sehen.',
    'elicitation/create':
      'Fragt den Menschen, mit einem Formular oder einer Seite. Er darf ablehnen.',
    'notifications/elicitation/complete': 'Wofür eine Seite geöffnet wurde, ist erledigt.',
    'roots/list': 'Fragt, in welchen Ordnern der Client arbeitet.',
    'notifications/roots/list_changed': 'Die Ordner des Clients haben sich geändert.',
    'tasks/list': 'Fragt nach den Anfragen, die als Aufgaben laufen.',
    'tasks/get': 'Fragt, wie es um eine Aufgabe steht.',
    'tasks/result': 'Fragt nach dem Ergebnis einer Aufgabe und wartet darauf.',
    'tasks/cancel': 'Beendet eine Aufgabe, bevor sie fertig ist.',
    'notifications/tasks/status': 'Um eine Aufgabe steht es anders als vorher.',
  },
  code: {
    '-32700': 'Parse error: Was ankam, ist kein JSON.',
    '-32600': 'Invalid request: Es ist JSON, aber keine Nachricht.',
    '-32601': 'Method not found: Der Server hat diese Methode nicht.',
    '-32602': 'Invalid params: Die Methode gibt es, aber nicht mit diesen params.',
    '-32602 2026-07-28':
      'Invalid params. In 2026-07-28 heißt so auch eine Ressource, die es nicht gibt, und eine Anfrage ohne Umschlag.',
    '-32603':
      'Internal error: Die Anfrage war richtig, der Server ist gescheitert. Was genau geschah, bleibt bei ihm.',
    '-32002':
      'Resource not found. Diesen Code haben nur Fassungen bis 2025-11-25; 2026-07-28 sagt -32602.',
    '-32042': 'Zuerst muss eine Seite besucht werden. Diesen Code hat nur 2025-11-25.',
    '-32020':
      'Header mismatch: Ein Header der HTTP-Anfrage fehlt oder weicht von der Nachricht ab.',
    '-32021':
      'Dem Client fehlt eine Fähigkeit, die diese Anfrage braucht. Jede Anfrage nennt sie aufs Neue.',
    '-32022': 'Der Server spricht die Fassung nicht, in der die Anfrage geschrieben ist.',
    reserved:
      'Dieser Code gehört JSON-RPC und MCP; keins von beiden hat ihm hier eine Bedeutung gegeben.',
    own: 'Ein eigener Code des Servers.',
  },
  cause: {
    nearest: 'Vermutlich: Nichts heißt {asked}. War {nearest} gemeint?',
    unlisted: 'Vermutlich: Der Server nennt in seinen Listen kein {asked}.',
    nearestMethod: 'Vermutlich: ein Tippfehler in {asked}. War {nearest} gemeint?',
    elsewhere: 'Vermutlich: {method} gibt es nicht in {revision}.',
    capability: 'Vermutlich: Der Server hat {capability} nicht zugesagt.',
    missing: 'Vermutlich: {member} fehlt.',
    type: 'Vermutlich: {member} sollte {type} sein.',
    json: 'Vermutlich: {problem}.',
    jsonrpc: 'Vermutlich: jsonrpc fehlt oder ist nicht "2.0".',
    id: 'Vermutlich: Eine id ist ein Text oder eine ganze Zahl, nichts anderes.',
    batch: 'Vermutlich: mehrere Nachrichten in einem Array.',
    cursor:
      'Vermutlich: Diesen cursor hat der Server nicht ausgegeben, oder er ist von vor einer Änderung.',
    version: 'Gewünscht war {requested}. Der Server spricht {supported}.',
    ability: 'Der Umschlag müsste {ability} nennen.',
    visit: 'Die Seite, die zu besuchen ist: {url}',
    headers:
      'Mcp-Method, Mcp-Name und MCP-Protocol-Version mit Methode, Name oder URI und _meta vergleichen.',
  },
  hint: {
    unknownId: 'Es ist keine Anfrage mit dieser id offen.',
    duplicateId: 'Eine Anfrage mit dieser id ist noch offen.',
    afterCancel: 'Die Anfrage war schon abgebrochen, als diese Antwort kam.',
    unsubscribed: 'Um diese Mitteilung hat niemand gebeten.',
    version: 'Der Umschlag sagt {said}, auf dieser Spur wird {spoken} gesprochen.',
    notObject: 'Eine Nachricht ist ein Objekt.',
    jsonrpc: 'jsonrpc muss "2.0" sein.',
    idType: 'Eine id ist ein Text oder eine ganze Zahl.',
    both: 'Eine Antwort hat entweder result oder error.',
    method: '{method} gibt es in {revision} nicht.',
    missing: '{member} fehlt.',
    type: '{member} sollte {type} sein.',
    value: '{member} sollte {value} sein.',
    range: '{member} liegt außerhalb der Grenzen: {limit}.',
    schema: '{member} passt zu keiner der Formen, die dort erlaubt sind.',
    code: '{revision} hat den Code {code} nicht.',
    json: 'Das ist kein JSON: {problem}',
  },
  change: {
    none: 'Es war nichts zu ändern.',
    broken: 'Was kein JSON ist, bleibt, wie es ist.',
    envelope:
      'Die Anfrage hat nun ihren Umschlag in params._meta: Jede nennt ihre Fassung und ihre Fähigkeiten.',
    noEnvelope: 'Der Umschlag ist weg: Die Begrüßung hat es ein für alle Mal gesagt.',
    version: '{member} ist nun {to}.',
    discover:
      'Aus initialize wurde server/discover: In 2026-07-28 gibt es keine Begrüßung (changelog).',
    initialize:
      'Aus server/discover wurde initialize, die Begrüßung der älteren Fassungen. notifications/initialized muss folgen.',
    listen:
      'Aus resources/subscribe wurde subscriptions/listen mit einem Filter: in 2026-07-28 entfernt (changelog).',
    subscribe: 'Aus subscriptions/listen wurde resources/subscribe, das für eine Ressource gilt.',
    onlyFirst: 'Nur die erste URI ist darin: Jede braucht eine eigene Anfrage.',
    unasked: 'Ältere Fassungen senden list_changed ungefragt.',
    unsubscribe:
      'resources/unsubscribe wurde in 2026-07-28 entfernt (changelog): stattdessen die Anfrage subscriptions/listen abbrechen.',
    ping: 'ping wurde in 2026-07-28 entfernt (changelog): Jede Anfrage tut es auch.',
    setLevel:
      'logging/setLevel wurde in 2026-07-28 entfernt (changelog): Die Stufe steht im Umschlag jeder Anfrage.',
    initialized:
      'notifications/initialized wurde in 2026-07-28 entfernt (changelog): Vorher muss nichts gesagt werden.',
    inside:
      '{method} ist seit 2026-07-28 keine eigene Nachricht mehr (changelog): Ein Ergebnis, das Angaben braucht, fragt danach.',
    removed: '{method} gibt es in {to} nicht.',
    retry: 'inputResponses und requestState sind weg: Es gibt sie nur in 2026-07-28.',
  },
}
