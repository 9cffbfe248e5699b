export const conformance = {
  title: 'Conformance',
  about:
    'Sends reads, lists, subscriptions and malformed messages to {server}, in both eras, to check {count} requirements.',
  run: 'Run checks',
  stop: 'Stop',
  mayCall: 'May call tools that do not exist',
  passed: 'Passed',
  failed: 'Failed',
  none: 'Not applicable',
  others: 'Not checked, and why',
} as const
