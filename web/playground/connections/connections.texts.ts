/** Longer than other files: a text and its translations stand in one file. */

export const en = {
  connect: 'Connect to a server',
  connectTo: 'Connect to a server …',
  gatewayPages: 'Pages at your gateway',
  disconnect: 'Disconnect client',
  reconnect: 'Reconnect client',
  anotherClient: 'Open another client',
  kind: 'Connection type',
  kinds: {
    http: 'HTTP server',
    ws: 'WebSocket',
    frame: 'Web page',
  },
  about: {
    gateway:
      'Pages that joined the gateway of “pagemcp dev”. Connect to one, or monitor its messages with assistants.',
    http: 'A server with Streamable HTTP, of any revision. It must allow this page by CORS. “Diagnose” reports what is missing.',
    ws: 'A server with one JSON-RPC message per text frame, subprotocol “mcp”.',
    frame:
      'A page that listens for clients in other windows. It must list the origin of this playground: {origin}',
  },
  url: 'Address',
  headers: 'Headers',
  headersNote:
    'Sent with each request, for example Authorization. They stay in memory and are never stored, shown or shared.',
  headerName: 'Name of header {count}',
  headerValue: 'Value of header {count}',
  addHeader: 'Add header',
  remove: 'Remove',
  badHeader: 'Not a valid header: {name}',
  badUrl: 'The address must begin with {schemes}',
  consent:
    'Connect to {host}? It is not this machine, and receives all that you send, with the headers. Each host needs this confirmation once.',
  refuse: 'Do not connect',
  agree: 'Connect to {host}',
  notAgreed:
    'not connected: {host} is not this machine. Connect from the dialog and confirm the host.',
  go: 'Connect',
  examine: 'Diagnose',
  examining: 'Examining …',
  findings: 'Findings',
  copy: 'Copy',
  servers: 'Servers',
  serverName: 'Name of {url}',
  states: { good: 'Good', note: 'Note', bad: 'Problem' },
  steps: {
    url: 'Address',
    network: 'Network',
    reach: 'Reachable',
    cors: 'CORS',
    auth: 'Sign-in',
    version: 'Revision',
    session: 'Session',
  },
  addLines: 'The server must respond with:',
  doctor: {
    noUrl: 'This is not an address.',
    notHttp: 'The address must begin with http:// or https://.',
    userInfo:
      'Browsers do not send a user name and password from an address. Remove them, and add an Authorization header instead.',
    oldStream:
      'The path ends in /sse. Servers of 2024-11-05 use such a path, and this playground does not support them. Try the path /mcp.',
    noPath: 'The address has no path. Most servers use a path such as /mcp.',
    mixed:
      'This page uses https, so the browser blocks http addresses of other machines. Serve the server over https, or open the playground with “pagemcp dev” on your machine.',
    localNetwork:
      'The server is on your own machine or network. The browser may ask for permission.',
    unreachable:
      'No response. Check that the server is running, the port is right and the certificate is valid. A browser extension or a firewall may block the connection.',
    reachable: 'The server responds.',
    readable: 'The server allows this page to read its responses.',
    noOrigin: 'The server responds, but does not allow this page to read the response.',
    noPreflight:
      'Before the browser sends JSON, it asks for permission with an OPTIONS request. The response must have a status from 200 to 299, without sign-in, and these lines.',
    headersRefused:
      'The server does not allow this page to send: {names}. A “*” does not cover Authorization.',
    sometimes:
      'Each test request succeeds alone, but not all together. Check that the server sends CORS headers with errors too.',
    unauthorized: 'The server requires sign-in (status {status}). Add an Authorization header.',
    tokenFrom:
      'According to {place}, tokens come from {servers}. Get a token there, and add the header “Authorization: Bearer …”.',
    noMetadata:
      'The server does not name a source of tokens at {place}, or does not allow this page to read it.',
    admitted: 'Sign-in is not required, or was accepted.',
    modern: 'The server supports {versions}.',
    classic: 'The server supports {version}, with the handshake of the older revisions.',
    noMcp: 'The server does not seem to support MCP (status {status}): {said}',
    noSession: 'The server works without a session.',
    sessionHidden: 'The server requires its session id, but the browser hides it from this page.',
    session: 'The session works, and was ended.',
    noDelete: 'The session works, but this page is not allowed to end it.',
  },
  gateway: {
    connecting: 'Connecting to the gateway …',
    notPaired:
      'This browser is not paired with a gateway. Start “pagemcp dev” and open the link that it prints, or paste the link here.',
    insecure: 'Pairing with a gateway needs https, or http on localhost.',
    noLink: 'This is not a link of a gateway.',
    otherGateway:
      'This is the link of another gateway, at {url}. This playground connects to {own}.',
    refused:
      'The gateway rejected the link: it was used before or is older than two minutes, or the pairing has ended. Press Enter in its terminal for a new link, and paste it here.',
    closed:
      '{url} did not accept the connection. Check that “pagemcp dev” is running without --watch=false. Only the playground that it serves may monitor.',
    link: 'Link of the gateway',
    pair: 'Use link',
    pages: 'Pages',
    none: 'No page has joined yet. Open a page, for example a demo: it appears here when it joins.',
    add: 'Try your page',
    all: 'All pages',
    away: 'disconnected',
    since: 'since {time}',
    readings: { one: '{count} read, {size}', other: '{count} reads, {size}' },
    connect: 'Connect',
    connectPage: 'Connect to {page}',
    monitor: 'Monitor',
    monitorPage: 'Monitor {page}',
    monitorNote:
      'A monitor shows the messages between assistants and a page as separate clients. It is read-only, and secrets of the protocol are removed.',
    permissions: 'Permissions',
    mayJoin: 'Pages of these origins may join: {origins}',
    mayWatch: 'These origins may monitor: {origins}',
    withToken: 'Assistants need a token, or are started by this user.',
    noToken: 'Every program on this machine may read (--no-token).',
  },
  monitor: {
    of: '{what}, monitor',
    ofBy: '{assistant} and {what}',
  },
  reads: {
    reads: 'Reads',
    size: 'Size',
    by: 'Assistant',
  },
  audit: {
    title: 'Audit log',
    show: 'Show the audit log',
    about:
      'Of the newest {count} requests to the gateway, without contents. The page says why it allows a request, the gateway does not know.',
    none: 'No requests yet. Connect an assistant, or a client here to a page of the gateway.',
    uses: 'Use by assistant and page',
    page: 'Page',
    lists: 'lists of all pages',
    unnamed: 'unnamed',
    calls: 'Tool calls',
    denials: 'Denied',
    last: 'Last use',
    pauseBy: 'Pauses all assistants for an hour:',
    paused: 'All assistants are paused until {time}. This ends it:',
  },
  unreachable:
    '{url} could not be reached, or does not allow this page to read its response. “Diagnose” reports the cause.',
  unauthorized: 'the server rejected the request (status {status}): {challenge}',
  refused: 'the server responded with {status}: {said}',
  noMessage: 'the server responded with status {status} and without a message (type {type})',
  streamEnded: 'the stream ended before the response',
  sessionExpired: 'the session has expired; reconnect to start a new one',
  sessionHidden:
    'the browser hides the session id that the server requires. The server must send “Access-Control-Expose-Headers: Mcp-Session-Id”',
  socketForbidden: 'the browser cannot open {url}: {why}',
  socketRefused: 'the connection to {url} was refused',
  socketLost: 'the connection was lost',
  socketClosed: 'the server closed the connection (code {code})',
  socketClosedWhy: 'the server closed the connection (code {code}): {reason}',
  timeout: '{url} did not respond in time',
  frameClosed: 'the page was closed',
  pageSilent: 'no response from {origin}: the page must list {own} among its origins',
  frameOf: 'Page of {host}',
  fold: 'Fold',
  unfold: 'Unfold',
  closeFrame: 'Close page',
} as const

declare module '../locale/texts.ts' {
  interface English {
    connections: typeof en
  }
}
