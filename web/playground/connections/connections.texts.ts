/** Longer than other files: a text and its translations stand in one file. */

import type { Translated } from '../locale/texts.ts'

export const en = {
  connect: 'Connect to a server',
  connectTo: 'Connect to a server …',
  disconnect: 'Disconnect client',
  reconnect: 'Reconnect client',
  anotherClient: 'Open another client',
  kind: 'Connection type',
  kinds: {
    gateway: 'Pages at your gateway',
    http: 'HTTP server',
    ws: 'WebSocket',
    frame: 'Web page',
  },
  about: {
    gateway:
      'Pages that joined the gateway of “pagemcp dev”. Connect to one, or monitor its messages with assistants.',
    http: 'A server with Streamable HTTP, of any revision. It must allow this page by CORS. “Diagnose” reports what is missing.',
    ws: 'A server with one JSON-RPC message per text frame, subprotocol “mcp”.',
    frame:
      'A page that listens for clients in other windows. It must list the origin of this playground: {origin}',
  },
  url: 'Address',
  headers: 'Headers',
  headersNote:
    'Sent with each request, for example Authorization. They stay in memory and are never stored, shown or shared.',
  headerName: 'Name of header {count}',
  headerValue: 'Value of header {count}',
  addHeader: 'Add header',
  remove: 'Remove',
  badHeader: 'Not a valid header: {name}',
  badUrl: 'The address must begin with {schemes}',
  consent:
    'Connect to {host}? It is not this machine, and receives all that you send, with the headers. Each host needs this confirmation once.',
  refuse: 'Do not connect',
  agree: 'Connect to {host}',
  notAgreed:
    'not connected: {host} is not this machine. Connect from the dialog and confirm the host.',
  go: 'Connect',
  examine: 'Diagnose',
  examining: 'Examining …',
  findings: 'Findings',
  copy: 'Copy',
  servers: 'Servers',
  serverName: 'Name of {url}',
  states: { good: 'Good', note: 'Note', bad: 'Problem' },
  steps: {
    url: 'Address',
    network: 'Network',
    reach: 'Reachable',
    cors: 'CORS',
    auth: 'Sign-in',
    version: 'Revision',
    session: 'Session',
  },
  addLines: 'The server must respond with:',
  doctor: {
    noUrl: 'This is not an address.',
    notHttp: 'The address must begin with http:// or https://.',
    userInfo:
      'Browsers do not send a user name and password from an address. Remove them, and add an Authorization header instead.',
    oldStream:
      'The path ends in /sse. Servers of 2024-11-05 use such a path, and this playground does not support them. Try the path /mcp.',
    noPath: 'The address has no path. Most servers use a path such as /mcp.',
    mixed:
      'This page uses https, so the browser blocks http addresses of other machines. Serve the server over https, or open the playground with “pagemcp dev” on your machine.',
    localNetwork:
      'The server is on your own machine or network. The browser may ask for permission.',
    unreachable:
      'No response. Check that the server is running, the port is right and the certificate is valid. A browser extension or a firewall may block the connection.',
    reachable: 'The server responds.',
    readable: 'The server allows this page to read its responses.',
    noOrigin: 'The server responds, but does not allow this page to read the response.',
    noPreflight:
      'Before the browser sends JSON, it asks for permission with an OPTIONS request. The response must have a status from 200 to 299, without sign-in, and these lines.',
    headersRefused:
      'The server does not allow this page to send: {names}. A “*” does not cover Authorization.',
    sometimes:
      'Each test request succeeds alone, but not all together. Check that the server sends CORS headers with errors too.',
    unauthorized: 'The server requires sign-in (status {status}). Add an Authorization header.',
    tokenFrom:
      'According to {place}, tokens come from {servers}. Get a token there, and add the header “Authorization: Bearer …”.',
    noMetadata:
      'The server does not name a source of tokens at {place}, or does not allow this page to read it.',
    admitted: 'Sign-in is not required, or was accepted.',
    modern: 'The server supports {versions}.',
    classic: 'The server supports {version}, with the handshake of the older revisions.',
    noMcp: 'The server does not seem to support MCP (status {status}): {said}',
    noSession: 'The server works without a session.',
    sessionHidden: 'The server requires its session id, but the browser hides it from this page.',
    session: 'The session works, and was ended.',
    noDelete: 'The session works, but this page is not allowed to end it.',
  },
  gateway: {
    connecting: 'Connecting to the gateway …',
    notPaired:
      'This browser is not paired with a gateway. Start “pagemcp dev” and open the link that it prints, or paste the link here.',
    insecure: 'Pairing with a gateway needs https, or http on localhost.',
    noLink: 'This is not a link of a gateway.',
    otherGateway:
      'This is the link of another gateway, at {url}. This playground connects to {own}.',
    refused:
      'The gateway rejected the link: it was used before or is older than two minutes, or the pairing has ended. Press Enter in its terminal for a new link, and paste it here.',
    closed:
      '{url} did not accept the connection. Check that “pagemcp dev” is running without --watch=false. Only the playground that it serves may monitor.',
    link: 'Link of the gateway',
    pair: 'Use link',
    pages: 'Pages',
    none: 'No page has joined yet. Open a page, for example a demo: it appears here when it joins.',
    all: 'All pages',
    away: 'disconnected',
    since: 'since {time}',
    readings: { one: '{count} read, {size}', other: '{count} reads, {size}' },
    connect: 'Connect',
    connectPage: 'Connect to {page}',
    monitor: 'Monitor',
    monitorPage: 'Monitor {page}',
    monitorNote:
      'A monitor shows the messages between assistants and a page as separate clients. It is read-only, and secrets of the protocol are removed.',
    permissions: 'Permissions',
    mayJoin: 'Pages of these origins may join: {origins}',
    mayWatch: 'These origins may monitor: {origins}',
    withToken: 'Assistants need a token, or are started by this user.',
    noToken: 'Every program on this machine may read (--no-token).',
  },
  monitor: {
    of: '{what}, monitor',
    ofBy: '{assistant} and {what}',
  },
  reads: {
    title: 'Reads of assistants',
    none: 'No reads since monitoring began',
    resource: 'Resource',
    reads: 'Reads',
    size: 'Size',
    by: 'Assistant',
    secretValue:
      'This seems to contain a key or token. Remove it where the resource is published, or with redact().',
    secretNames:
      'These names may be secrets: {names}. Remove them where the resource is published, or with redact().',
  },
  unreachable:
    '{url} could not be reached, or does not allow this page to read its response. “Diagnose” reports the cause.',
  unauthorized: 'the server rejected the request (status {status}): {challenge}',
  refused: 'the server responded with {status}: {said}',
  noMessage: 'the server responded with status {status} and without a message (type {type})',
  streamEnded: 'the stream ended before the response',
  sessionExpired: 'the session has expired; reconnect to start a new one',
  sessionHidden:
    'the browser hides the session id that the server requires. The server must send “Access-Control-Expose-Headers: Mcp-Session-Id”',
  socketForbidden: 'the browser cannot open {url}: {why}',
  socketRefused: 'the connection to {url} was refused',
  socketLost: 'the connection was lost',
  socketClosed: 'the server closed the connection (code {code})',
  socketClosedWhy: 'the server closed the connection (code {code}): {reason}',
  timeout: '{url} did not respond in time',
  frameClosed: 'the page was closed',
  pageSilent: 'no response from {origin}: the page must list {own} among its origins',
  frameOf: 'Page of {host}',
  fold: 'Fold',
  unfold: 'Unfold',
  closeFrame: 'Close page',
} as const

