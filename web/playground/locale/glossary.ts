/**
 * One term per concept and language. Tests read this file, the product does not:
 * test/playground/locale/glossary.test.ts checks all texts against it.
 *
 * A list has the term first, then its inflections and compounds: a translation must contain one of them
 * wherever the English text contains an English one. `rejected` are synonyms that no text may contain.
 * German and the Asian languages inflect and compound, so a term matches within words there, in any case.
 */

type Language = 'en' | 'de' | 'ja' | 'zh-Hans'

export interface Concept {
  readonly terms: { readonly [language in Language]: readonly string[] }
  readonly rejected?: { readonly [language in Language]?: readonly string[] }
}

export const glossary: { readonly [concept: string]: Concept } = {
  assistant: {
    terms: {
      en: ['assistant', 'assistants'],
      de: ['Assistent'],
      ja: ['アシスタント'],
      'zh-Hans': ['助手'],
    },
  },
  client: {
    terms: {
      en: ['client', 'clients'],
      de: ['Client'],
      ja: ['クライアント'],
      'zh-Hans': ['客户端'],
    },
    rejected: { en: ['lane', 'lanes'], de: ['Spur'], ja: ['レーン'], 'zh-Hans': ['通道'] },
  },
  connection: {
    terms: {
      en: ['connection', 'connections'],
      de: ['Verbindung'],
      ja: ['接続'],
      'zh-Hans': ['连接'],
    },
  },
  code: {
    terms: { en: ['code', 'codes'], de: ['Code'], ja: ['コード'], 'zh-Hans': ['代码'] },
  },
  cursor: {
    terms: {
      en: ['cursor'],
      de: ['Cursor'],
      ja: ['カーソル', 'cursor'],
      'zh-Hans': ['游标', 'cursor'],
    },
    rejected: { de: ['Zeiger'] },
  },
  demo: {
    terms: { en: ['demo'], de: ['Demo'], ja: ['デモ'], 'zh-Hans': ['演示'] },
    rejected: { de: ['Vorführung'] },
  },
  error: {
    terms: { en: ['error', 'errors'], de: ['Fehler'], ja: ['エラー'], 'zh-Hans': ['错误'] },
  },
  explore: {
    terms: { en: ['Explore'], de: ['Erkunden'], ja: ['探索'], 'zh-Hans': ['浏览'] },
    rejected: { ja: ['「一覧」'] },
  },
  export: {
    terms: {
      en: ['export'],
      de: ['Exportieren', 'exportier'],
      ja: ['エクスポート'],
      'zh-Hans': ['导出'],
    },
    rejected: { de: ['Ausgeben'], ja: ['書き出'] },
  },
  filter: {
    terms: { en: ['filter'], de: ['Filter'], ja: ['フィルター'], 'zh-Hans': ['筛选'] },
    rejected: { ja: ['絞り込み'], 'zh-Hans': ['过滤'] },
  },
  gateway: {
    terms: { en: ['gateway'], de: ['Gateway'], ja: ['ゲートウェイ'], 'zh-Hans': ['网关'] },
  },
  handshake: {
    terms: { en: ['handshake'], de: ['Handshake'], ja: ['ハンドシェイク'], 'zh-Hans': ['握手'] },
    rejected: { de: ['Handschlag', 'Händedruck', 'Begrüßung'], ja: ['握手', '挨拶'] },
  },
  header: {
    terms: { en: ['header', 'headers'], de: ['Header'], ja: ['ヘッダー'], 'zh-Hans': ['标头'] },
    rejected: { de: ['Kopfzeile'], 'zh-Hans': ['头部', '请求头'] },
  },
  import: {
    terms: {
      en: ['import', 'imported'],
      de: ['Importieren', 'importier'],
      ja: ['インポート'],
      'zh-Hans': ['导入'],
    },
    rejected: { de: ['Einlesen'] },
  },
  inspect: {
    terms: { en: ['Inspect'], de: ['Details'], ja: ['詳細'], 'zh-Hans': ['详情'] },
    rejected: { ja: ['調べる'], 'zh-Hans': ['“查看”'] },
  },
  lesson: {
    terms: { en: ['lesson', 'lessons'], de: ['Lektion'], ja: ['レッスン'], 'zh-Hans': ['课程'] },
  },
  malformed: {
    terms: {
      en: ['malformed'],
      de: ['fehlerhaft'],
      ja: ['不正な形式'],
      'zh-Hans': ['格式错误', '错误格式'],
    },
    rejected: { en: ['broken:'], de: ['kaputt'] },
  },
  message: {
    terms: {
      en: ['message', 'messages'],
      de: ['Nachricht'],
      ja: ['メッセージ'],
      'zh-Hans': ['消息'],
    },
  },
  method: {
    terms: { en: ['method'], de: ['Methode'], ja: ['メソッド'], 'zh-Hans': ['方法'] },
  },
  monitor: {
    terms: {
      en: ['monitor', 'monitoring'],
      de: ['Mitlesen', 'mitgelesen', 'mitlesen', 'liest mit'],
      ja: ['監視'],
      'zh-Hans': ['监控'],
    },
    rejected: {
      en: ['look on', 'looking on'],
      de: ['zusehen', 'Zusehen'],
      'zh-Hans': ['旁观', '旁听', '监视'],
    },
  },
  note: {
    terms: {
      en: ['the note', 'this note', 'a note'],
      de: ['Notiz'],
      ja: ['メモ'],
      'zh-Hans': ['便笺'],
    },
    rejected: { ja: ['ノートを', 'ノートの', 'ノートに'], 'zh-Hans': ['笔记'] },
  },
  notification: {
    terms: {
      en: ['notification', 'notifications'],
      de: ['Benachrichtigung'],
      ja: ['通知'],
      'zh-Hans': ['通知'],
    },
    rejected: { de: ['Mitteilung'] },
  },
  origin: {
    terms: { en: ['origin', 'origins'], de: ['Origin'], ja: ['オリジン'], 'zh-Hans': ['来源'] },
    rejected: { de: ['Herkunft'] },
  },
  pane: {
    terms: { en: ['pane', 'panes'], de: ['Bereich'], ja: ['ペイン'], 'zh-Hans': ['面板'] },
  },
  playground: {
    terms: {
      en: ['playground'],
      de: ['Playground'],
      ja: ['プレイグラウンド'],
      'zh-Hans': ['演练场'],
    },
    rejected: { de: ['Spielwiese'], 'zh-Hans': ['练习场', 'Playground', '游乐场'] },
  },
  prompt: {
    terms: { en: ['prompt', 'prompts'], de: ['Prompt'], ja: ['プロンプト'], 'zh-Hans': ['提示词'] },
  },
  request: {
    terms: {
      en: ['request', 'requests'],
      de: ['Anfrage', 'Fragt'],
      ja: ['リクエスト', '求め'],
      'zh-Hans': ['请求'],
    },
    rejected: { ja: ['要求'] },
  },
  resource: {
    terms: {
      en: ['resource', 'resources'],
      de: ['Ressource'],
      ja: ['リソース'],
      'zh-Hans': ['资源'],
    },
  },
  response: {
    terms: {
      en: ['response', 'responses'],
      de: ['Antwort'],
      ja: ['レスポンス'],
      'zh-Hans': ['响应'],
    },
    rejected: {
      en: ['answer', 'answers', 'answered'],
      ja: ['答え', '応答が', '応答を', 'の応答'],
      'zh-Hans': ['应答', '回答', '答复'],
    },
  },
  revision: {
    terms: {
      en: ['revision', 'revisions'],
      de: ['Revision'],
      ja: ['リビジョン'],
      'zh-Hans': ['版本'],
    },
    rejected: {
      de: ['Fassung'],
      ja: ['版を', '版は', '版に', 'の版', '版と', '版で'],
      'zh-Hans': ['修订版'],
    },
  },
  scenario: {
    terms: {
      en: ['scenario', 'scenarios'],
      de: ['Szenari'],
      ja: ['シナリオ'],
      'zh-Hans': ['场景'],
    },
  },
  server: {
    terms: { en: ['server', 'servers'], de: ['Server'], ja: ['サーバー'], 'zh-Hans': ['服务器'] },
  },
  session: {
    terms: { en: ['session'], de: ['Sitzung'], ja: ['セッション'], 'zh-Hans': ['会话'] },
  },
  stream: {
    terms: { en: ['stream'], de: ['Stream'], ja: ['ストリーム'], 'zh-Hans': ['流'] },
    rejected: { de: ['Strom'] },
  },
  subscribe: {
    terms: {
      en: ['subscribe', 'subscribes', 'subscribed', 'subscription', 'subscriptions'],
      de: ['abonnier', 'Abonnement'],
      ja: ['購読'],
      'zh-Hans': ['订阅'],
    },
    rejected: { en: ['watched', 'watching'], de: ['beobacht'], 'zh-Hans': ['关注', '退订'] },
  },
  tab: {
    terms: { en: ['tab', 'tabs'], de: ['Tab'], ja: ['タブ', 'Tab'], 'zh-Hans': ['标签页', 'Tab'] },
  },
  template: {
    terms: {
      en: ['template', 'templates'],
      de: ['Vorlage'],
      ja: ['テンプレート'],
      'zh-Hans': ['模板'],
    },
  },
  timeline: {
    terms: { en: ['timeline'], de: ['Zeitleiste'], ja: ['タイムライン'], 'zh-Hans': ['时间线'] },
  },
  token: {
    terms: { en: ['token', 'tokens'], de: ['Token'], ja: ['トークン'], 'zh-Hans': ['令牌'] },
  },
  tool: {
    terms: { en: ['tool', 'tools'], de: ['Tool'], ja: ['ツール'], 'zh-Hans': ['工具'] },
    rejected: { de: ['Werkzeug'] },
  },
  transcript: {
    terms: {
      en: ['transcript'],
      de: ['Aufzeichnung'],
      ja: ['トランスクリプト'],
      'zh-Hans': ['通信记录'],
    },
    rejected: { de: ['Mitschrift'] },
  },
}

/** Text that is the same in every language: methods, header names, values, and messages of JSON-RPC. */
export const untranslated: readonly RegExp[] = [
  /\{\w+\}/g,
  /\bmethod:\S+ dir:\w+ "[^"]*"/g, // an example of a filter
  /\b(?:notifications|resources|subscriptions|server|prompts|tools|tasks|roots|logging|sampling|elicitation|completion)\/\w+(?:\/\w+)*/g,
  /\b(?:Parse error|Invalid request|Method not found|Invalid params|Internal error|Resource not found|Header mismatch)\b/g,
  /\b(?:[\w-]+-)+[\w-]+: [\w-]+/g, // Access-Control-Expose-Headers: Mcp-Session-Id
  /\b(?:Authorization: Bearer|IframeChildTransport|text\/plain|[A-Z]\w+-[A-Z][\w-]*)/g,
  /--[\w=-]+/g,
  /\b\w+(?:_\w+)+\b/g, // list_changed
  /_meta/g,
  /`[^`]*`/g,
  /\b(?:method|dir|request|notification|result|error|batch|broken|world|waiting|ok|id)\b(?=(?:[,、;：:]? | oder | or |、|，|；|或|,|$| 或)[\w:*"/]*)/g,
]
