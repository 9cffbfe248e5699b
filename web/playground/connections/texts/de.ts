import type { Messages } from '../../locale/texts.ts'

export const connections: Messages['connections'] = {
  connect: 'Mit einem Server verbinden',
  connectTo: 'Mit einem Server verbinden …',
  disconnect: 'Client trennen',
  reconnect: 'Client neu verbinden',
  anotherClient: 'Weiteren Client öffnen',
  kind: 'Art der Verbindung',
  kinds: {
    gateway: 'Seiten am eigenen Gateway',
    http: 'HTTP-Server',
    ws: 'WebSocket',
    frame: 'Webseite',
    mcpB: 'Seite mit @mcp-b',
  },
  about: {
    gateway:
      'Seiten, die dem Gateway von „pagemcp dev“ beigetreten sind. Mit einer verbinden oder ihre Nachrichten mit Assistenten mitlesen.',
    http: 'Ein Server mit Streamable HTTP, in beliebiger Revision. Er muss diese Seite durch CORS zulassen. „Diagnose“ meldet, was fehlt.',
    ws: 'Ein Server mit einer JSON-RPC-Nachricht je Text-Frame, Unterprotokoll „mcp“.',
    frame:
      'Eine Seite, die Clients in anderen Fenstern annimmt. Die Seite muss die Herkunft dieses Playgrounds nennen: {origin}',
    mcpB: 'Eine Seite, die IframeChildTransport von @mcp-b/transports verwendet. Für ein Skript in diesem Fenster bleibt die Adresse leer.',
  },
  url: 'Adresse',
  where: 'Die Seite öffnen in',
  inFrame: 'einem Frame',
  inWindow: 'einem neuen Fenster',
  headers: 'Header',
  headersNote:
    'Werden mit jeder Anfrage gesendet, zum Beispiel Authorization. Bleiben im Arbeitsspeicher; werden nie gespeichert, gezeigt oder geteilt.',
  headerName: 'Name von Header {count}',
  headerValue: 'Wert von Header {count}',
  addHeader: 'Header hinzufügen',
  remove: 'Entfernen',
  badHeader: 'Kein gültiger Header: {name}',
  badUrl: 'Die Adresse muss mit {schemes} beginnen',
  consent:
    'Mit {host} verbinden? Das ist nicht dieser Rechner. Alles Gesendete geht dorthin, auch die Header. Diese Bestätigung ist je Host einmal nötig.',
  refuse: 'Nicht verbinden',
  agree: 'Mit {host} verbinden',
  notAgreed:
    'nicht verbunden: {host} ist nicht dieser Rechner. Bitte im Dialog verbinden und den Host bestätigen.',
  go: 'Verbinden',
  examine: 'Diagnose',
  examining: 'Wird untersucht …',
  findings: 'Befunde',
  copy: 'Kopieren',
  recent: 'Letzte Adressen',
  forget: 'Letzte Adressen löschen',
  states: { good: 'Gut', note: 'Hinweis', bad: 'Problem' },
  steps: {
    url: 'Adresse',
    network: 'Netz',
    reach: 'Erreichbarkeit',
    cors: 'CORS',
    auth: 'Anmeldung',
    version: 'Revision',
    session: 'Sitzung',
  },
  addLines: 'Der Server muss antworten mit:',
  doctor: {
    noUrl: 'Das ist keine Adresse.',
    notHttp: 'Die Adresse muss mit http:// oder https:// beginnen.',
    userInfo:
      'Browser senden Benutzername und Passwort aus einer Adresse nicht. Bitte entfernen und stattdessen einen Header Authorization hinzufügen.',
    oldStream:
      'Der Pfad endet auf /sse. So einen Pfad haben Server von 2024-11-05, die dieser Playground nicht unterstützt. Vielleicht hilft der Pfad /mcp.',
    noPath: 'Die Adresse hat keinen Pfad. Die meisten Server verwenden einen Pfad wie /mcp.',
    mixed:
      'Diese Seite verwendet https; deshalb sperrt der Browser http-Adressen anderer Rechner. Den Server über https anbieten oder den Playground mit „pagemcp dev“ auf dem eigenen Rechner öffnen.',
    localNetwork:
      'Der Server ist auf dem eigenen Rechner oder im eigenen Netz. Der Browser fragt vielleicht nach einer Erlaubnis.',
    unreachable:
      'Keine Antwort. Bitte prüfen, ob der Server läuft, der Port stimmt und das Zertifikat gültig ist. Auch eine Browser-Erweiterung oder eine Firewall kann die Verbindung sperren.',
    reachable: 'Der Server antwortet.',
    readable: 'Der Server erlaubt dieser Seite, seine Antworten zu lesen.',
    noOrigin: 'Der Server antwortet, erlaubt dieser Seite aber nicht, die Antwort zu lesen.',
    noPreflight:
      'Bevor der Browser JSON sendet, bittet er mit einer OPTIONS-Anfrage um Erlaubnis. Die Antwort braucht einen Status von 200 bis 299, ohne Anmeldung, und diese Zeilen.',
    headersRefused:
      'Der Server erlaubt dieser Seite nicht, Folgendes zu senden: {names}. Ein „*“ gilt nicht für Authorization.',
    sometimes:
      'Jede Testanfrage gelingt für sich, alle zusammen nicht. Bitte prüfen, ob der Server CORS-Header auch bei Fehlern sendet.',
    unauthorized:
      'Der Server verlangt eine Anmeldung (Status {status}). Bitte einen Header Authorization hinzufügen.',
    tokenFrom:
      'Laut {place} kommen Token von {servers}. Dort ein Token holen und den Header „Authorization: Bearer …“ hinzufügen.',
    noMetadata:
      'Der Server nennt unter {place} keine Quelle für Token oder erlaubt dieser Seite nicht, es zu lesen.',
    admitted: 'Eine Anmeldung ist nicht nötig oder wurde angenommen.',
    modern: 'Der Server unterstützt {versions}.',
    classic: 'Der Server unterstützt {version}, mit dem Handshake der älteren Revisionen.',
    noMcp: 'Der Server unterstützt anscheinend kein MCP (Status {status}): {said}',
    noSession: 'Der Server kommt ohne Sitzung aus.',
    sessionHidden:
      'Der Server verlangt die Kennung seiner Sitzung, aber der Browser verbirgt sie vor dieser Seite.',
    session: 'Die Sitzung funktioniert und wurde beendet.',
    noDelete: 'Die Sitzung funktioniert, aber diese Seite darf sie nicht beenden.',
  },
  gateway: {
    connecting: 'Verbindung zum Gateway wird aufgebaut …',
    notPaired:
      'Dieser Browser ist mit keinem Gateway gekoppelt. „pagemcp dev“ starten und den ausgegebenen Link öffnen oder hier einfügen.',
    insecure: 'Die Kopplung mit einem Gateway braucht https oder http auf localhost.',
    noLink: 'Das ist kein Link eines Gateways.',
    otherGateway:
      'Das ist der Link eines anderen Gateways unter {url}. Dieser Playground verbindet sich mit {own}.',
    refused:
      'Das Gateway hat den Link abgelehnt: Er wurde schon benutzt oder ist älter als zwei Minuten, oder die Kopplung ist beendet. In seinem Terminal die Eingabetaste drücken und den neuen Link hier einfügen.',
    closed:
      '{url} hat die Verbindung nicht angenommen. Bitte prüfen, ob „pagemcp dev“ ohne --watch=false läuft. Nur der Playground, den es selbst ausliefert, darf mitlesen.',
    link: 'Link des Gateways',
    pair: 'Link verwenden',
    pages: 'Seiten',
    none: 'Noch ist keine Seite beigetreten. Eine Seite öffnen, zum Beispiel eine Demo: Nach dem Beitritt erscheint sie hier.',
    all: 'Alle Seiten',
    away: 'getrennt',
    since: 'seit {time}',
    readings: { one: '{count} Lesezugriff, {size}', other: '{count} Lesezugriffe, {size}' },
    connect: 'Verbinden',
    connectPage: 'Mit {page} verbinden',
    monitor: 'Mitlesen',
    monitorPage: 'Bei {page} mitlesen',
    monitorNote:
      'Beim Mitlesen erscheinen die Nachrichten zwischen Assistenten und einer Seite als eigene Clients. Senden ist dort nicht möglich, und Geheimnisse des Protokolls werden entfernt.',
    permissions: 'Berechtigungen',
    mayJoin: 'Seiten dieser Herkunft dürfen beitreten: {origins}',
    mayWatch: 'Diese Herkunft darf mitlesen: {origins}',
    withToken: 'Assistenten brauchen ein Token oder werden von diesem Benutzer gestartet.',
    noToken: 'Jedes Programm auf diesem Rechner darf lesen (--no-token).',
  },
  monitor: {
    of: '{what}, mitgelesen',
    ofBy: '{assistant} und {what}',
  },
  reads: {
    title: 'Lesezugriffe von Assistenten',
    none: 'Keine Lesezugriffe seit Beginn des Mitlesens',
    resource: 'Ressource',
    reads: 'Lesezugriffe',
    size: 'Größe',
    by: 'Assistent',
    secretValue:
      'Darin scheint ein Schlüssel oder Token zu stehen. Bitte dort entfernen, wo die Ressource veröffentlicht wird, oder mit redact().',
    secretNames:
      'Diese Namen könnten Geheimnisse sein: {names}. Bitte dort entfernen, wo die Ressource veröffentlicht wird, oder mit redact().',
  },
  unreachable:
    '{url} war nicht zu erreichen oder erlaubt dieser Seite nicht, seine Antwort zu lesen. „Diagnose“ meldet die Ursache.',
  unauthorized: 'der Server hat die Anfrage abgelehnt (Status {status}): {challenge}',
  refused: 'der Server hat mit {status} geantwortet: {said}',
  noMessage: 'der Server hat mit Status {status} und ohne Nachricht geantwortet (Typ {type})',
  streamEnded: 'der Stream endete vor der Antwort',
  sessionExpired: 'die Sitzung ist abgelaufen; erneutes Verbinden beginnt eine neue',
  sessionHidden:
    'der Browser verbirgt die Sitzungskennung, die der Server verlangt. Der Server muss „Access-Control-Expose-Headers: Mcp-Session-Id“ senden',
  socketForbidden: 'der Browser kann {url} nicht öffnen: {why}',
  socketRefused: 'die Verbindung zu {url} wurde abgelehnt',
  socketLost: 'die Verbindung ist abgebrochen',
  socketClosed: 'der Server hat die Verbindung geschlossen (Code {code})',
  socketClosedWhy: 'der Server hat die Verbindung geschlossen (Code {code}): {reason}',
  timeout: '{url} hat nicht rechtzeitig geantwortet',
  mcpBHere: 'Dieses Fenster (@mcp-b)',
  closedBefore: 'die Verbindung wurde vor einer Antwort geschlossen',
  serverStopped: 'der Server wurde beendet',
  mcpBSilent: 'kein Server von @mcp-b antwortet unter {origin}, Kanal {channel}',
  frameClosed: 'die Seite wurde geschlossen',
  popupBlocked: 'der Browser hat kein Fenster geöffnet: bitte Pop-ups für diese Seite erlauben',
  pageSilent: 'keine Antwort von {origin}: Die Seite muss {own} als Herkunft nennen',
  frameOf: 'Seite von {host}',
  fold: 'Einklappen',
  unfold: 'Ausklappen',
  closeFrame: 'Seite schließen',
}