export const de: Translated<typeof en> = {
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
  },
  about: {
    gateway:
      'Seiten, die dem Gateway von „pagemcp dev“ beigetreten sind. Mit einer verbinden oder ihre Nachrichten mit Assistenten mitlesen.',
    http: 'Ein Server mit Streamable HTTP, in beliebiger Revision. Er muss diese Seite durch CORS zulassen. „Diagnose“ meldet, was fehlt.',
    ws: 'Ein Server mit einer JSON-RPC-Nachricht je Text-Frame, Unterprotokoll „mcp“.',
    frame:
      'Eine Seite, die Clients in anderen Fenstern annimmt. Die Seite muss die Origin dieses Playgrounds nennen: {origin}',
  },
  url: 'Adresse',
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
  servers: 'Server',
  serverName: 'Name von {url}',
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
    mayJoin: 'Seiten dieser Origin dürfen beitreten: {origins}',
    mayWatch: 'Diese Origin darf mitlesen: {origins}',
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
  frameClosed: 'die Seite wurde geschlossen',
  pageSilent: 'keine Antwort von {origin}: Die Seite muss {own} als Origin nennen',
  frameOf: 'Seite von {host}',
  fold: 'Einklappen',
  unfold: 'Ausklappen',
  closeFrame: 'Seite schließen',
}

