/** An app with an engine, as users get the package, for tests of what assistants meet. */

/** For the script of a page, before the package is loaded: `kit` sees the question to the user. */
export const kit = `
const attachShadow = Element.prototype.attachShadow
let root
Element.prototype.attachShadow = function (init) {
  root = attachShadow.call(this, init)
  return root
}
window.kit = {
  isAsked: () => document.querySelector('pagemcp-question') !== null,
  text: () => (kit.isAsked() ? root.textContent : ''),
  place(text) {
    const found = [...root.querySelectorAll('button')].find((one) =>
      (one.getAttribute('aria-label') ?? one.textContent).includes(text))
    const { left, top, width, height } = found.getBoundingClientRect()
    return [left + width / 2, top + height / 2]
  },
}
`

/**
 * The module script of the page. Its address has `app` and `access`. `send` is a client, in the era of
 * 2026-07-28, that a gateway would call so.
 */
export const app = `${kit}
const query = new URLSearchParams(location.search)
const { start } = await import('/pagemcp/index.js')
const { testClient } = await import('/test/harness/client.ts')
const policies = { deny: () => 'deny', allow: () => 'allow' }
const access = query.get('access') ?? undefined
window.loaded = () => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/decisions.js'))
window.errors = []
const mcp = start({ name: query.get('app') ?? 'notes', access: policies[access] ?? access })
window.mcp = mcp
mcp.on('error', (error) => errors.push(String(error)))
let texts = 0
mcp.resource('notes://1', { name: 'First' }, () => 'text ' + ++texts)
mcp.resource('notes://2', { name: 'Second' }, () => 'more')
mcp.resource('notes://slow', { name: 'Slow' }, () => new Promise(() => { window.isRunning = true }))
mcp.tool('add', { title: 'Add a note' }, () => 'added')
mcp.tool('count', { annotations: { readOnlyHint: true } }, () => '2')
mcp.tool('wipe', { title: 'Delete all', annotations: { destructiveHint: true } }, () => 'gone')
const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'Some Client', version: '1' } }
const clients = new Map()
const clientOf = (principal) => {
  if (clients.has(principal)) return clients.get(principal)
  const { port1, port2 } = new MessageChannel()
  mcp.accept(port1, { principal })
  clients.set(principal, testClient(port2))
  return clients.get(principal)
}
window.answers = new Map()
/** Sends a request as an assistant; the answer is in answers. */
window.send = (id, who, method, params) => {
  clientOf(who).askModern(method, params, id, meta).then(
    ({ result, error }) => answers.set(id, { ...(result ?? { error }), at: performance.now() }),
    () => {}, // no answer comes to what waits at the end of a test
  )
}
await mcp.ready
window.ready = true`
