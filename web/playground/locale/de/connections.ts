import type { Messages } from '../texts.ts'

export const connections: Messages['connections'] = {
  connect: 'Mit einem Server verbinden',
  connectTo: 'Mit einem Server verbinden …',
  disconnect: 'Diesen Client trennen',
  reconnect: 'Diesen Client neu verbinden',
  anotherClient: 'Ein weiterer Client desselben Servers',
  kind: 'Womit verbinden',
  kinds: {
    gateway: 'Seiten am eigenen Gateway',
    http: 'HTTP-Server',
    ws: 'WebSocket',
    frame: 'Webseite',
    mcpB: 'Seite mit @mcp-b',
  },
  about: {
    gateway:
      'Seiten, die dem Gateway von „pagemcp dev“ beigetreten sind: sie selbst fragen, oder zusehen, wie ein Assistent es tut.',
    http: 'Ein Server, der Streamable HTTP spricht, in beliebiger Fassung. Er muss diese Seite durch CORS zulassen; die Untersuchung sagt, was fehlt.',
    ws: 'Ein Server mit einer JSON-RPC-Nachricht je Text-Frame, Unterprotokoll „mcp“.',
    frame:
      'Eine Seite, die auf Clients in anderen Fenstern hört. Sie muss die Herkunft dieser Spielwiese nennen: {origin}',
    mcpB: 'Eine Seite, die mit IframeChildTransport von @mcp-b/transports bedient. Für ein Skript in diesem Fenster selbst bleibt die Adresse leer.',
  },
  url: 'Adresse',
  where: 'Die Seite öffnen in',
  inFrame: 'einem Rahmen',
  inWindow: 'einem eigenen Fenster',
  headers: 'Header',
  headersNote:
    'Werden mit jeder Anfrage gesendet, etwa Authorization. Sie bleiben im Speicher: nirgends abgelegt, gezeigt oder geteilt.',
  headerName: 'Name von Header {count}',
  headerValue: 'Wert von Header {count}',
  addHeader: 'Header hinzufügen',
  remove: 'Entfernen',
  badHeader: 'Das ist kein Header: {name}',
  badUrl: 'Das ist keine Adresse, die mit {schemes} beginnt',
  consent:
    'Mit {host} verbinden? Das ist nicht dieser Rechner: Gesendetes samt Headern geht dorthin. Die Frage kommt einmal je Host.',
  refuse: 'Nicht verbinden',
  agree: 'Mit {host} verbinden',
  notAgreed: '{host} ist nicht dieser Rechner: zuerst im Dialog verbinden, der danach fragt.',
  go: 'Verbinden',
  examine: 'Untersuchen',
  examining: 'Wird untersucht …',
  findings: 'Befund',
  copy: 'Kopieren',
  copied: 'Kopiert',
  recent: 'Zuletzt benutzt',
  forget: 'Diese vergessen',
  states: { good: 'Gut', note: 'Hinweis', bad: 'Problem' },
  steps: {
    url: 'Adresse',
    network: 'Netz',
    reach: 'Erreichbarkeit',
    cors: 'CORS',
    auth: 'Anmeldung',
    version: 'Fassung',
    session: 'Sitzung',
  },
  addLines: 'Der Server muss antworten mit:',
  doctor: {
    noUrl: 'Das ist keine Adresse.',
    notHttp: 'Die Adresse muss mit http:// oder https:// beginnen.',
    userInfo:
      'Browser senden Benutzername und Passwort aus einer Adresse nicht. Bitte herausnehmen und stattdessen einen Header Authorization hinzufügen.',
    oldStream:
      'Der Pfad endet auf /sse: So waren Server von 2024-11-05 zu erreichen; das wird hier nicht gesprochen. Vielleicht hilft der Pfad /mcp.',
    noPath: 'Die Adresse hat keinen Pfad. Die meisten Server antworten unter einem Pfad wie /mcp.',
    mixed:
      'Diese Seite kam über https, und Browser lassen sie keine http-Adresse eines anderen Rechners fragen. Entweder den Server über https anbieten oder die Spielwiese mit „pagemcp dev“ auf dem eigenen Rechner öffnen.',
    localNetwork:
      'Der Server ist auf dem eigenen Rechner oder im eigenen Netz. Der Browser fragt vielleicht, ob diese Seite ihn erreichen darf.',
    unreachable:
      'Niemand antwortet. Läuft der Server, stimmt der Port, ist sein Zertifikat gültig? Auch eine Browser-Erweiterung oder eine Firewall kann ihn sperren.',
    reachable: 'Jemand antwortet.',
    readable: 'Der Server lässt diese Seite seine Antworten lesen.',
    noOrigin: 'Jemand antwortet, sagt aber nicht, dass diese Seite es lesen darf.',
    noPreflight:
      'Bevor er JSON sendet, fragt der Browser mit OPTIONS, ob er darf. Diese Frage wurde nicht richtig beantwortet: Nötig sind ein Status von 200 bis 299, ohne Anmeldung, und diese Zeilen.',
    headersRefused:
      'Der Server lässt diese Seite nicht senden: {names}. Ein „*“ gilt nicht für Authorization.',
    sometimes:
      'Jede Frage für sich wurde beantwortet, alle zusammen nicht. Sendet der Server seine CORS-Header auch bei Fehlern?',
    unauthorized:
      'Der Server will wissen, wer fragt (Status {status}). Bitte einen Header Authorization hinzufügen.',
    tokenFrom:
      'Token gibt es bei {servers}, sagt {place}. Dort eines holen und den Header „Authorization: Bearer …“ hinzufügen.',
    noMetadata:
      'Woher ein Token kommt, sagt der Server unter {place} nicht, oder er lässt diese Seite es nicht lesen.',
    admitted: 'Eine Anmeldung wurde nicht verlangt, oder sie wurde angenommen.',
    modern: 'Er spricht {versions}.',
    classic: 'Er spricht {version}, mit dem Handschlag der älteren Fassungen.',
    noMcp: 'Was dort antwortet, scheint nicht MCP zu sein (Status {status}): {said}',
    noSession: 'Er kommt ohne Sitzung aus.',
    sessionHidden:
      'Der Server will die Kennung seiner Sitzung zurück, aber der Browser zeigt sie dieser Seite nicht.',
    session: 'Die Sitzung funktioniert und wurde beendet.',
    noDelete: 'Die Sitzung funktioniert, aber diese Seite darf sie nicht beenden.',
  },
  gateway: {
    looking: 'Das Gateway wird gesucht …',
    notInvited:
      'Dieser Browser ist mit keinem Gateway gekoppelt. „pagemcp dev“ starten und den Link öffnen, den es ausgibt, oder den Link hier einfügen.',
    insecure: 'Die Kopplung mit einem Gateway braucht https, oder http auf localhost.',
    noLink: 'Das ist kein Link eines Gateways.',
    otherGateway:
      'Das ist der Link eines anderen Gateways unter {url}. Dieser Playground verbindet sich mit {own}.',
    refused:
      'Das Gateway hat abgelehnt: Der Link wurde schon benutzt oder ist älter als zwei Minuten, oder die Kopplung ist abgelaufen. In seinem Terminal die Eingabetaste drücken und den neuen Link hier einfügen.',
    closed:
      '{url} hat die Verbindung nicht angenommen. Läuft „pagemcp dev“, und ohne --watch=false? Nur die Spielwiese, die es selbst ausliefert, darf zusehen.',
    link: 'Link des Gateways',
    pair: 'Diesen Link benutzen',
    pages: 'Seiten',
    none: 'Noch ist keine Seite beigetreten. Sobald eine geöffnet wird, etwa eine Demo, steht sie hier.',
    all: 'Alle Seiten',
    away: 'fort',
    since: 'da seit {time}',
    readings: { one: '{count} Lesezugriff, {size}', other: '{count} Lesezugriffe, {size}' },
    ask: 'Verbinden',
    askPage: 'Mit {page} verbinden',
    monitor: 'Zusehen',
    monitorPage: 'Bei {page} zusehen',
    monitorNote:
      'Beim Zusehen steht in eigenen Spuren, was Assistenten und eine Seite einander sagen. Senden kann man dort nichts, und Geheimnisse des Protokolls bleiben verborgen.',
    may: 'Wer was darf',
    mayJoin: 'Seiten dieser Herkunft dürfen beitreten: {origins}',
    mayWatch: 'Diese Herkunft darf zusehen: {origins}',
    withToken: 'Assistenten zeigen ein Token oder wurden von diesem Benutzer gestartet.',
    noToken: 'Jedes Programm auf diesem Rechner darf lesen (--no-token).',
  },
  tap: {
    of: '{what}, nur zusehen',
    ofBy: '{assistant} und {what}',
  },
  reads: {
    title: 'Was Assistenten gesehen haben',
    none: 'Nichts, seit die Spielwiese zusieht.',
    resource: 'Ressource',
    reads: 'Gelesen',
    size: 'Größe',
    by: 'Von',
    secretValue:
      'Darin scheint ein Schlüssel oder Token zu stehen. Bitte dort herausnehmen, wo es veröffentlicht wird, oder mit redact().',
    secretNames:
      'Diese Namen klingen nach Geheimnissen: {names}. Bitte dort herausnehmen, wo es veröffentlicht wird, oder mit redact().',
  },
  unreachable:
    '{url} war nicht zu erreichen oder lässt diese Seite seine Antwort nicht lesen. „Untersuchen“ findet heraus, was zutrifft.',
  unauthorized: 'der Server hat abgelehnt (Status {status}): {challenge}',
  refused: 'der Server hat {status} geantwortet: {said}',
  noMessage: 'der Server hat mit Status {status} und ohne Nachricht geantwortet (Typ {type})',
  streamEnded: 'der Strom endete, bevor die Antwort kam',
  sessionExpired: 'die Sitzung ist abgelaufen; neu verbinden beginnt eine andere',
  sessionHidden:
    'der Server will seine Sitzungskennung, die der Browser verbirgt: Er muss „Access-Control-Expose-Headers: Mcp-Session-Id“ senden',
  socketForbidden: 'der Browser öffnet {url} nicht: {why}',
  socketRefused: 'niemand hat die Verbindung zu {url} angenommen',
  socketLost: 'die Verbindung ist verloren gegangen',
  socketClosed: 'der Server hat die Verbindung geschlossen (Code {code})',
  socketClosedWhy: 'der Server hat die Verbindung geschlossen (Code {code}): {reason}',
  timeout: '{url} hat nicht rechtzeitig geantwortet',
  mcpBHere: 'Dieses Fenster (@mcp-b)',
  closedBefore: 'geschlossen, bevor jemand geantwortet hat',
  serverStopped: 'der Server hat aufgehört',
  nobodyAnswers: 'kein Server von @mcp-b antwortet bei {origin}, Kanal {channel}',
  frameClosed: 'die Seite wurde geschlossen',
  popupBlocked: 'der Browser hat kein Fenster geöffnet: bitte Pop-ups für diese Seite erlauben',
  pageSilent: 'keine Antwort von {origin}: Die Seite muss {own} unter ihren Herkünften nennen',
  frameOf: 'Seite von {host}',
  fold: 'Einklappen',
  unfold: 'Ausklappen',
  closeFrame: 'Seite schließen',
}
