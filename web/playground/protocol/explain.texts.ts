/** Longer than other files: a text and its translations stand in one file. */

import type { Translated } from '../locale/texts.ts'

export const en = {
  request: {
    client: 'A request of the client. The server sends one response with the same id.',
    server: 'A request of the server. The client sends one response with the same id.',
  },
  notification: {
    client: 'A notification of the client. It has no id and gets no response.',
    server: 'A notification of the server. It has no id and gets no response.',
  },
  result: 'The response to {method}: success.',
  error: 'The response to {method}: error {code}.',
  verdict:
    'The response to the malformed message: error {code}. It cannot have the id of that message.',
  stray: 'A response to a request that is not in this timeline.',
  open: 'No response yet.',
  failed:
    'The response to {method}: the tool ran and failed (`isError`). A model sees this text and can correct its call.',
  input:
    'The response to {method}: the server needs input first. The client sends the request again with the input.',
  task: 'The response to {method}: the request goes on as a task, and its result comes later.',
  cancelled: 'This request was cancelled.',
  unanswered: 'No response will come: the connection closed or failed.',
  batch: 'Several messages in one array. MCP removed batches in 2025-06-18.',
  broken: 'This is not a JSON-RPC message: {problem}.',
  world: 'Not a message: an event of the demo or of a connection.',
  strange: 'No known revision of MCP has {method}.',
  elsewhere: '{method} is not in {revision}, but in {others}.',
  method: {
    'server/discover':
      'Requests the revisions and capabilities of the server. Optional, but usually the first request.',
    initialize: 'The first message: client and server exchange revision and capabilities.',
    'notifications/initialized': 'Ends the handshake. From now on, both sides may send requests.',
    ping: 'Checks whether the other side responds. The response is empty.',
    'resources/list': 'Requests one page of the list of resources.',
    'resources/templates/list':
      'Requests one page of the list of resource templates: patterns of URIs.',
    'resources/read': 'Requests the contents of one resource, as texts or blobs.',
    'resources/subscribe':
      'Subscribes to one resource. A notification says that it changed, without the new contents.',
    'resources/unsubscribe': 'Ends a subscription.',
    'subscriptions/listen':
      'Opens a stream of notifications. It stays open, and its id identifies the subscription.',
    'notifications/subscriptions/acknowledged':
      'The first message of a subscription: the granted part of its filter.',
    'notifications/resources/updated': 'A resource has changed. Read it for the new contents.',
    'notifications/resources/list_changed':
      'The list of resources has changed. Request the list again for the new one.',
    'prompts/list': 'Requests one page of the list of prompts.',
    'prompts/get': 'Requests one prompt, with its arguments filled in.',
    'notifications/prompts/list_changed':
      'The list of prompts has changed. Request the list again for the new one.',
    'tools/list': 'Requests one page of the list of tools.',
    'tools/call': 'Calls a tool. A tool that fails says so in its result, not with an error.',
    'notifications/tools/list_changed':
      'The list of tools has changed. Request the list again for the new one.',
    'completion/complete': 'Requests completions of an argument, with the values filled in so far.',
    'logging/setLevel': 'Sets the lowest level of log messages to send.',
    'notifications/message': 'A log message of the server.',
    'notifications/cancelled':
      'Cancels a request. Its response may still arrive if it was already sent.',
    'notifications/progress': 'Reports the progress of a request that has a progressToken.',
    'sampling/createMessage':
      'Requests a completion of the client’s language model. A person should approve it first.',
    'elicitation/create':
      'Requests input from the user, by a form or a page. The user may decline.',
    'notifications/elicitation/complete': 'The user has finished on the page that was opened.',
    'roots/list': 'Requests the folders in which the client works.',
    'notifications/roots/list_changed': 'The client’s folders have changed.',
    'tasks/list': 'Requests the list of tasks.',
    'tasks/get': 'Requests the state of a task.',
    'tasks/result': 'Requests the result of a task, and waits for it.',
    'tasks/cancel': 'Cancels a task.',
    'notifications/tasks/status': 'The state of a task has changed.',
    'tasks/update': 'Responds to requests for input of a task.',
    'notifications/tasks': 'The state of a task has changed. The notification has the whole state.',
    'skills/list': 'Requests one page of the list of skills.',
    'skills/get': 'Requests the entry of one skill.',
  },
  code: {
    '-32700': 'Parse error: the message is not JSON.',
    '-32600': 'Invalid request: valid JSON, but not a message.',
    '-32601': 'Method not found: the server does not support it.',
    '-32602': 'Invalid params: the method exists, but does not accept these params.',
    '-32602 2026-07-28':
      'Invalid params. In 2026-07-28 also for a resource that does not exist, and for a request without its envelope.',
    '-32603': 'Internal error: the request is valid, the server failed. Servers hide the details.',
    '-32002':
      'Resource not found. Only revisions up to 2025-11-25 have this code; 2026-07-28 uses -32602.',
    '-32042': 'The user must visit a page first. Only 2025-11-25 has this code.',
    '-32020': 'Header mismatch: an HTTP header is missing, or differs from the message.',
    '-32021':
      'The client lacks a capability for this request. Each request declares the capabilities again.',
    '-32022': 'The server does not support the revision of the request.',
    reserved: 'JSON-RPC and MCP reserve this code without a meaning here.',
    own: 'A code that the server defines.',
  },
  cause: {
    nearest: 'Likely cause: {asked} does not exist. Did you mean {nearest}?',
    unlisted: 'Likely cause: the server does not list {asked}.',
    nearestMethod: 'Likely cause: a typo in {asked}. Did you mean {nearest}?',
    elsewhere: 'Likely cause: {method} is not in {revision}.',
    capability: 'Likely cause: the server did not declare {capability}.',
    missing: 'Likely cause: {member} is missing.',
    type: 'Likely cause: {member} should be {type}.',
    json: 'Likely cause: {problem}.',
    jsonrpc: 'Likely cause: jsonrpc is missing or is not "2.0".',
    id: 'Likely cause: the id is neither a string nor an integer.',
    batch: 'Likely cause: several messages in one array.',
    cursor: 'Likely cause: the cursor is from another server, or from before a change.',
    version: 'Requested: {requested}. The server supports {supported}.',
    ability: 'The envelope must declare {ability}.',
    visit: 'The page to visit: {url}',
    headers:
      'Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with method, name or URI, and _meta.',
  },
  hint: {
    unlisted: 'The server does not list {asked}.',
    unlistedNear: 'The server does not list {asked}. Did you mean {nearest}?',
    unknownId: 'No open request has this id.',
    duplicateId: 'A request with this id is still open.',
    afterCancel: 'The request was cancelled before this response.',
    unsubscribed: 'No subscription covers this notification.',
    version: 'The envelope says {said}; this client uses {spoken}.',
    notObject: 'A message must be an object.',
    jsonrpc: 'jsonrpc must be "2.0".',
    idType: 'An id must be a string or an integer.',
    both: 'A response must have either result or error, not both.',
    method: '{revision} has no {method}.',
    missing: '{member} is missing.',
    type: '{member} should be {type}.',
    value: '{member} should be {value}.',
    range: '{member} is out of range: {limit}.',
    schema: '{member} matches none of the allowed forms.',
    code: '{revision} does not have the code {code}.',
    json: 'Not valid JSON: {problem}',
  },
  change: {
    none: 'No changes were necessary.',
    broken: 'Text that is not JSON is unchanged.',
    envelope:
      'The request now has an envelope in params._meta, with its revision and capabilities.',
    noEnvelope: '`_meta` removed: `initialize` already sent it.',
    version: '{member} is now {to}.',
    discover: 'initialize became server/discover: 2026-07-28 has no handshake (changelog).',
    initialize:
      'server/discover became initialize, the handshake of the older revisions. notifications/initialized must follow.',
    listen:
      'resources/subscribe, removed in 2026-07-28 (changelog), became subscriptions/listen with a filter.',
    subscribe: 'subscriptions/listen became resources/subscribe, which takes one resource.',
    onlyFirst: 'It contains only the first URI: each further one needs its own request.',
    unasked: 'Older revisions send list_changed without a subscription.',
    unsubscribe:
      'resources/unsubscribe was removed in 2026-07-28 (changelog): cancel the listen request instead.',
    ping: 'ping was removed in 2026-07-28 (changelog): any request replaces it.',
    setLevel:
      'logging/setLevel was removed in 2026-07-28 (changelog): the envelope of each request has the level.',
    initialized:
      'notifications/initialized was removed in 2026-07-28 (changelog): there is no handshake.',
    inside:
      '{method} is no longer a message of its own in 2026-07-28 (changelog): a result that needs input contains it.',
    removed: '{method} is not in {to}.',
    retry: 'inputResponses and requestState are removed: only 2026-07-28 has them.',
  },
} as const

