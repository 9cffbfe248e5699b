export const en = {
  title: 'Share',
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

declare module '../locale/texts.ts' {
  interface English {
    share: typeof en
  }
}
