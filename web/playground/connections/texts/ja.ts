import type { Messages } from '../../locale/texts.ts'

export const connections: Messages['connections'] = {
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
    mcpB: '@mcp-b を使うページ',
  },
  about: {
    gateway:
      '「pagemcp dev」のゲートウェイに参加したページです。接続することも、アシスタントとのメッセージを監視することもできます。',
    http: 'Streamable HTTP のサーバーです（リビジョンは問いません）。CORS の許可が必要です。足りないものは「診断」で分かります。',
    ws: 'テキストフレームごとに JSON-RPC メッセージを 1 つ送るサーバーです。サブプロトコルは「mcp」です。',
    frame:
      'クライアントを待ち受けるページです。このプレイグラウンドのオリジンの許可が必要です：{origin}',
    mcpB: '@mcp-b/transports の IframeChildTransport を使うページです。このウィンドウのスクリプトには、アドレスを空にして接続します。',
  },
  url: 'アドレス',
  where: 'ページを開く場所',
  inFrame: 'フレーム',
  inWindow: '新しいウィンドウ',
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
  recent: '最近のアドレス',
  forget: '最近のアドレスを消去',
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
    secretNames: '機密情報かもしれない名前：{names}。リソース側か redact() で取り除いてください。',
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
  mcpBHere: 'このウィンドウ（@mcp-b）',
  closedBefore: 'レスポンスの前に接続が閉じられました',
  serverStopped: 'サーバーが停止しました',
  mcpBSilent: '{origin} のチャネル {channel} で応答する @mcp-b のサーバーがありません',
  frameClosed: 'ページが閉じられました',
  popupBlocked:
    'ブラウザーがウィンドウを開きませんでした。このページのポップアップを許可してください',
  pageSilent:
    '{origin} からレスポンスがありません。ページは {own} をオリジンとして許可する必要があります',
  frameOf: '{host} のページ',
  fold: '折りたたむ',
  unfold: '広げる',
  closeFrame: 'ページを閉じる',
}