export const ja: Translated<typeof en> = {
  connect: 'サーバーに接続',
  connectTo: 'サーバーに接続…',
  disconnect: 'クライアントを切断',
  reconnect: 'クライアントを再接続',
  anotherClient: '別のクライアントを開く',
  kind: '接続の種類',
  kinds: {
    gateway: '手元のゲートウェイのページ',
    http: 'HTTP サーバー',
    ws: 'WebSocket',
    frame: 'ウェブページ',
  },
  about: {
    gateway:
      '「pagemcp dev」のゲートウェイに参加したページです。接続することも、アシスタントとのメッセージを監視することもできます。',
    http: 'Streamable HTTP のサーバーです（リビジョンは問いません）。CORS の許可が必要です。足りないものは「診断」で分かります。',
    ws: 'テキストフレームごとに JSON-RPC メッセージを 1 つ送るサーバーです。サブプロトコルは「mcp」です。',
    frame:
      'クライアントを待ち受けるページです。このプレイグラウンドのオリジンの許可が必要です：{origin}',
  },
  url: 'アドレス',
  headers: 'ヘッダー',
  headersNote:
    'すべてのリクエストに付けます（Authorization など）。メモリーにだけ置かれ、保存も共有もされません。',
  headerName: 'ヘッダー {count} の名前',
  headerValue: 'ヘッダー {count} の値',
  addHeader: 'ヘッダーを追加',
  remove: '削除',
  badHeader: '有効なヘッダーではありません：{name}',
  badUrl: 'アドレスは {schemes} で始まる必要があります',
  consent:
    '{host} に接続しますか？このマシンではありません。送信する内容はヘッダーも含めてそこに届きます。',
  refuse: '接続しない',
  agree: '{host} に接続',
  notAgreed:
    '接続していません：{host} はこのマシンではありません。ダイアログから接続してください。',
  go: '接続',
  examine: '診断',
  examining: '診断中…',
  findings: '診断の結果',
  copy: 'コピー',
  servers: 'サーバー',
  serverName: '{url} の名前',
  states: { good: '良好', note: '注意', bad: '問題' },
  steps: {
    url: 'アドレス',
    network: 'ネットワーク',
    reach: '到達',
    cors: 'CORS',
    auth: '認証',
    version: 'リビジョン',
    session: 'セッション',
  },
  addLines: 'サーバーのレスポンスに必要な行：',
  doctor: {
    noUrl: 'アドレスではありません。',
    notHttp: 'アドレスは http:// か https:// で始まる必要があります。',
    userInfo:
      'ブラウザーはアドレスのユーザー名とパスワードを送りません。代わりにヘッダー Authorization を使ってください。',
    oldStream:
      'パス /sse は 2024-11-05 のサーバーのもので、プレイグラウンドは対応していません。/mcp を試してください。',
    noPath: 'アドレスにパスがありません。多くのサーバーは /mcp のようなパスを使います。',
    mixed:
      'ブラウザーは https のページから他のマシンの http を遮断します。サーバーを https にするか、「pagemcp dev」でプレイグラウンドを開いてください。',
    localNetwork:
      'サーバーは自分のマシンかネットワークにあります。ブラウザーが許可を求めることがあります。',
    unreachable:
      'レスポンスがありません。サーバー、ポート、証明書と、接続を遮断する拡張機能やファイアウォールを確認してください。',
    reachable: 'サーバーは応答しています。',
    readable: 'サーバーは、このページがレスポンスを読むことを許可しています。',
    noOrigin: 'サーバーは応答していますが、このページがレスポンスを読むことを許可していません。',
    noPreflight:
      'ブラウザーは先に OPTIONS リクエストを送ります。レスポンスには、認証なしで 200 から 299 のステータスと次の行が必要です。',
    headersRefused:
      'サーバーは、このページが次のヘッダーを送ることを許可していません：{names}。「*」は Authorization には効きません。',
    sometimes:
      'テストリクエストは個別には成功します。サーバーがエラーのときにも CORS ヘッダーを送るか確認してください。',
    unauthorized:
      'サーバーは認証を求めています（ステータス {status}）。ヘッダー Authorization を追加してください。',
    tokenFrom:
      '{place} によると、トークンは {servers} が発行します。ヘッダー「Authorization: Bearer …」に追加してください。',
    noMetadata:
      '{place} にトークンの入手先がないか、このページが読むことをサーバーが許可していません。',
    admitted: '認証は不要か、受け入れられました。',
    modern: 'サーバーは {versions} に対応しています。',
    classic: 'サーバーは、以前のリビジョンのハンドシェイクで {version} に対応しています。',
    noMcp: 'サーバーは MCP に対応していないようです（ステータス {status}）：{said}',
    noSession: 'サーバーはセッションなしで動きます。',
    sessionHidden:
      'サーバーはセッションの id を必要としますが、ブラウザーはそれをこのページから隠しています。',
    session: 'セッションは正常で、終了しました。',
    noDelete: 'セッションは正常ですが、このページからは終了できません。',
  },
  gateway: {
    connecting: 'ゲートウェイに接続中…',
    notPaired:
      'このブラウザーはゲートウェイとペアリングされていません。「pagemcp dev」のリンクを開くか、ここに貼り付けてください。',
    insecure: 'ゲートウェイとのペアリングには https か、localhost の http が必要です。',
    noLink: 'ゲートウェイのリンクではありません。',
    otherGateway:
      'これは別のゲートウェイ（{url}）のリンクです。このプレイグラウンドは {own} に接続します。',
    refused:
      'ゲートウェイがリンクを拒否しました。リンクは一度だけ、2 分間有効です。ターミナルで Enter を押し、新しいリンクをここに貼り付けてください。',
    closed:
      '{url} は接続を受け入れません。監視には「pagemcp dev」を --watch=false なしで起動し、そのプレイグラウンドを使ってください。',
    link: 'ゲートウェイのリンク',
    pair: 'リンクを使う',
    pages: 'ページ',
    none: '参加したページはまだありません。デモなどのページを開くと、ここに表示されます。',
    all: 'すべてのページ',
    away: '切断',
    since: '{time} から',
    readings: { other: '読み取り {count} 回、{size}' },
    connect: '接続',
    connectPage: '{page} に接続',
    monitor: '監視',
    monitorPage: '{page} を監視',
    monitorNote:
      '監視はアシスタントとページのメッセージをクライアントとして表示します。送信はできず、機密情報は取り除かれます。',
    permissions: '許可',
    mayJoin: '参加できるページのオリジン：{origins}',
    mayWatch: '監視できるオリジン：{origins}',
    withToken: 'アシスタントにはトークンが必要です。または、このユーザーが起動します。',
    noToken: 'このマシンのすべてのプログラムが読み取れます（--no-token）。',
  },
  monitor: {
    of: '{what}（監視）',
    ofBy: '{assistant} と {what}',
  },
  reads: {
    title: 'アシスタントの読み取り',
    none: '監視の開始後、読み取りはありません',
    resource: 'リソース',
    reads: '回数',
    size: 'サイズ',
    by: 'アシスタント',
    secretValue: '鍵かトークンを含むようです。リソース側か redact() で取り除いてください。',
    secretNames:
      '機密情報の可能性がある名前：{names}。リソース側か redact() で取り除いてください。',
  },
  unreachable:
    '{url} に到達できないか、このページがレスポンスを読むことを許可していません。原因は「診断」で分かります。',
  unauthorized: 'サーバーがリクエストを拒否しました（ステータス {status}）：{challenge}',
  refused: 'サーバーは {status} で応答しました：{said}',
  noMessage: 'サーバーはステータス {status} で応答しましたが、メッセージがありません（型 {type}）',
  streamEnded: 'レスポンスの前にストリームが終わりました',
  sessionExpired: 'セッションの期限が切れました。再接続すると新しいセッションが始まります',
  sessionHidden:
    'ブラウザーがセッションの id を隠しています。サーバーは「Access-Control-Expose-Headers: Mcp-Session-Id」を送る必要があります',
  socketForbidden: 'ブラウザーは {url} を開けません：{why}',
  socketRefused: '{url} への接続は拒否されました',
  socketLost: '接続が失われました',
  socketClosed: 'サーバーが接続を閉じました（コード {code}）',
  socketClosedWhy: 'サーバーが接続を閉じました（コード {code}）：{reason}',
  timeout: '{url} は時間内に応答しませんでした',
  frameClosed: 'ページが閉じられました',
  pageSilent:
    '{origin} からレスポンスがありません。ページは {own} をオリジンとして許可する必要があります',
  frameOf: '{host} のページ',
  fold: '折りたたむ',
  unfold: '広げる',
  closeFrame: 'ページを閉じる',
}

