/** Longer than other files: a text and its translations stand in one file. */

export const en = {
  request: {
    client: 'A request of the client. The server sends one response with the same id.',
    server: 'A request of the server. The client sends one response with the same id.',
  },
  notification: {
    client: 'A notification of the client. It has no id and gets no response.',
    server: 'A notification of the server. It has no id and gets no response.',
  },
  result: 'The response to {method}: success.',
  error: 'The response to {method}: error {code}.',
  verdict:
    'The response to the malformed message: error {code}. It cannot have the id of that message.',
  stray: 'A response to a request that is not in this timeline.',
  open: 'No response yet.',
  failed:
    'The response to {method}: the tool ran and failed (`isError`). A model sees this text and can correct its call.',
  input:
    'The response to {method}: the server needs input first. The client sends the request again with the input.',
  task: 'The response to {method}: the request goes on as a task, and its result comes later.',
  cancelled: 'This request was cancelled.',
  unanswered: 'No response will come: the connection closed or failed.',
  batch: 'Several messages in one array. MCP removed batches in 2025-06-18.',
  broken: 'This is not a JSON-RPC message: {problem}.',
  world: 'Not a message: an event of the demo or of a connection.',
  strange: 'No known revision of MCP has {method}.',
  elsewhere: '{method} is not in {revision}, but in {others}.',
  method: {
    'server/discover':
      'Requests the revisions and capabilities of the server. Optional, but usually the first request.',
    initialize: 'The first message: client and server exchange revision and capabilities.',
    'notifications/initialized': 'Ends the handshake. From now on, both sides may send requests.',
    ping: 'Checks whether the other side responds. The response is empty.',
    'resources/list': 'Requests one page of the list of resources.',
    'resources/templates/list':
      'Requests one page of the list of resource templates: patterns of URIs.',
    'resources/read': 'Requests the contents of one resource, as texts or blobs.',
    'resources/subscribe':
      'Subscribes to one resource. A notification says that it changed, without the new contents.',
    'resources/unsubscribe': 'Ends a subscription.',
    'subscriptions/listen':
      'Opens a stream of notifications. It stays open, and its id identifies the subscription.',
    'notifications/subscriptions/acknowledged':
      'The first message of a subscription: the granted part of its filter.',
    'notifications/resources/updated': 'A resource has changed. Read it for the new contents.',
    'notifications/resources/list_changed':
      'The list of resources has changed. Request the list again for the new one.',
    'prompts/list': 'Requests one page of the list of prompts.',
    'prompts/get': 'Requests one prompt, with its arguments filled in.',
    'notifications/prompts/list_changed':
      'The list of prompts has changed. Request the list again for the new one.',
    'tools/list': 'Requests one page of the list of tools.',
    'tools/call': 'Calls a tool. A tool that fails says so in its result, not with an error.',
    'notifications/tools/list_changed':
      'The list of tools has changed. Request the list again for the new one.',
    'completion/complete': 'Requests completions of an argument, with the values filled in so far.',
    'logging/setLevel': 'Sets the lowest level of log messages to send.',
    'notifications/message': 'A log message of the server.',
    'notifications/cancelled':
      'Cancels a request. Its response may still arrive if it was already sent.',
    'notifications/progress': 'Reports the progress of a request that has a progressToken.',
    'sampling/createMessage':
      'Requests a completion of the client’s language model. A person should approve it first.',
    'elicitation/create':
      'Requests input from the user, by a form or a page. The user may decline.',
    'notifications/elicitation/complete': 'The user has finished on the page that was opened.',
    'roots/list': 'Requests the folders in which the client works.',
    'notifications/roots/list_changed': 'The client’s folders have changed.',
    'tasks/list': 'Requests the list of tasks.',
    'tasks/get': 'Requests the state of a task.',
    'tasks/result': 'Requests the result of a task, and waits for it.',
    'tasks/cancel': 'Cancels a task.',
    'notifications/tasks/status': 'The state of a task has changed.',
    'tasks/update': 'Responds to requests for input of a task.',
    'notifications/tasks': 'The state of a task has changed. The notification has the whole state.',
    'skills/list': 'Requests one page of the list of skills.',
    'skills/get': 'Requests the entry of one skill.',
  },
  code: {
    '-32700': 'Parse error: the message is not JSON.',
    '-32600': 'Invalid request: valid JSON, but not a message.',
    '-32601': 'Method not found: the server does not support it.',
    '-32602': 'Invalid params: the method exists, but does not accept these params.',
    '-32602 2026-07-28':
      'Invalid params. In 2026-07-28 also for a resource that does not exist, and for a request without its envelope.',
    '-32603': 'Internal error: the request is valid, the server failed. Servers hide the details.',
    '-32002':
      'Resource not found. Only revisions up to 2025-11-25 have this code; 2026-07-28 uses -32602.',
    '-32042': 'The user must visit a page first. Only 2025-11-25 has this code.',
    '-32020': 'Header mismatch: an HTTP header is missing, or differs from the message.',
    '-32021':
      'The client lacks a capability for this request. Each request declares the capabilities again.',
    '-32022': 'The server does not support the revision of the request.',
    reserved: 'JSON-RPC and MCP reserve this code without a meaning here.',
    own: 'A code that the server defines.',
  },
  cause: {
    nearest: 'Likely cause: {asked} does not exist. Did you mean {nearest}?',
    unlisted: 'Likely cause: the server does not list {asked}.',
    nearestMethod: 'Likely cause: a typo in {asked}. Did you mean {nearest}?',
    elsewhere: 'Likely cause: {method} is not in {revision}.',
    capability: 'Likely cause: the server did not declare {capability}.',
    cursor: 'Likely cause: the cursor is from another server, or from before a change.',
    version: 'Requested: {requested}. The server supports {supported}.',
    ability: 'The envelope must declare {ability}.',
    visit: 'The page to visit: {url}',
    headers:
      'Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with method, name or URI, and _meta.',
  },
  hint: {
    unlisted: 'The server does not list {asked}.',
    unlistedNear: 'The server does not list {asked}. Did you mean {nearest}?',
    unknownId: 'No open request has this id.',
    duplicateId: 'A request with this id is still open.',
    afterCancel: 'The request was cancelled before this response.',
    unsubscribed: 'No subscription covers this notification.',
    version: 'The envelope says {said}; this client uses {spoken}.',
    notObject: 'A message must be an object.',
    jsonrpc: 'jsonrpc must be "2.0".',
    idType: 'An id must be a string or an integer.',
    both: 'A response must have either result or error, not both.',
    method: '{revision} has no {method}.',
    missing: '{member} is missing.',
    type: '{member} should be {type}.',
    value: '{member} should be {value}.',
    range: '{member} is out of range: {limit}.',
    schema: '{member} matches none of the allowed forms.',
    code: '{revision} does not have the code {code}.',
    json: 'Not valid JSON: {problem}',
  },
  change: {
    none: 'No changes were necessary.',
    broken: 'Text that is not JSON is unchanged.',
    envelope:
      'The request now has an envelope in params._meta, with its revision and capabilities.',
    noEnvelope: '`_meta` removed: `initialize` already sent it.',
    version: '{member} is now {to}.',
    discover: 'initialize became server/discover: 2026-07-28 has no handshake (changelog).',
    initialize:
      'server/discover became initialize, the handshake of the older revisions. notifications/initialized must follow.',
    listen:
      'resources/subscribe, removed in 2026-07-28 (changelog), became subscriptions/listen with a filter.',
    subscribe: 'subscriptions/listen became resources/subscribe, which takes one resource.',
    onlyFirst: 'It contains only the first URI: each further one needs its own request.',
    unasked: 'Older revisions send list_changed without a subscription.',
    unsubscribe:
      'resources/unsubscribe was removed in 2026-07-28 (changelog): cancel the listen request instead.',
    ping: 'ping was removed in 2026-07-28 (changelog): any request replaces it.',
    setLevel:
      'logging/setLevel was removed in 2026-07-28 (changelog): the envelope of each request has the level.',
    initialized:
      'notifications/initialized was removed in 2026-07-28 (changelog): there is no handshake.',
    inside:
      '{method} is no longer a message of its own in 2026-07-28 (changelog): a result that needs input contains it.',
    removed: '{method} is not in {to}.',
    retry: 'inputResponses and requestState are removed: only 2026-07-28 has them.',
  },
} as const

declare module '../locale/texts.ts' {
  interface English {
    explain: typeof en
  }
}
