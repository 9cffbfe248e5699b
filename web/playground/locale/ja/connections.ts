import type { Messages } from '../texts.ts'

export const connections: Messages['connections'] = {
  connect: 'サーバーに接続',
  connectTo: 'サーバーに接続…',
  disconnect: 'このクライアントを切断',
  reconnect: 'このクライアントを再接続',
  anotherClient: '同じサーバーの別のクライアント',
  kind: '接続先の種類',
  kinds: {
    gateway: '手元のゲートウェイのページ',
    http: 'HTTP サーバー',
    ws: 'WebSocket',
    frame: 'ウェブページ',
    mcpB: '@mcp-b を使うページ',
  },
  about: {
    gateway:
      '「pagemcp dev」のゲートウェイに参加しているページです。自分で問い合わせることも、アシスタントとのやり取りを見ることもできます。',
    http: 'Streamable HTTP を話すサーバーです（版は問いません）。CORS でこのページを許可している必要があります。足りないものは診断で分かります。',
    ws: 'テキストフレームごとに JSON-RPC メッセージを 1 つ送るサーバーです。サブプロトコルは「mcp」です。',
    frame:
      '他のウィンドウのクライアントを待ち受けるページです。このプレイグラウンドのオリジンを許可している必要があります：{origin}',
    mcpB: '@mcp-b/transports の IframeChildTransport で提供するページです。このウィンドウ内のスクリプトに接続するときは、アドレスを空にします。',
  },
  url: 'アドレス',
  where: 'ページを開く場所',
  inFrame: 'フレーム',
  inWindow: '別のウィンドウ',
  headers: 'ヘッダー',
  headersNote:
    'Authorization など、すべての要求に付けて送ります。メモリーにだけ置かれ、保存・表示・共有はされません。',
  headerName: 'ヘッダー {count} の名前',
  headerValue: 'ヘッダー {count} の値',
  addHeader: 'ヘッダーを追加',
  remove: '削除',
  badHeader: 'ヘッダーとして使えません：{name}',
  badUrl: '{schemes} で始まるアドレスではありません',
  consent:
    '{host} に接続しますか？このコンピューターではありません。送信する内容はヘッダーも含めてそこに送られます。ホストごとに一度だけ確認します。',
  refuse: '接続しない',
  agree: '{host} に接続',
  notAgreed:
    '{host} はこのコンピューターではありません。先にダイアログから接続して確認してください。',
  go: '接続',
  examine: '診断',
  examining: '診断中…',
  findings: '診断の結果',
  copy: 'コピー',
  copied: 'コピーしました',
  recent: '以前の接続先',
  forget: 'この一覧を消す',
  states: { good: '良好', note: '注意', bad: '問題' },
  steps: {
    url: 'アドレス',
    network: 'ネットワーク',
    reach: '到達',
    cors: 'CORS',
    auth: '認証',
    version: '版',
    session: 'セッション',
  },
  addLines: 'サーバーの応答に必要な行：',
  doctor: {
    noUrl: 'アドレスではありません。',
    notHttp: 'アドレスは http:// か https:// で始まる必要があります。',
    userInfo:
      'ブラウザーはアドレスの中のユーザー名とパスワードを送りません。取り除いて、代わりにヘッダー Authorization を追加してください。',
    oldStream:
      'パスが /sse で終わっています。これは 2024-11-05 のサーバーの形で、ここでは話せません。パス /mcp を試してください。',
    noPath: 'アドレスにパスがありません。多くのサーバーは /mcp のようなパスで応答します。',
    mixed:
      'このページは https で開かれているため、ブラウザーは他のマシンの http アドレスへの要求を許しません。サーバーを https で提供するか、手元で「pagemcp dev」からプレイグラウンドを開いてください。',
    localNetwork:
      'サーバーは自分のマシンかネットワークにあります。このページに接続を許すか、ブラウザーが尋ねることがあります。',
    unreachable:
      '応答がありません。サーバーは動いていますか。ポートは正しく、証明書は有効ですか。拡張機能やファイアウォールが遮っていることもあります。',
    reachable: '応答があります。',
    readable: 'サーバーは、このページが応答を読むことを許しています。',
    noOrigin: '応答はありますが、このページが読んでよいとは示していません。',
    noPreflight:
      'ブラウザーは JSON を送る前に OPTIONS で許可を求めますが、正しい応答がありませんでした。認証なしで 200 から 299 のステータスと、次の行が必要です。',
    headersRefused:
      'サーバーは、このページが次のヘッダーを送ることを許していません：{names}。「*」は Authorization には効きません。',
    sometimes:
      '個別の問い合わせには応答がありましたが、すべてをまとめると応答がありませんでした。エラーのときにも CORS ヘッダーを送っていますか。',
    unauthorized:
      'サーバーは認証を求めています（ステータス {status}）。ヘッダー Authorization を追加してください。',
    tokenFrom:
      '{place} によると、トークンは {servers} で発行されます。取得して「Authorization: Bearer …」ヘッダーを追加してください。',
    noMetadata: 'トークンの入手先は {place} に示されていないか、このページからは読めません。',
    admitted: '認証は求められなかったか、受け入れられました。',
    modern: '{versions} を話します。',
    classic: '{version} を話します（以前の版のハンドシェイク）。',
    noMcp: '応答しているのは MCP ではないようです（ステータス {status}）：{said}',
    noSession: 'セッションなしで動きます。',
    sessionHidden:
      'サーバーはセッションの ID を返すよう求めていますが、ブラウザーはそれをこのページに見せません。',
    session: 'セッションは正常で、終了しました。',
    noDelete: 'セッションは正常ですが、このページからは終了できません。',
  },
  gateway: {
    looking: 'ゲートウェイを探しています…',
    notInvited:
      'このブラウザーはゲートウェイとペアになっていません。「pagemcp dev」を起動し、表示されたリンクを開くか、ここに貼り付けてください。',
    insecure: 'ゲートウェイとのペア設定には https か、localhost の http が必要です。',
    noLink: 'ゲートウェイのリンクではありません。',
    otherGateway:
      'これは別のゲートウェイ ({url}) のリンクです。このプレイグラウンドは {own} に接続します。',
    refused:
      'ゲートウェイに拒否されました。リンクが使用済みか 2 分を過ぎているか、ペア設定が期限切れです。ターミナルで Enter を押し、新しいリンクをここに貼り付けてください。',
    closed:
      '{url} に接続できませんでした。「pagemcp dev」は --watch=false なしで動いていますか。見ることができるのは、それ自身が提供するプレイグラウンドだけです。',
    link: 'ゲートウェイのリンク',
    pair: 'このリンクを使う',
    pages: 'ページ',
    none: '参加しているページはまだありません。デモなどを開くと、参加したときにここに並びます。',
    all: 'すべてのページ',
    away: '不在',
    since: '{time} から',
    readings: { other: '読み取り {count} 回、{size}' },
    ask: '接続',
    askPage: '{page} に接続',
    monitor: '見る',
    monitorPage: '{page} のやり取りを見る',
    monitorNote:
      'アシスタントとページのやり取りを、専用のレーンに表示します。そこから送ることはできず、プロトコルの秘密は伏せられます。',
    may: '許可されていること',
    mayJoin: '参加できるページのオリジン：{origins}',
    mayWatch: '見ることができるオリジン：{origins}',
    withToken: 'アシスタントはトークンを示すか、このユーザーが起動したものです。',
    noToken: 'このマシンのすべてのプログラムが読み取れます（--no-token）。',
  },
  tap: {
    of: '{what}（見るだけ）',
    ofBy: '{assistant} と {what}',
  },
  reads: {
    title: 'アシスタントが見たもの',
    none: 'プレイグラウンドが見始めてからは、まだありません。',
    resource: 'リソース',
    reads: '回数',
    size: 'サイズ',
    by: '読んだ相手',
    secretValue:
      '鍵かトークンが含まれているようです。公開する側で、または redact() で取り除いてください。',
    secretNames:
      '秘密らしい名前があります：{names}。公開する側で、または redact() で取り除いてください。',
  },
  unreachable:
    '{url} に到達できないか、このページは応答を読めません。どちらかは「診断」で分かります。',
  unauthorized: 'サーバーに拒否されました（ステータス {status}）：{challenge}',
  refused: 'サーバーの応答は {status} でした：{said}',
  noMessage: 'サーバーの応答はステータス {status} で、メッセージがありません（型 {type}）',
  streamEnded: '答えが届く前にストリームが終わりました',
  sessionExpired: 'セッションの期限が切れました。再接続すると新しいセッションが始まります',
  sessionHidden:
    'サーバーが求めるセッション ID をブラウザーが隠しています。サーバーは「Access-Control-Expose-Headers: Mcp-Session-Id」を送る必要があります',
  socketForbidden: 'ブラウザーは {url} を開きません：{why}',
  socketRefused: '{url} への接続は受け入れられませんでした',
  socketLost: '接続が失われました',
  socketClosed: 'サーバーが接続を閉じました（コード {code}）',
  socketClosedWhy: 'サーバーが接続を閉じました（コード {code}）：{reason}',
  timeout: '{url} は時間内に応答しませんでした',
  mcpBHere: 'このウィンドウ（@mcp-b）',
  closedBefore: '応答がある前に閉じられました',
  serverStopped: 'サーバーが停止しました',
  nobodyAnswers: '{origin} のチャネル {channel} で応答する @mcp-b のサーバーがありません',
  frameClosed: 'ページが閉じられました',
  popupBlocked:
    'ブラウザーがウィンドウを開きませんでした。このページのポップアップを許可してください',
  pageSilent:
    '{origin} から応答がありません。ページは {own} をオリジンとして許可する必要があります',
  frameOf: '{host} のページ',
  fold: '畳む',
  unfold: '広げる',
  closeFrame: 'ページを閉じる',
}
