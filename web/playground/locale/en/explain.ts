export const explain = {
  request: {
    client: 'A request of the client. The server answers it once, with the same id.',
    server: 'A request of the server. The client answers it once, with the same id.',
  },
  notification: {
    client: 'A notification of the client. It has no id and is never answered.',
    server: 'A notification of the server. It has no id and is never answered.',
  },
  result: 'The answer to {method}: it succeeded.',
  error: 'The answer to {method}: it failed with {code}.',
  stray: 'An answer to a request that is not in this timeline.',
  open: 'No answer has come so far.',
  batch: 'Several messages in one array. MCP has done without them since 2025-06-18.',
  broken: 'This is no message of JSON-RPC: {problem}.',
  world: 'No message: something happened in the world that the server tells of.',
  strange: 'No revision of MCP that is known here has {method}.',
  elsewhere: '{method} is not in {revision}, but in {others}.',
  method: {
    'server/discover':
      'Asks which revisions the server speaks and what it has. Not needed, but usual as the first.',
    initialize: 'The first message: both sides say which revision they speak and what they can.',
    'notifications/initialized': 'Ends the handshake. From now on, requests may go both ways.',
    ping: 'Asks whether the other side is still there. The answer is empty.',
    'resources/list': 'Asks for what can be read, a page at a time.',
    'resources/templates/list': 'Asks for patterns of URIs, for resources that no list could hold.',
    'resources/read': 'Asks for the contents of one resource, as texts or blobs.',
    'resources/subscribe':
      'Asks to be told when one resource changes. The notification says that it has, not how.',
    'resources/unsubscribe': 'Ends a subscription.',
    'subscriptions/listen':
      'Opens a stream of notifications. It stays open, and its id is the name of the subscription.',
    'notifications/subscriptions/acknowledged':
      'The first message of a subscription: the part of what was asked for that is granted.',
    'notifications/resources/updated':
      'A resource has changed. Whoever wants the new contents reads it.',
    'notifications/resources/list_changed':
      'Resources have come or gone. Whoever wants the new list asks for it.',
    'prompts/list': 'Asks for ready-made messages, a page at a time.',
    'prompts/get': 'Asks for one ready-made message, with its arguments filled in.',
    'notifications/prompts/list_changed':
      'Prompts have come or gone. Whoever wants the new list asks for it.',
    'tools/list': 'Asks for what the server can do, a page at a time.',
    'tools/call':
      'Asks the server to do something. A tool that fails says so in its result, not by an error.',
    'notifications/tools/list_changed':
      'Tools have come or gone. Whoever wants the new list asks for it.',
    'completion/complete': 'Asks what could be meant, while somebody fills in an argument.',
    'logging/setLevel': 'Says from which level on log messages are wanted.',
    'notifications/message': 'A log message of the server.',
    'notifications/cancelled':
      'A request is no longer wanted. Its answer may still come, if it was under way.',
    'notifications/progress':
      'Says how far a request has come that asked for it by a progressToken.',
    'sampling/createMessage': 'Asks the client’s language model. A person should see it first.',
    'elicitation/create': 'Asks the user, by a form or a page. The user may decline.',
    'notifications/elicitation/complete': 'What a page was opened for is done.',
    'roots/list': 'Asks which folders the client works in.',
    'notifications/roots/list_changed': 'The client’s folders have changed.',
    'tasks/list': 'Asks for the requests that run as tasks.',
    'tasks/get': 'Asks how a task stands.',
    'tasks/result': 'Asks for the result of a task, and waits for it.',
    'tasks/cancel': 'Ends a task before it is done.',
    'notifications/tasks/status': 'A task stands otherwise than before.',
  },
  code: {
    '-32700': 'Parse error: what arrived is no JSON.',
    '-32600': 'Invalid request: it is JSON, but no message.',
    '-32601': 'Method not found: the server does not have it.',
    '-32602': 'Invalid params: the method is there, but not for these params.',
    '-32602 2026-07-28':
      'Invalid params. In 2026-07-28 this is also said of a resource that does not exist, and of a request without its envelope.',
    '-32603':
      'Internal error: the request was right, the server failed. What exactly happened stays inside.',
    '-32002':
      'Resource not found. Only revisions up to 2025-11-25 have this code; 2026-07-28 says -32602.',
    '-32042': 'A page has to be visited first. Only 2025-11-25 has this code.',
    '-32020':
      'Header mismatch: a header of the HTTP request is missing, or differs from the message.',
    '-32021':
      'A capability is missing that this request needs the client to have. Each request declares them anew.',
    '-32022': 'The server does not speak the revision that the request is written in.',
    reserved: 'This code is reserved for JSON-RPC and MCP; neither has given it a meaning here.',
    own: 'A code of the server’s own.',
  },
  cause: {
    nearest: 'Likely cause: nothing is called {asked}. Did you mean {nearest}?',
    unlisted: 'Likely cause: the server lists no {asked}.',
    nearestMethod: 'Likely cause: a slip in {asked}. Did you mean {nearest}?',
    elsewhere: 'Likely cause: {method} is not in {revision}.',
    capability: 'Likely cause: the server did not declare {capability}.',
    missing: 'Likely cause: {member} is missing.',
    type: 'Likely cause: {member} should be {type}.',
    json: 'Likely cause: {problem}.',
    jsonrpc: 'Likely cause: the member jsonrpc is missing or is not "2.0".',
    id: 'Likely cause: an id is a text or an integer, nothing else.',
    batch: 'Likely cause: several messages in one array.',
    cursor:
      'Likely cause: this server did not give out that cursor, or it is from before a change.',
    version: '{requested} was asked for. The server speaks {supported}.',
    ability: 'The envelope would have to declare {ability}.',
    visit: 'The page to visit: {url}',
    headers:
      'Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with method, name or URI, and _meta.',
  },
  hint: {
    unknownId: 'No request with this id is open.',
    duplicateId: 'A request with this id is still open.',
    afterCancel: 'The request was cancelled before this answer came.',
    unsubscribed: 'Nobody asked for this notification.',
    version: 'The envelope says {said}; this client uses {spoken}.',
    notObject: 'A message is an object.',
    jsonrpc: 'The member jsonrpc has to be "2.0".',
    idType: 'An id is a text or an integer.',
    both: 'An answer has either a result or an error.',
    method: '{revision} has no {method}.',
    missing: '{member} is missing.',
    type: '{member} should be {type}.',
    value: '{member} should be {value}.',
    range: '{member} is out of range: {limit}.',
    schema: '{member} fits none of the forms that are allowed there.',
    code: '{revision} does not have the code {code}.',
    json: 'This is no JSON: {problem}',
  },
  change: {
    none: 'Nothing had to change.',
    broken: 'What is no JSON stays as it is.',
    envelope:
      'The request now carries its envelope in params._meta: each one says its revision and its capabilities.',
    noEnvelope: 'The envelope is gone: the handshake said it once for all.',
    version: '{member} is now {to}.',
    discover: 'initialize became server/discover: there is no handshake in 2026-07-28 (changelog).',
    initialize:
      'server/discover became initialize, the handshake of the older revisions. notifications/initialized has to follow.',
    listen:
      'resources/subscribe became subscriptions/listen with a filter: removed in 2026-07-28 (changelog).',
    subscribe: 'subscriptions/listen became resources/subscribe, which is for one resource.',
    onlyFirst: 'Only the first URI is in it: each needs a request of its own.',
    unasked: 'Older revisions send list_changed without being asked.',
    unsubscribe:
      'resources/unsubscribe was removed in 2026-07-28 (changelog): cancel the listen request instead.',
    ping: 'ping was removed in 2026-07-28 (changelog): any request will do.',
    setLevel:
      'logging/setLevel was removed in 2026-07-28 (changelog): the level is in the envelope of each request.',
    initialized:
      'notifications/initialized was removed in 2026-07-28 (changelog): nothing has to be said first.',
    inside:
      '{method} was removed as a message in 2026-07-28 (changelog): a result that needs input asks it.',
    removed: '{method} is not in {to}.',
    retry: 'inputResponses and requestState are gone: they are in 2026-07-28 only.',
  },
} as const
