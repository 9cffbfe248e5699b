/**
 * Events in the user's language. The English texts are those that are recorded, and the pattern of the translations:
 * event-text.ts.
 */

export const en = {
  note: 'note {id}: {text}',
  tab: 'tab {uri} changed',
  form: 'form {field}: {value}',
  simulation: 'simulation {name}: {value}',
  added: '{count} resources added',
  removed: '{count} resources removed',
  allClosed: 'the server closed all connections',
  burst: 'burst of {count} notifications',
  burstEnd: "burst: {received} came, {omitted} left out by the server's rate limit",
  reloaded: 'page reloaded: the rows above are earlier ones',
  closed: 'closed',
  closedFor: 'closed: {reason}',
  failed: 'failed: {reason}',
  reconnects: 'reconnects',
  notSent: 'not sent: the connection is closed',
  readsOnly: 'not sent: this view only reads',
  retries: 'retries with revision {revision}',
  write: 'write {uri} {text}',
  demoError: 'error in the demo: {reason}',
  resumed: 'stream resumed after event {id}',
  refused: 'stream of the session refused: HTTP {status}',
  ended: 'stream of the session ended; it is opened again',
  cancelled: 'cancelled by closing the stream of the response',
  assistant: 'assistant {name} at {door}',
  leftOut: 'left out the tool {name}: its x-mcp-header is not valid',
  subprotocol: 'opened without the subprotocol mcp',
  binary: 'received a binary frame, which is no message of MCP',
  toApp: 'to the app: {method}',
  fromApp: 'from the app: {method}',
} as const

declare module '../locale/texts.ts' {
  interface English {
    events: typeof en
  }
}
