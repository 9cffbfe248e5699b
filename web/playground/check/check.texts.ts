export const en = {
  title: 'Check a server',
  about:
    'Sends reads, lists, subscriptions and malformed messages to a server, in the old and the new protocol, to check {count} requirements.',
  run: 'Run checks',
  stop: 'Stop',
  demo: 'Check the demo',
  playground: 'Playground',
  wanted: 'Expected',
  received: 'Received',
  sent: 'Sent',
  mayCall: 'May call tools that do not exist',
  passed: 'Passed',
  failed: 'Failed',
  none: 'Not applicable',
  others: 'Not checked, and why',
} as const

declare module '../locale/texts.ts' {
  interface English {
    check: typeof en
  }
}
