// The page of the demo. It needs no build: the package is served at /pagemcp/.
import { start } from '/pagemcp/index.js'

const element = (id) => document.getElementById(id)

const { user, gateway, mcp: endpoint } = await (await fetch('/demo.json')).json()
if (user === '') location.assign('/login')
else await serve()

async function serve() {
  element('user').textContent = user
  element('mcp').textContent = endpoint
  const list = element('list')
  const lines = () => list.value.split('\n').filter((line) => line.trim() !== '')

  const mcp = await start({ name: 'shop', title: 'Shopping list' })
  mcp.resource('shop://list', { name: 'Shopping list', mimeType: 'text/plain' }, () => list.value)
  mcp.resource('shop://count', { name: 'Number of items' }, () => ({ user, items: lines().length }))
  const changed = () => {
    mcp.changed('shop://list')
    mcp.changed('shop://count')
  }
  list.addEventListener('input', changed)
  mcp.prompt('plan', { description: 'Plans a meal from the list' }, () => `Plan a meal from: ${lines().join(', ')}`)
  mcp.tool('add', { description: 'Adds an item to the list',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } }, ({ item }) => {
      list.value = [...lines(), item].join('\n')
      changed()
      return `${item} is on the list.`
    })

  mcp.on('state', () => {
    const state = mcp.state.gateways.at(-1)
    element('state').textContent = state?.is === 'joined' ? `joined as ${state.name}` : (state?.is ?? '')
    Object.assign(element('state').dataset, { is: state?.is ?? '', name: state?.name ?? '' })
  })
  const token = async () => {
    const response = await fetch('/pagemcp-token', { method: 'POST' })
    if (!response.ok) throw new Error(`no token: ${response.status}`)
    return response.text()
  }
  await mcp.connect(gateway, { token }).joined.catch((error) => {
    element('state').textContent = `${error.reason ?? ''}: ${error.message}`
  })
}
