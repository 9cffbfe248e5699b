export const en = {
  accept: 'Accept',
  decline: 'Decline',
  visit: 'Open {host}',
  notWeb: 'Not a web address, so it is not opened: {url}',
  text: 'Response as the model',
  model: 'Model',
  addRoot: 'Add root',
  capabilities: 'Client capabilities',
  declare: 'Declare {ability} and send again',
} as const

declare module '../locale/texts.ts' {
  interface English {
    answers: typeof en
  }
}
