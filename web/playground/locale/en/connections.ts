export const connections = {
  connect: 'Connect to a server',
  connectTo: 'Connect to a server …',
  disconnect: 'Disconnect this client',
  reconnect: 'Connect this client again',
  anotherClient: 'Another client of the same server',
  kind: 'What to connect to',
  kinds: {
    gateway: 'Pages at your gateway',
    http: 'HTTP server',
    ws: 'WebSocket',
    frame: 'Web page',
    mcpB: 'Page with @mcp-b',
  },
  about: {
    gateway:
      'Pages that have joined the gateway of “pagemcp dev”: ask them, or look on while an assistant does.',
    http: 'A server that speaks Streamable HTTP, of any revision. It has to allow this page by CORS; the examination says what is missing.',
    ws: 'A server with one JSON-RPC message per text frame, subprotocol “mcp”.',
    frame:
      'A page that listens for clients in other windows. It has to list the origin of this playground: {origin}',
    mcpB: 'A page that serves by IframeChildTransport of @mcp-b/transports. Leave the address empty for a script in this very window.',
  },
  url: 'Address',
  where: 'Open the page in',
  inFrame: 'a frame',
  inWindow: 'a window of its own',
  headers: 'Headers',
  headersNote:
    'Sent with every request, such as Authorization. They stay in memory: they are not stored, shown or shared.',
  headerName: 'Name of header {count}',
  headerValue: 'Value of header {count}',
  addHeader: 'Add a header',
  remove: 'Remove',
  badHeader: 'This is no header: {name}',
  badUrl: 'This is no address that begins with {schemes}',
  consent:
    'Connect to {host}? It is not this machine: what you send, with its headers, goes there. You are asked once for each host.',
  refuse: 'Do not connect',
  agree: 'Connect to {host}',
  notAgreed: '{host} is not this machine: connect to it from the dialog first, which asks.',
  go: 'Connect',
  examine: 'Examine',
  examining: 'Examining …',
  findings: 'What was found',
  copy: 'Copy',
  copied: 'Copied',
  recent: 'Used before',
  forget: 'Forget these',
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
  addLines: 'The server has to answer with:',
  doctor: {
    noUrl: 'This is not an address.',
    notHttp: 'The address has to begin with http:// or https://.',
    userInfo:
      'Browsers send no user name and password from an address. Take them out, and add a header Authorization instead.',
    oldStream:
      'The path ends in /sse: that is how servers of 2024-11-05 were reached, which is not spoken here. Try the path /mcp.',
    noPath: 'The address has no path. Most servers answer at a path such as /mcp.',
    mixed:
      'This page came by https, and browsers do not let it ask an http address of another machine. Serve it by https, or open the playground by “pagemcp dev” on your machine.',
    localNetwork:
      'The server is on your own machine or network. Your browser may ask you whether this page may reach it.',
    unreachable:
      'Nobody answers. Is the server running, is the port right, is its certificate valid? A browser extension or a firewall may block it as well.',
    reachable: 'Somebody answers.',
    readable: 'The server lets this page read its answers.',
    noOrigin: 'Somebody answers, but does not say that this page may read it.',
    noPreflight:
      'Before it sends JSON, the browser asks by OPTIONS whether it may. That question was not answered well: it needs a status from 200 to 299, without sign-in, and these lines.',
    headersRefused:
      'The server does not let this page send: {names}. A “*” does not cover Authorization.',
    sometimes:
      'Each question alone was answered, all together were not. Does the server send its CORS headers with errors too?',
    unauthorized:
      'The server wants to know who you are (status {status}). Add a header Authorization.',
    tokenFrom:
      'Tokens are given by {servers}, says {place}. Get one there, and add the header “Authorization: Bearer …”.',
    noMetadata:
      'Where to get a token, the server does not say at {place}, or does not let this page read it.',
    admitted: 'No sign-in was asked for, or yours was taken.',
    modern: 'It speaks {versions}.',
    classic: 'It speaks {version}, with the handshake of the older revisions.',
    noMcp: 'What answers there does not seem to be MCP (status {status}): {said}',
    noSession: 'It works without a session.',
    sessionHidden:
      'The server wants the id of its session back, but the browser does not show it to this page.',
    session: 'The session works, and was ended.',
    noDelete: 'The session works, but this page may not end it.',
  },
  gateway: {
    looking: 'Looking for the gateway …',
    notInvited:
      'This browser is not paired with a gateway. Start “pagemcp dev” and open the link that it prints, or paste that link here.',
    insecure: 'Pairing with a gateway needs https, or http on localhost.',
    noLink: 'This is no link of a gateway.',
    otherGateway:
      'This is the link of another gateway, at {url}. This playground connects to {own}.',
    refused:
      'The gateway refused: the link was used before or is older than two minutes, or the pairing has ended. Press Enter in its terminal for a new link, and paste it here.',
    closed:
      '{url} did not take the connection. Is “pagemcp dev” running, without --watch=false? Only the playground that it serves itself may look on.',
    link: 'Link of the gateway',
    pair: 'Use this link',
    pages: 'Pages',
    none: 'No page has joined yet. Open one, such as a demo: it is listed here as soon as it joins.',
    all: 'All pages',
    away: 'away',
    since: 'since {time}',
    readings: { one: '{count} read, {size}', other: '{count} reads, {size}' },
    ask: 'Connect',
    askPage: 'Connect to {page}',
    monitor: 'Look on',
    monitorPage: 'Look on at {page}',
    monitorNote:
      'Looking on shows what assistants and a page say to each other, as clients of their own. Nothing can be sent there, and secrets of the protocol are withheld.',
    may: 'Who may do what',
    mayJoin: 'Pages of these origins may join: {origins}',
    mayWatch: 'These origins may look on: {origins}',
    withToken: 'Assistants show a token, or are started by this user.',
    noToken: 'Every program on this machine may read (--no-token).',
  },
  tap: {
    of: '{what}, looking on',
    ofBy: '{assistant} and {what}',
  },
  reads: {
    title: 'What assistants saw',
    none: 'Nothing since the playground looks on.',
    resource: 'Resource',
    reads: 'Reads',
    size: 'Size',
    by: 'By',
    secretValue:
      'There seems to be a key or token in it. Take it out where it is published, or by redact().',
    secretNames:
      'These names sound like secrets: {names}. Take them out where it is published, or by redact().',
  },
  unreachable:
    '{url} could not be reached, or does not let this page read its answer. “Examine” finds out which.',
  unauthorized: 'the server refused (status {status}): {challenge}',
  refused: 'the server answered {status}: {said}',
  noMessage: 'the server answered with status {status} and no message (type {type})',
  streamEnded: 'the stream ended before the answer came',
  sessionExpired: 'the session has expired; connect again to begin another',
  sessionHidden:
    'the server wants its session id, which the browser hides: it has to send “Access-Control-Expose-Headers: Mcp-Session-Id”',
  socketForbidden: 'the browser does not open {url}: {why}',
  socketRefused: 'nobody took the connection at {url}',
  socketLost: 'the connection was lost',
  socketClosed: 'the server closed the connection (code {code})',
  socketClosedWhy: 'the server closed the connection (code {code}): {reason}',
  timeout: '{url} did not answer in time',
  mcpBHere: 'This window (@mcp-b)',
  closedBefore: 'closed before anybody answered',
  serverStopped: 'the server has stopped',
  nobodyAnswers: 'no server of @mcp-b answers at {origin}, channel {channel}',
  frameClosed: 'the page was closed',
  popupBlocked: 'the browser did not open a window: allow pop-ups for this page',
  pageSilent: 'no answer from {origin}: the page has to list {own} among its origins',
  frameOf: 'Page of {host}',
  fold: 'Fold',
  unfold: 'Unfold',
  closeFrame: 'Close the page',
} as const
