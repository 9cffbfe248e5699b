/** What assistants may do in two apps, and each method with the right that it needs: for tests of each way to a page. */

/** What the assistants may do in the two apps. */
export const rights = {
  notes: { reader: ['read'], actor: ['read', 'act'], stranger: [], denied: [] },
  mail: { reader: [], actor: ['act'], stranger: [], denied: ['read', 'act'] },
} as const
export const assistants = ['reader', 'actor', 'stranger', 'denied'] as const

export interface Row {
  readonly method: string
  readonly params?: object
  /** A part of the answer to those who may. */
  readonly want: string
  readonly right: 'read' | 'act' | 'any'
  readonly era?: 'classic' | 'modern'
}
const reference = { type: 'ref/resource', uri: 'note:x/{id}' }
export const rows: readonly Row[] = [
  { method: 'resources/list', want: '"uri":"note:a"', right: 'read' },
  { method: 'resources/templates/list', want: 'note:x/{id}', right: 'read' },
  { method: 'resources/read', params: { uri: 'note:a' }, want: 'secret', right: 'read' },
  { method: 'resources/read', params: { uri: 'note:x/7' }, want: 'seven', right: 'read' },
  {
    method: 'resources/subscribe',
    params: { uri: 'note:a' },
    want: 'result',
    right: 'read',
    era: 'classic',
  },
  {
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['note:a'] } },
    want: '["note:a"]',
    right: 'read',
    era: 'modern',
  },
  {
    method: 'completion/complete',
    params: { ref: reference, argument: { name: 'id', value: '' } },
    want: 'suggested',
    right: 'read',
  },
  { method: 'prompts/list', want: '"name":"ask"', right: 'read' },
  { method: 'prompts/get', params: { name: 'ask' }, want: 'question', right: 'read' },
  { method: 'tools/list', want: '"name":"act"', right: 'any' },
  { method: 'tools/call', params: { name: 'look' }, want: 'looked', right: 'read' },
  { method: 'tools/call', params: { name: 'act' }, want: 'acted', right: 'act' },
  { method: 'skills/list', want: 'skill://s/SKILL.md', right: 'read', era: 'modern' },
  {
    method: 'skills/get',
    params: { uri: 'skill://s/SKILL.md' },
    want: 'skill',
    right: 'read',
    era: 'modern',
  },
  { method: 'acme/do', params: { a: 1 }, want: 'extended', right: 'act', era: 'modern' },
]

/** The script of such an app; its address has `app` and `access`. */
export const policyApp = `
const query = new URLSearchParams(location.search)
const { start } = await import('/pagemcp/index.js')
const mcp = await start({ name: query.get('app'), access: query.get('access'), extensions: { 'com.acme/ext': {} } })
window.mcp = mcp
mcp.resource({ uri: 'note:a', name: 'a' }, () => 'secret')
mcp.template({ uriTemplate: 'note:x/{id}', name: 'x', complete: { id: () => ['suggested'] } }, () => 'seven')
mcp.prompt({ name: 'ask' }, () => 'question')
mcp.tool({ name: 'look', annotations: { readOnlyHint: true } }, () => 'looked')
mcp.tool({ name: 'act' }, () => 'acted')
mcp.skill({ name: 's', description: 'A skill.' }, 'Do it.')
mcp.method('acme/do', () => ({ extended: true }))
`

/** Whether an answer is one for those who may not: a list without the entry, or an error with the reason. */
export const isRefusal = (method: string, answer: string): boolean =>
  method.endsWith('/list') || method.includes('listen') || answer.includes('"declined"')