export const zhHans: Translated<typeof en> = {
  connect: '连接到服务器',
  connectTo: '连接到服务器…',
  disconnect: '断开客户端',
  reconnect: '重新连接客户端',
  anotherClient: '再打开一个客户端',
  kind: '连接类型',
  kinds: {
    gateway: '本机网关上的页面',
    http: 'HTTP 服务器',
    ws: 'WebSocket',
    frame: '网页',
  },
  about: {
    gateway: '已加入“pagemcp dev”网关的页面。可以连接其中一个，也可以监控它与助手之间的消息。',
    http: '使用 Streamable HTTP 的服务器，任何版本均可。它必须通过 CORS 允许本页面。“诊断”会报告缺少什么。',
    ws: '每个文本帧一条 JSON-RPC 消息的服务器，子协议为“mcp”。',
    frame: '监听其他窗口中客户端的页面。它必须列出此演练场的来源：{origin}',
  },
  url: '地址',
  headers: '标头',
  headersNote: '随每个请求发送，例如 Authorization。它们只留在内存中，从不保存、显示或分享。',
  headerName: '标头 {count} 的名称',
  headerValue: '标头 {count} 的值',
  addHeader: '添加标头',
  remove: '移除',
  badHeader: '不是有效的标头：{name}',
  badUrl: '地址必须以 {schemes} 开头',
  consent: '要连接到 {host} 吗？它不是本机，会收到发送的全部内容，包括标头。每个主机只需确认一次。',
  refuse: '不连接',
  agree: '连接到 {host}',
  notAgreed: '未连接：{host} 不是本机。请在对话框中连接并确认该主机。',
  go: '连接',
  examine: '诊断',
  examining: '正在检查…',
  findings: '检查结果',
  copy: '复制',
  servers: '服务器',
  serverName: '{url} 的名称',
  states: { good: '正常', note: '提示', bad: '问题' },
  steps: {
    url: '地址',
    network: '网络',
    reach: '可达性',
    cors: 'CORS',
    auth: '登录',
    version: '版本',
    session: '会话',
  },
  addLines: '服务器的响应中需要有：',
  doctor: {
    noUrl: '这不是地址。',
    notHttp: '地址必须以 http:// 或 https:// 开头。',
    userInfo: '浏览器不会发送地址中的用户名和密码。请将其移除，改为添加 Authorization 标头。',
    oldStream: '路径以 /sse 结尾。这是 2024-11-05 服务器的路径，此演练场不支持。请试试路径 /mcp。',
    noPath: '地址没有路径。大多数服务器使用 /mcp 之类的路径。',
    mixed:
      '本页面使用 https，因此浏览器会阻止访问其他机器的 http 地址。请让服务器使用 https，或在本机用“pagemcp dev”打开演练场。',
    localNetwork: '服务器位于本机或本地网络。浏览器可能会请求许可。',
    unreachable:
      '没有响应。请检查服务器是否在运行、端口是否正确、证书是否有效。浏览器扩展或防火墙也可能阻止连接。',
    reachable: '服务器有响应。',
    readable: '服务器允许本页面读取它的响应。',
    noOrigin: '服务器有响应，但不允许本页面读取响应。',
    noPreflight:
      '浏览器在发送 JSON 之前会用 OPTIONS 请求许可。响应的状态码必须在 200 到 299 之间，不要求登录，并带有下面这些行。',
    headersRefused: '服务器不允许本页面发送：{names}。“*”不包括 Authorization。',
    sometimes:
      '每个测试请求单独发送都成功，一起发送却不成功。请检查服务器在出现错误时是否也发送 CORS 标头。',
    unauthorized: '服务器要求登录（状态码 {status}）。请添加 Authorization 标头。',
    tokenFrom:
      '{place} 指出令牌由 {servers} 签发。请在那里获取令牌，并添加标头“Authorization: Bearer …”。',
    noMetadata: '服务器没有在 {place} 说明令牌的来源，或不允许本页面读取。',
    admitted: '不要求登录，或登录已被接受。',
    modern: '服务器支持 {versions}。',
    classic: '服务器支持 {version}，使用旧版本的握手。',
    noMcp: '服务器似乎不支持 MCP（状态码 {status}）：{said}',
    noSession: '服务器不需要会话。',
    sessionHidden: '服务器需要会话的 id，但浏览器对本页面隐藏了它。',
    session: '会话工作正常，并已结束。',
    noDelete: '会话工作正常，但本页面无权结束它。',
  },
  gateway: {
    connecting: '正在连接网关…',
    notPaired:
      '此浏览器尚未与网关配对。请启动“pagemcp dev”并打开它给出的链接，或将链接粘贴到这里。',
    insecure: '与网关配对需要 https，或 localhost 上的 http。',
    noLink: '这不是网关的链接。',
    otherGateway: '这是另一个网关（{url}）的链接。此演练场连接到 {own}。',
    refused:
      '网关拒绝了此链接：链接已被使用或已超过两分钟，或配对已结束。请在其终端中按 Enter 获取新链接，并粘贴到这里。',
    closed:
      '{url} 没有接受连接。请检查“pagemcp dev”是否正在运行，且没有使用 --watch=false。只有它自己提供的演练场才能监控。',
    link: '网关的链接',
    pair: '使用链接',
    pages: '页面',
    none: '还没有页面加入。请打开一个页面，例如演示：它加入后就会出现在这里。',
    all: '所有页面',
    away: '已断开',
    since: '自 {time} 起',
    readings: { other: '读取 {count} 次，{size}' },
    connect: '连接',
    connectPage: '连接到 {page}',
    monitor: '监控',
    monitorPage: '监控 {page}',
    monitorNote:
      '监控会把助手与页面之间的消息显示为单独的客户端。监控是只读的，协议中的机密会被移除。',
    permissions: '权限',
    mayJoin: '这些来源的页面可以加入：{origins}',
    mayWatch: '这些来源可以监控：{origins}',
    withToken: '助手需要令牌，或由此用户启动。',
    noToken: '本机上的每个程序都可以读取（--no-token）。',
  },
  monitor: {
    of: '{what}（监控）',
    ofBy: '{assistant} 与 {what}',
  },
  reads: {
    title: '助手的读取',
    none: '监控开始以来没有读取',
    resource: '资源',
    reads: '读取次数',
    size: '大小',
    by: '助手',
    secretValue: '其中似乎有密钥或令牌。请在发布资源的地方移除，或用 redact() 移除。',
    secretNames: '这些名称可能是机密：{names}。请在发布资源的地方移除，或用 redact() 移除。',
  },
  unreachable: '无法访问 {url}，或它不允许本页面读取响应。“诊断”会报告原因。',
  unauthorized: '服务器拒绝了请求（状态码 {status}）：{challenge}',
  refused: '服务器的响应为 {status}：{said}',
  noMessage: '服务器以状态码 {status} 响应，但没有消息（类型 {type}）',
  streamEnded: '流在响应之前结束了',
  sessionExpired: '会话已过期；重新连接会开始新的会话',
  sessionHidden:
    '浏览器隐藏了服务器需要的会话 id。服务器必须发送“Access-Control-Expose-Headers: Mcp-Session-Id”',
  socketForbidden: '浏览器无法打开 {url}：{why}',
  socketRefused: '到 {url} 的连接被拒绝',
  socketLost: '连接已丢失',
  socketClosed: '服务器关闭了连接（代码 {code}）',
  socketClosedWhy: '服务器关闭了连接（代码 {code}）：{reason}',
  timeout: '{url} 没有及时响应',
  frameClosed: '页面已关闭',
  pageSilent: '{origin} 没有响应：该页面必须把 {own} 列入其来源',
  frameOf: '{host} 的页面',
  fold: '收起',
  unfold: '展开',
  closeFrame: '关闭页面',
}

declare module '../locale/texts.ts' {
  interface English {
    connections: typeof en
  }
}
