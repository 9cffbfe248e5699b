import type { Messages } from '../texts.ts'

export const explain: Messages['explain'] = {
  request: {
    client: 'クライアントからのリクエスト。サーバーは同じ id で一度だけ答えます。',
    server: 'サーバーからのリクエスト。クライアントは同じ id で一度だけ答えます。',
  },
  notification: {
    client: 'クライアントからの通知。id はなく、答えは返りません。',
    server: 'サーバーからの通知。id はなく、答えは返りません。',
  },
  result: '{method} への答え: 成功しました。',
  error: '{method} への答え: {code} で失敗しました。',
  stray: 'このタイムラインにないリクエストへの答えです。',
  open: 'まだ答えは来ていません。',
  batch: '一つの配列に複数のメッセージ。MCP は 2025-06-18 でこれを廃止しました。',
  broken: 'JSON-RPC のメッセージではありません: {problem}。',
  world: 'メッセージではありません。サーバーが伝える世界で何かが起きました。',
  strange: 'ここで知られている MCP のどの版にも {method} はありません。',
  elsewhere: '{method} は {revision} にはなく、{others} にあります。',
  method: {
    'server/discover':
      'サーバーが話す版と持っているものを尋ねます。必須ではありませんが、最初に送るのが普通です。',
    initialize: '最初のメッセージ。双方が、話す版とできることを伝えます。',
    'notifications/initialized': 'ハンドシェイクの終わり。これ以降、双方からリクエストを送れます。',
    ping: '相手がまだいるかを尋ねます。答えは空です。',
    'resources/list': '読めるものを、1 ページずつ尋ねます。',
    'resources/templates/list': '一覧に収まらないリソースのための、URI の型を尋ねます。',
    'resources/read': '一つのリソースの内容を、テキストまたはバイナリで求めます。',
    'resources/subscribe':
      '一つのリソースが変わったら知らせるよう頼みます。通知は、変わったことだけを伝えます。',
    'resources/unsubscribe': '購読を終えます。',
    'subscriptions/listen': '通知の流れを開きます。開いたままで、その id が購読の名前になります。',
    'notifications/subscriptions/acknowledged':
      '購読の最初のメッセージ: 求めたもののうち、認められた部分です。',
    'notifications/resources/updated': 'リソースが変わりました。新しい内容が必要なら読みます。',
    'notifications/resources/list_changed':
      'リソースが増減しました。新しい一覧が必要なら尋ねます。',
    'prompts/list': '用意されたメッセージを、1 ページずつ尋ねます。',
    'prompts/get': '用意されたメッセージを、引数を埋めて求めます。',
    'notifications/prompts/list_changed':
      'プロンプトが増減しました。新しい一覧が必要なら尋ねます。',
    'tools/list': 'サーバーにできることを、1 ページずつ尋ねます。',
    'tools/call':
      'サーバーに何かをさせます。ツールの失敗は、エラーではなく結果の中で伝えられます。',
    'notifications/tools/list_changed': 'ツールが増減しました。新しい一覧が必要なら尋ねます。',
    'completion/complete': '引数を入力している間に、候補を尋ねます。',
    'logging/setLevel': 'どのレベル以上のログが欲しいかを伝えます。',
    'notifications/message': 'サーバーのログメッセージです。',
    'notifications/cancelled': 'リクエストはもう不要です。すでに送られた答えは届くことがあります。',
    'notifications/progress': 'progressToken で頼まれたリクエストの進み具合を伝えます。',
    'sampling/createMessage': 'クライアントの言語モデルに尋ねます。先に人が確かめるべきです。',
    'elicitation/create': 'フォームまたはページで利用者に尋ねます。断ることもできます。',
    'notifications/elicitation/complete': '開いたページの用件が済みました。',
    'roots/list': 'クライアントが作業しているフォルダーを尋ねます。',
    'notifications/roots/list_changed': 'クライアントのフォルダーが変わりました。',
    'tasks/list': 'タスクとして動いているリクエストを尋ねます。',
    'tasks/get': 'タスクの状態を尋ねます。',
    'tasks/result': 'タスクの結果を求め、できるまで待ちます。',
    'tasks/cancel': '終わる前にタスクをやめます。',
    'notifications/tasks/status': 'タスクの状態が変わりました。',
  },
  code: {
    '-32700': 'Parse error: 届いたものは JSON ではありません。',
    '-32600': 'Invalid request: JSON ですが、メッセージではありません。',
    '-32601': 'Method not found: サーバーにこのメソッドはありません。',
    '-32602': 'Invalid params: メソッドはありますが、この params では使えません。',
    '-32602 2026-07-28':
      'Invalid params。2026-07-28 では、存在しないリソースや、エンベロープのないリクエストにも使われます。',
    '-32603':
      'Internal error: リクエストは正しく、サーバー側の失敗です。詳しい理由は外に出ません。',
    '-32002':
      'Resource not found。このコードは 2025-11-25 までのもので、2026-07-28 では -32602 です。',
    '-32042': '先にページを開く必要があります。このコードは 2025-11-25 だけのものです。',
    '-32020': 'Header mismatch: HTTP リクエストのヘッダーがないか、メッセージと食い違っています。',
    '-32021':
      'このリクエストに必要な、クライアントの機能が宣言されていません。宣言はリクエストごとです。',
    '-32022': 'サーバーは、リクエストが書かれた版を話しません。',
    reserved: 'JSON-RPC と MCP のために予約されたコードで、ここでは意味が決まっていません。',
    own: 'サーバー独自のコードです。',
  },
  cause: {
    nearest: '考えられる原因: {asked} という名前のものはありません。{nearest} ではありませんか。',
    unlisted: '考えられる原因: サーバーの一覧に {asked} はありません。',
    nearestMethod: '考えられる原因: {asked} の打ち間違い。{nearest} ではありませんか。',
    elsewhere: '考えられる原因: {method} は {revision} にありません。',
    capability: '考えられる原因: サーバーは {capability} を宣言していません。',
    missing: '考えられる原因: {member} がありません。',
    type: '考えられる原因: {member} は {type} のはずです。',
    json: '考えられる原因: {problem}。',
    jsonrpc: '考えられる原因: jsonrpc がないか、"2.0" ではありません。',
    id: '考えられる原因: id はテキストか整数でなければなりません。',
    batch: '考えられる原因: 一つの配列に複数のメッセージがあります。',
    cursor: '考えられる原因: その cursor はこのサーバーのものでないか、変更前のものです。',
    version: '求められた版は {requested}、サーバーが話すのは {supported} です。',
    ability: 'エンベロープで {ability} を宣言する必要があります。',
    visit: '開くべきページ: {url}',
    headers:
      'Mcp-Method、Mcp-Name、MCP-Protocol-Version を、メソッド、名前または URI、_meta と見比べてください。',
  },
  hint: {
    unknownId: 'この id のリクエストは待たれていません。',
    duplicateId: 'この id のリクエストはまだ終わっていません。',
    afterCancel: 'この答えの前に、リクエストは取り消されていました。',
    unsubscribed: 'この通知は誰にも頼まれていません。',
    version: 'エンベロープには {said} とありますが、このレーンは {spoken} を話します。',
    notObject: 'メッセージはオブジェクトです。',
    jsonrpc: 'jsonrpc は "2.0" でなければなりません。',
    idType: 'id はテキストか整数です。',
    both: '答えには result か error のどちらか一方があります。',
    method: '{revision} に {method} はありません。',
    missing: '{member} がありません。',
    type: '{member} は {type} のはずです。',
    value: '{member} は {value} のはずです。',
    range: '{member} は範囲外です: {limit}。',
    schema: '{member} は、許される形のどれにも合いません。',
    code: '{revision} にコード {code} はありません。',
    json: 'JSON ではありません: {problem}',
  },
  change: {
    none: '変える必要はありませんでした。',
    broken: 'JSON でないものはそのままです。',
    envelope: 'リクエストは params._meta にエンベロープを持ちます。毎回、版と機能を伝えます。',
    noEnvelope: 'エンベロープはなくなりました。ハンドシェイクが一度だけ伝えます。',
    version: '{member} は {to} になりました。',
    discover:
      'initialize は server/discover になりました。2026-07-28 にハンドシェイクはありません(changelog)。',
    initialize:
      'server/discover は、古い版のハンドシェイク initialize になりました。notifications/initialized が続きます。',
    listen:
      'resources/subscribe はフィルター付きの subscriptions/listen になりました。2026-07-28 で廃止(changelog)。',
    subscribe: 'subscriptions/listen は、一つのリソースのための resources/subscribe になりました。',
    onlyFirst: '最初の URI だけが入っています。それぞれに別のリクエストが必要です。',
    unasked: '古い版は、頼まれなくても list_changed を送ります。',
    unsubscribe:
      'resources/unsubscribe は 2026-07-28 で廃止(changelog)。代わりに subscriptions/listen のリクエストを取り消します。',
    ping: 'ping は 2026-07-28 で廃止(changelog)。どのリクエストでも代わりになります。',
    setLevel:
      'logging/setLevel は 2026-07-28 で廃止(changelog)。レベルは各リクエストのエンベロープにあります。',
    initialized:
      'notifications/initialized は 2026-07-28 で廃止(changelog)。先に言うべきことはありません。',
    inside:
      '{method} は 2026-07-28 で独立したメッセージではなくなりました(changelog)。入力の必要な結果がそれを尋ねます。',
    removed: '{method} は {to} にありません。',
    retry: 'inputResponses と requestState はなくなりました。2026-07-28 だけのものです。',
  },
}