export const de: Translated<typeof en> = {
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
  verdict: 'Die Antwort auf die fehlerhafte Nachricht: Fehler {code}, ohne deren id.',
  stray: 'Eine Antwort auf eine Anfrage, die nicht in dieser Zeitleiste steht.',
  open: 'Noch keine Antwort.',
  failed:
    'Die Antwort auf {method}: Das Tool lief und scheiterte (`isError`). Ein Modell sieht diesen Text und kann den Aufruf korrigieren.',
  input:
    'Die Antwort auf {method}: Der Server braucht erst Eingaben. Der Client sendet die Anfrage damit erneut.',
  task: 'Die Antwort auf {method}: Die Anfrage läuft als Aufgabe weiter, ihr Ergebnis kommt später.',
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
    'tools/list': 'Fragt nach einer Seite der Liste von Tools.',
    'tools/call':
      'Ruft ein Tool auf. Scheitert das Tool, steht das im Ergebnis, nicht in einem Fehler.',
    'notifications/tools/list_changed':
      'Die Liste der Tools hat sich geändert. Die neue liefert eine erneute Anfrage.',
    'completion/complete':
      'Fragt nach Ergänzungen für ein Argument, mit den bisher eingesetzten Werten.',
    'logging/setLevel': 'Setzt die niedrigste Stufe der zu sendenden Log-Nachrichten.',
    'notifications/message': 'Eine Log-Nachricht des Servers.',
    'notifications/cancelled':
      'Bricht eine Anfrage ab. Die Antwort kann noch kommen, wenn sie schon gesendet war.',
    'notifications/progress': 'Meldet den Fortschritt einer Anfrage, die einen progressToken hat.',
    'sampling/createMessage':
      'Die Anfrage fordert eine Antwort vom Sprachmodell des Clients an. Ein Mensch sollte vorher zustimmen.',
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
    'tasks/update': 'Beantwortet Anfragen einer Aufgabe nach Eingaben.',
    'notifications/tasks':
      'Der Zustand einer Aufgabe hat sich geändert. Die Benachrichtigung enthält den ganzen Zustand.',
    'skills/list': 'Fragt nach einer Seite der Liste der Skills.',
    'skills/get': 'Fragt nach dem Eintrag eines Skills.',
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
    unlisted: 'Der Server führt {asked} nicht auf.',
    unlistedNear: 'Der Server führt {asked} nicht auf. War {nearest} gemeint?',
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

export const ja: Translated<typeof en> = {
  request: {
    client: 'クライアントのリクエスト。サーバーは同じ id でレスポンスを一つ送ります。',
    server: 'サーバーのリクエスト。クライアントは同じ id でレスポンスを一つ送ります。',
  },
  notification: {
    client: 'クライアントの通知。id はなく、レスポンスもありません。',
    server: 'サーバーの通知。id はなく、レスポンスもありません。',
  },
  result: '{method} へのレスポンス：成功。',
  error: '{method} へのレスポンス：エラー {code}。',
  verdict:
    '不正な形式のメッセージへのレスポンスです。エラー {code}。そのメッセージの id は付けられません。',
  stray: 'このタイムラインにないリクエストへのレスポンスです。',
  open: 'レスポンスはまだありません。',
  failed:
    '{method} へのレスポンス：ツールは実行され、失敗しました（`isError`）。モデルはこの文を読んで呼び出しを直せます。',
  input:
    '{method} へのレスポンス：サーバーは先に入力を必要とします。クライアントはそれを付けてリクエストを再送します。',
  task: '{method} へのレスポンスです。リクエストはタスクとして続き、結果は後で届きます。',
  cancelled: 'このリクエストはキャンセルされました。',
  unanswered: '接続が閉じたか失敗したため、レスポンスは来ません。',
  batch: '一つの配列に複数のメッセージ。MCP は 2025-06-18 でバッチを廃止しました。',
  broken: 'JSON-RPC メッセージではありません：{problem}。',
  world: 'メッセージではなく、デモまたは接続のイベントです。',
  strange: '{method} は、知られている MCP のどのリビジョンにもありません。',
  elsewhere: '{method} は {revision} にはなく、{others} にあります。',
  method: {
    'server/discover':
      'サーバーのリビジョンと機能を求めます。必須ではありませんが、普通は最初のリクエストです。',
    initialize: '最初のメッセージ。クライアントとサーバーがリビジョンと機能を交換します。',
    'notifications/initialized': 'ハンドシェイクを終えます。これ以降、双方がリクエストを送れます。',
    ping: '相手が応答するかを確かめます。レスポンスは空です。',
    'resources/list': 'リソースの一覧を 1 ページ求めます。',
    'resources/templates/list': 'リソーステンプレート（URI のパターン）の一覧を 1 ページ求めます。',
    'resources/read': '一つのリソースの内容を、テキストまたはバイナリで求めます。',
    'resources/subscribe':
      '一つのリソースを購読します。通知は変更だけを伝え、新しい内容を含みません。',
    'resources/unsubscribe': '購読を終えます。',
    'subscriptions/listen':
      '通知のストリームを開きます。ストリームは開いたままで、その id が購読を表します。',
    'notifications/subscriptions/acknowledged':
      '購読の最初のメッセージ。フィルターのうち承認された部分です。',
    'notifications/resources/updated':
      'リソースが変わりました。読み直すと、新しい内容が得られます。',
    'notifications/resources/list_changed':
      'リソースの一覧が変わりました。新しい一覧はもう一度リクエストします。',
    'prompts/list': 'プロンプトの一覧を 1 ページ求めます。',
    'prompts/get': '引数を埋めたプロンプトを一つ求めます。',
    'notifications/prompts/list_changed':
      'プロンプトの一覧が変わりました。新しい一覧はもう一度リクエストします。',
    'tools/list': 'ツールの一覧を 1 ページ求めます。',
    'tools/call': 'ツールを呼び出します。ツールの失敗は、エラーではなく結果の中で伝えられます。',
    'notifications/tools/list_changed':
      'ツールの一覧が変わりました。新しい一覧はもう一度リクエストします。',
    'completion/complete': 'これまでに入力した値をもとに、引数の候補を求めます。',
    'logging/setLevel': '送るログメッセージの最低レベルを設定します。',
    'notifications/message': 'サーバーのログメッセージです。',
    'notifications/cancelled':
      'リクエストを取り消します。すでに送られたレスポンスは届くことがあります。',
    'notifications/progress': 'progressToken のあるリクエストの進み具合を伝えます。',
    'sampling/createMessage': 'クライアントの言語モデルに生成を求めます。先に人が承認すべきです。',
    'elicitation/create': 'フォームまたはページで、ユーザーに入力を求めます。断ることもできます。',
    'notifications/elicitation/complete': '開いたページでの操作をユーザーが終えました。',
    'roots/list': 'クライアントが作業しているフォルダーを求めます。',
    'notifications/roots/list_changed': 'クライアントのフォルダーが変わりました。',
    'tasks/list': 'タスクの一覧を求めます。',
    'tasks/get': 'タスクの状態を求めます。',
    'tasks/result': 'タスクの結果を求め、できるまで待ちます。',
    'tasks/cancel': 'タスクを取り消します。',
    'notifications/tasks/status': 'タスクの状態が変わりました。',
    'tasks/update': 'タスクの入力リクエストに応えます。',
    'notifications/tasks': 'タスクの状態が変わりました。通知には状態の全体が含まれます。',
    'skills/list': 'スキルの一覧を 1 ページ求めます。',
    'skills/get': 'スキル 1 件の項目を求めます。',
  },
  code: {
    '-32700': 'Parse error：メッセージが JSON ではありません。',
    '-32600': 'Invalid request：有効な JSON ですが、メッセージではありません。',
    '-32601': 'Method not found：サーバーはこのメソッドに対応していません。',
    '-32602': 'Invalid params：メソッドはありますが、この params では使えません。',
    '-32602 2026-07-28':
      'Invalid params。2026-07-28 では、存在しないリソースや、エンベロープのないリクエストにも使われます。',
    '-32603':
      'Internal error：リクエストは有効で、サーバーが失敗しました。サーバーは詳細を隠します。',
    '-32002':
      'Resource not found。このコードは 2025-11-25 までのリビジョンだけのもので、2026-07-28 は -32602 を使います。',
    '-32042': 'ユーザーは先にページを開く必要があります。このコードは 2025-11-25 だけのものです。',
    '-32020': 'Header mismatch：HTTP ヘッダーがないか、メッセージと異なります。',
    '-32021':
      'クライアントにこのリクエストに必要な機能がありません。機能はリクエストごとに宣言します。',
    '-32022': 'サーバーは、リクエストのリビジョンに対応していません。',
    reserved: 'JSON-RPC と MCP が予約したコードで、ここでは意味がありません。',
    own: 'サーバーが定めたコードです。',
  },
  cause: {
    nearest: '考えられる原因：{asked} はありません。{nearest} ではありませんか？',
    unlisted: '考えられる原因：サーバーの一覧に {asked} はありません。',
    nearestMethod: '考えられる原因：{asked} の打ち間違い。{nearest} ではありませんか？',
    elsewhere: '考えられる原因：{method} は {revision} にありません。',
    capability: '考えられる原因：サーバーは {capability} を宣言していません。',
    missing: '考えられる原因：{member} がありません。',
    type: '考えられる原因：{member} は {type} のはずです。',
    json: '考えられる原因：{problem}。',
    jsonrpc: '考えられる原因：jsonrpc がないか、"2.0" ではありません。',
    id: '考えられる原因：id が文字列でも整数でもありません。',
    batch: '考えられる原因：一つの配列に複数のメッセージがあります。',
    cursor: '考えられる原因：その cursor は別のサーバーのものか、変更前のものです。',
    version: '求められたもの：{requested}。サーバーは {supported} に対応しています。',
    ability: 'エンベロープで {ability} を宣言する必要があります。',
    visit: '開くページ：{url}',
    headers:
      'Mcp-Method、Mcp-Name、MCP-Protocol-Version を、メソッド、名前または URI、_meta と比べてください。',
  },
  hint: {
    unlisted: 'サーバーのリストに {asked} はありません。',
    unlistedNear: 'サーバーのリストに {asked} はありません。{nearest} のことですか？',
    unknownId: 'この id を持つ未完了のリクエストはありません。',
    duplicateId: 'この id のリクエストはまだ終わっていません。',
    afterCancel: 'このレスポンスの前に、リクエストは取り消されていました。',
    unsubscribed: 'この通知を含む購読はありません。',
    version: 'エンベロープには {said} とありますが、このクライアントは {spoken} を使います。',
    notObject: 'メッセージはオブジェクトでなければなりません。',
    jsonrpc: 'jsonrpc は "2.0" でなければなりません。',
    idType: 'id は文字列か整数でなければなりません。',
    both: 'レスポンスには result か error のどちらか一方が必要です。',
    method: '{revision} に {method} はありません。',
    missing: '{member} がありません。',
    type: '{member} は {type} のはずです。',
    value: '{member} は {value} のはずです。',
    range: '{member} は範囲外です：{limit}。',
    schema: '{member} は、許される形式のどれにも合いません。',
    code: '{revision} にコード {code} はありません。',
    json: 'JSON ではありません：{problem}',
  },
  change: {
    none: '変更は必要ありませんでした。',
    broken: 'JSON でないテキストはそのままです。',
    envelope: 'リクエストは params._meta に、リビジョンと機能を含むエンベロープを持ちます。',
    noEnvelope: '`_meta` を取り除きました。`initialize` が送信済みです。',
    version: '{member} は {to} になりました。',
    discover:
      'initialize は server/discover になりました。2026-07-28 にハンドシェイクはありません（changelog）。',
    initialize:
      'server/discover は、以前のリビジョンのハンドシェイクである initialize になりました。notifications/initialized が続きます。',
    listen:
      '2026-07-28 で廃止された resources/subscribe は、フィルター付きの subscriptions/listen になりました（changelog）。',
    subscribe:
      'subscriptions/listen は、一つのリソースを対象とする resources/subscribe になりました。',
    onlyFirst: '最初の URI だけが入っています。残りにはそれぞれ別のリクエストが必要です。',
    unasked: '以前のリビジョンは、購読がなくても list_changed を送ります。',
    unsubscribe:
      'resources/unsubscribe は 2026-07-28 で廃止されました（changelog）。代わりに subscriptions/listen のリクエストを取り消します。',
    ping: 'ping は 2026-07-28 で廃止されました（changelog）。どのリクエストでも代わりになります。',
    setLevel:
      'logging/setLevel は 2026-07-28 で廃止されました（changelog）。レベルは各リクエストのエンベロープにあります。',
    initialized:
      'notifications/initialized は 2026-07-28 で廃止されました（changelog）。ハンドシェイクはありません。',
    inside:
      '{method} は 2026-07-28 で独立したメッセージではなくなりました（changelog）。入力の必要な結果に含まれます。',
    removed: '{method} は {to} にありません。',
    retry: 'inputResponses と requestState を取り除きました。2026-07-28 だけのものです。',
  },
}

export const zhHans: Translated<typeof en> = {
  request: {
    client: '客户端的请求。服务器用相同的 id 发送一个响应。',
    server: '服务器的请求。客户端用相同的 id 发送一个响应。',
  },
  notification: {
    client: '客户端的通知。没有 id，也没有响应。',
    server: '服务器的通知。没有 id，也没有响应。',
  },
  result: '对 {method} 的响应：成功。',
  error: '对 {method} 的响应：错误 {code}。',
  verdict: '对格式错误的消息的响应：错误 {code}。它不能带有那条消息的 id。',
  stray: '这个响应所对应的请求不在这条时间线里。',
  open: '还没有响应。',
  failed: '{method} 的响应：工具已运行但失败（`isError`）。模型会看到这段文字，并可修正调用。',
  input: '{method} 的响应：服务器需要先得到输入。客户端附上输入后重新发送请求。',
  task: '对 {method} 的响应：请求作为任务继续进行，结果稍后给出。',
  cancelled: '该请求已取消。',
  unanswered: '连接已关闭或失败，不会再有响应。',
  batch: '一个数组里有多条消息。MCP 在 2025-06-18 中删除了批量。',
  broken: '这不是 JSON-RPC 消息：{problem}。',
  world: '不是消息：演示或连接的事件。',
  strange: '已知的 MCP 版本都没有 {method}。',
  elsewhere: '{method} 不在 {revision} 中，而在 {others} 中。',
  method: {
    'server/discover': '请求服务器的版本和能力。不是必需的，但通常是第一个请求。',
    initialize: '第一条消息：客户端和服务器交换版本和能力。',
    'notifications/initialized': '结束握手。从现在起双方都可以发送请求。',
    ping: '检查对方是否响应。响应是空的。',
    'resources/list': '请求资源列表的一页。',
    'resources/templates/list': '请求资源模板（URI 的模式）列表的一页。',
    'resources/read': '请求一个资源的内容，以文本或二进制给出。',
    'resources/subscribe': '订阅一个资源。通知只说明有变化，不含新内容。',
    'resources/unsubscribe': '结束一个订阅。',
    'subscriptions/listen': '打开一个通知流。它保持打开，它的 id 标识这个订阅。',
    'notifications/subscriptions/acknowledged': '订阅的第一条消息：筛选条件中得到准许的部分。',
    'notifications/resources/updated': '一个资源变了。读取它可得到新内容。',
    'notifications/resources/list_changed': '资源列表变了。再次请求可得到新列表。',
    'prompts/list': '请求提示词列表的一页。',
    'prompts/get': '请求一个填好参数的提示词。',
    'notifications/prompts/list_changed': '提示词列表变了。再次请求可得到新列表。',
    'tools/list': '请求工具列表的一页。',
    'tools/call': '调用一个工具。工具失败时写在结果里，而不是作为错误。',
    'notifications/tools/list_changed': '工具列表变了。再次请求可得到新列表。',
    'completion/complete': '根据已填写的值，请求一个参数的补全。',
    'logging/setLevel': '设置要发送的日志消息的最低级别。',
    'notifications/message': '服务器的一条日志消息。',
    'notifications/cancelled': '取消一个请求。如果响应已经发出，仍可能到达。',
    'notifications/progress': '报告一个带有 progressToken 的请求的进度。',
    'sampling/createMessage': '请求客户端的语言模型生成内容。应先由人批准。',
    'elicitation/create': '用表单或网页请求用户输入。用户可以拒绝。',
    'notifications/elicitation/complete': '用户已完成打开的网页上的操作。',
    'roots/list': '请求客户端的工作文件夹。',
    'notifications/roots/list_changed': '客户端的文件夹变了。',
    'tasks/list': '请求任务列表。',
    'tasks/get': '请求任务的状态。',
    'tasks/result': '请求任务的结果，并等待它。',
    'tasks/cancel': '取消一个任务。',
    'notifications/tasks/status': '任务的状态变了。',
    'tasks/update': '回应任务的输入请求。',
    'notifications/tasks': '任务的状态变了。通知里有完整的状态。',
    'skills/list': '请求一页技能列表。',
    'skills/get': '请求一个技能的条目。',
  },
  code: {
    '-32700': 'Parse error：消息不是 JSON。',
    '-32600': 'Invalid request：是有效的 JSON，但不是消息。',
    '-32601': 'Method not found：服务器不支持这个方法。',
    '-32602': 'Invalid params：方法存在，但不接受这些 params。',
    '-32602 2026-07-28':
      'Invalid params。在 2026-07-28 中，资源不存在、请求缺少信封时也用这个代码。',
    '-32603': 'Internal error：请求有效，是服务器失败了。服务器会隐藏细节。',
    '-32002':
      'Resource not found。只有 2025-11-25 及更早的版本有这个代码；2026-07-28 使用 -32602。',
    '-32042': '用户必须先访问一个网页。只有 2025-11-25 有这个代码。',
    '-32020': 'Header mismatch：缺少某个 HTTP 标头，或它与消息不一致。',
    '-32021': '客户端缺少这个请求所需的能力。每个请求都要重新声明能力。',
    '-32022': '服务器不支持请求的版本。',
    reserved: 'JSON-RPC 和 MCP 保留了这个代码，在这里没有含义。',
    own: '服务器自己定义的代码。',
  },
  cause: {
    nearest: '可能的原因：{asked} 不存在。是不是 {nearest}？',
    unlisted: '可能的原因：服务器的列表里没有 {asked}。',
    nearestMethod: '可能的原因：{asked} 写错了。是不是 {nearest}？',
    elsewhere: '可能的原因：{revision} 中没有 {method}。',
    capability: '可能的原因：服务器没有声明 {capability}。',
    missing: '可能的原因：缺少 {member}。',
    type: '可能的原因：{member} 应为 {type}。',
    json: '可能的原因：{problem}。',
    jsonrpc: '可能的原因：缺少 jsonrpc，或它不是 "2.0"。',
    id: '可能的原因：id 既不是字符串也不是整数。',
    batch: '可能的原因：一个数组里有多条消息。',
    cursor: '可能的原因：这个 cursor 来自其他服务器，或来自变化之前。',
    version: '请求的是 {requested}。服务器支持 {supported}。',
    ability: '信封必须声明 {ability}。',
    visit: '要访问的网页：{url}',
    headers: '请把 Mcp-Method、Mcp-Name、MCP-Protocol-Version 与方法、名称或 URI、_meta 对照。',
  },
  hint: {
    unlisted: '服务器未列出 {asked}。',
    unlistedNear: '服务器未列出 {asked}。你是指 {nearest} 吗？',
    unknownId: '没有未完成的请求使用这个 id。',
    duplicateId: '使用这个 id 的请求还没有结束。',
    afterCancel: '这个响应之前，请求已被取消。',
    unsubscribed: '没有订阅包含这个通知。',
    version: '信封里是 {said}，而此客户端使用 {spoken}。',
    notObject: '消息必须是一个对象。',
    jsonrpc: 'jsonrpc 必须是 "2.0"。',
    idType: 'id 必须是字符串或整数。',
    both: '响应必须有 result 或 error 其中之一。',
    method: '{revision} 没有 {method}。',
    missing: '缺少 {member}。',
    type: '{member} 应为 {type}。',
    value: '{member} 应为 {value}。',
    range: '{member} 超出范围：{limit}。',
    schema: '{member} 不符合允许的任何形式。',
    code: '{revision} 没有代码 {code}。',
    json: '这不是 JSON：{problem}',
  },
  change: {
    none: '没有需要改的地方。',
    broken: '不是 JSON 的文本保持不变。',
    envelope: '请求现在在 params._meta 里带有信封，包含版本和能力。',
    noEnvelope: '已移除 `_meta`：`initialize` 已发送过。',
    version: '{member} 现在是 {to}。',
    discover: 'initialize 变成 server/discover：2026-07-28 没有握手（changelog）。',
    initialize:
      'server/discover 变成 initialize，即旧版本的握手。之后必须发送 notifications/initialized。',
    listen:
      'resources/subscribe 在 2026-07-28 中删除（changelog），变成带筛选条件的 subscriptions/listen。',
    subscribe: 'subscriptions/listen 变成 resources/subscribe，只针对一个资源。',
    onlyFirst: '只包含第一个 URI：其余每个都需要单独的请求。',
    unasked: '旧版本不需要订阅也会发送 list_changed。',
    unsubscribe:
      '2026-07-28 删除了 resources/unsubscribe（changelog）：改为取消 subscriptions/listen 请求。',
    ping: '2026-07-28 删除了 ping（changelog）：任何请求都可以代替。',
    setLevel: '2026-07-28 删除了 logging/setLevel（changelog）：级别写在每个请求的信封里。',
    initialized: '2026-07-28 删除了 notifications/initialized（changelog）：没有握手。',
    inside: '在 2026-07-28 中 {method} 不再是单独的消息（changelog）：它包含在需要输入的结果里。',
    removed: '{to} 没有 {method}。',
    retry: 'inputResponses 和 requestState 已移除：只有 2026-07-28 才有。',
  },
}

declare module '../locale/texts.ts' {
  interface English {
    explain: typeof en
  }
}
