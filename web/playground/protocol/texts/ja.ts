import type { Messages } from '../../locale/texts.ts'

export const explain: Messages['explain'] = {
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
  stray: 'このタイムラインにないリクエストへのレスポンスです。',
  open: 'レスポンスはまだありません。',
  failed:
    '{method} へのレスポンス：ツールは実行され、失敗しました（`isError`）。モデルはこの文を読んで呼び出しを直せます。',
  input:
    '{method} へのレスポンス：サーバーは先に入力を必要とします。クライアントはそれを付けてリクエストを再送します。',
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
