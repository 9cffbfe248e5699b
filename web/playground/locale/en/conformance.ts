export const conformance = {
  title: 'Conformance',
  command: 'Check conformance …',
  about:
    'Checks {count} requirements of MCP against {server}, in both eras. It sends reads, lists, subscriptions and malformed messages; the timeline shows them.',
  run: 'Run checks',
  stop: 'Stop',
  mayCall: 'May call tools, with names that do not exist',
  passed: 'Passed',
  failed: 'Failed',
  none: 'Not applicable',
  show: 'Show message',
  others: 'Not checked, and why',
} as const
