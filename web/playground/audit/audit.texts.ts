export const en = {
  title: 'Access and audit',
  about:
    'Which assistants used which pages of your gateway: its newest {count} requests, without contents. The page says why it allows a request, the gateway does not know.',
  none: 'No requests yet. Connect an assistant, or a client here to a page of the gateway.',
  noMatch: 'No request matches.',
  uses: 'Use by assistant and page',
  requests: 'Requests, newest first',
  page: 'Page',
  lists: 'lists of all pages',
  unnamed: 'unnamed',
  calls: 'Tool calls',
  last: 'Last use',
  right: 'Right',
  decision: 'Decision',
  allowed: 'allowed',
  denied: 'denied',
  denials: 'Denied',
  reason: 'Reason',
  all: 'all',
  count: { one: '{count} request', other: '{count} requests' },
  more: 'Show {count} more',
  pauseBy: 'Pauses all assistants for an hour:',
  paused: 'All assistants are paused until {time}. This ends it:',
} as const

declare module '../locale/texts.ts' {
  interface English {
    audit: typeof en
  }
}
