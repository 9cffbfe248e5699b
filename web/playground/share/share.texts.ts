import type { Translated } from '../locale/texts.ts'

export const en = {
  title: 'Share',
  close: 'Close',
  link: 'Link',
  linkAbout:
    'The link itself contains the messages; no server stores them. Opening it sends nothing.',
  allTabs: 'All {count} tabs',
  copyLink: 'Copy link',
  copyConversation: 'Copy link to all messages',
  length: '{count} characters; a link may have {most}.',
  tooLong: 'Too long for a link; a file has room for it.',
  inside: 'Content of the link',
  target: 'Target:',
  demo: 'the demo in the page',
  saveMessages: 'Save messages as file',
  transcript: 'Transcript',
  transcriptAbout:
    'All messages as a file or as a link. A file opens here like live messages, and can be dropped on the page; a link replays them and sends nothing.',
  redact: 'Remove possible secrets',
  pack: 'Compress (gzip)',
  onlyShown: 'Only rows that match the filter',
  save: { one: 'Save {count} row', other: 'Save {count} rows' },
  import: 'Import a transcript',
  export: 'Export a transcript',
  mermaid: 'Copy as Mermaid',
  imported: {
    one: '{count} row imported from {name}.',
    other: '{count} rows imported from {name}.',
  },
  notImported: '{name} is not a transcript: {reason}',
  tooLarge: 'it is too large',
  badLink: 'The link could not be opened: {reason}',
  from: 'From a link, written for {target}. Nothing has been sent yet.',
  copy: {
    raw: 'Raw message',
    curl: 'curl',
    config: 'Assistant settings (mcp.json)',
    markdown: 'Markdown for an issue',
  },
} as const

export const de: Translated<typeof en> = {
  title: 'Teilen',
  close: 'Schließen',
  link: 'Link',
  linkAbout:
    'Der Link selbst enthält die Nachrichten; kein Server speichert sie. Das Öffnen sendet nichts.',
  allTabs: 'Alle {count} Tabs',
  copyLink: 'Link kopieren',
  copyConversation: 'Link zu allen Nachrichten kopieren',
  length: '{count} Zeichen; ein Link darf {most} haben.',
  tooLong: 'Zu lang für einen Link; eine Datei hat Platz.',
  inside: 'Inhalt des Links',
  target: 'Ziel:',
  demo: 'die Demo in der Seite',
  saveMessages: 'Nachrichten als Datei speichern',
  transcript: 'Aufzeichnung',
  transcriptAbout:
    'Alle Nachrichten als Datei oder Link. Eine Datei öffnet sich hier wie laufende Nachrichten und lässt sich auf die Seite ziehen; ein Link spielt sie ab und sendet nichts.',
  redact: 'Mögliche Geheimnisse entfernen',
  pack: 'Komprimieren (gzip)',
  onlyShown: 'Nur Zeilen, die zum Filter passen',
  save: { one: '{count} Zeile speichern', other: '{count} Zeilen speichern' },
  import: 'Aufzeichnung importieren',
  export: 'Aufzeichnung exportieren',
  mermaid: 'Als Mermaid kopieren',
  imported: {
    one: '{count} Zeile aus {name} importiert.',
    other: '{count} Zeilen aus {name} importiert.',
  },
  notImported: '{name} ist keine Aufzeichnung: {reason}',
  tooLarge: 'zu groß',
  badLink: 'Der Link ließ sich nicht öffnen: {reason}',
  from: 'Aus einem Link, geschrieben für {target}. Noch wurde nichts gesendet.',
  copy: {
    raw: 'Rohe Nachricht',
    curl: 'curl',
    config: 'Einstellungen für Assistenten (mcp.json)',
    markdown: 'Markdown für ein Issue',
  },
}

export const ja: Translated<typeof en> = {
  title: '共有',
  close: '閉じる',
  link: 'リンク',
  linkAbout:
    'メッセージはリンクそのものに含まれ、どのサーバーにも保存されません。開いても何も送信されません。',
  allTabs: '{count} 個のタブすべて',
  copyLink: 'リンクをコピー',
  copyConversation: '全メッセージのリンクをコピー',
  length: '{count} 文字。リンクは {most} 文字までです。',
  tooLong: 'リンクには長すぎます。ファイルなら保存できます。',
  inside: 'リンクの内容',
  target: '対象：',
  demo: 'ページ内のデモ',
  saveMessages: 'メッセージをファイルに保存',
  transcript: 'トランスクリプト',
  transcriptAbout:
    'すべてのメッセージをファイルまたはリンクにします。ファイルはページにドロップできます。リンクは再生だけで、何も送信しません。',
  redact: '機密情報らしいものを取り除く',
  pack: '圧縮する（gzip）',
  onlyShown: 'フィルターに合う行だけ',
  save: { other: '{count} 行を保存' },
  import: 'トランスクリプトをインポート',
  export: 'トランスクリプトをエクスポート',
  mermaid: 'Mermaid としてコピー',
  imported: { other: '{name} から {count} 行をインポートしました。' },
  notImported: '{name} はトランスクリプトではありません：{reason}',
  tooLarge: '大きすぎます',
  badLink: 'リンクを開けませんでした：{reason}',
  from: 'リンクから開きました。{target} 向けです。まだ何も送信していません。',
  copy: {
    raw: '元のメッセージ',
    curl: 'curl',
    config: 'アシスタントの設定（mcp.json）',
    markdown: 'Issue 用の Markdown',
  },
}

export const zhHans: Translated<typeof en> = {
  title: '分享',
  close: '关闭',
  link: '链接',
  linkAbout: '消息就在链接里，没有服务器保存它们。打开链接不会发送任何内容。',
  allTabs: '全部 {count} 个标签页',
  copyLink: '复制链接',
  copyConversation: '复制所有消息的链接',
  length: '{count} 个字符；链接最多 {most} 个字符。',
  tooLong: '太长，无法放进链接；可以保存为文件。',
  inside: '链接的内容',
  target: '对象：',
  demo: '页面里的演示',
  saveMessages: '把消息保存为文件',
  transcript: '通信记录',
  transcriptAbout:
    '把全部消息存为文件或链接。文件打开后与实时消息一样，也可以拖到页面上；链接只会回放消息，不发送任何内容。',
  redact: '移除可能的机密',
  pack: '压缩（gzip）',
  onlyShown: '只保存符合筛选的行',
  save: { other: '保存 {count} 行' },
  import: '导入通信记录',
  export: '导出通信记录',
  mermaid: '复制为 Mermaid',
  imported: { other: '从 {name} 导入了 {count} 行。' },
  notImported: '{name} 不是通信记录：{reason}',
  tooLarge: '文件太大',
  badLink: '无法打开链接：{reason}',
  from: '来自链接，原本发给 {target}。尚未发送任何内容。',
  copy: {
    raw: '原始消息',
    curl: 'curl',
    config: '助手的设置（mcp.json）',
    markdown: '用于 issue 的 Markdown',
  },
}

declare module '../locale/texts.ts' {
  interface English {
    share: typeof en
  }
}
