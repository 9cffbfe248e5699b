/** The resources, prompts and tools of the demo. */

import {
  type Content,
  idb,
  type PageMcp,
  type ReadRequest,
  type Resource,
  type ResourceOptions,
  type ResourcesOptions,
  type Template,
  ToolError,
  tabs,
} from 'pagemcp'
import { titled } from './contents.ts'
import { database, type Notes, storeName } from './notes.ts'
import { logo, logoPng, screenshot } from './pictures.ts'
import { simulateFaults } from './simulation.ts'
import { fakeTabs } from './tabs.ts'

/** Length of the large list. */
export const bigList = 10_000

export type FieldValue = string | boolean | number

export interface Form {
  [field: string]: FieldValue
}

/** The data of the resources, besides notes and tabs. */
export interface DemoData {
  notes: Notes
  form(): Form
  setField(name: string, value: string): void
}

/** Registers all of it on an engine. */
export function serve(mcp: PageMcp, things: DemoData): void {
  const { notes } = things
  const read =
    (provide: (request: ReadRequest) => Content | Promise<Content>) =>
    async (request: ReadRequest) => {
      await simulateFaults(request.signal)
      return provide(request)
    }
  const resource = (
    description: Resource & ResourceOptions,
    provide: () => Content | Promise<Content>,
  ) => mcp.resource(description.uri, description, read(provide))
  const template = (
    description: Template & Pick<ResourcesOptions, 'cache' | 'complete'>,
    provide: (variables: Record<string, string>) => Content | Promise<Content>,
  ) =>
    mcp.resources(description.uriTemplate, {
      ...description,
      async read(variables, request) {
        await simulateFaults(request.signal)
        return provide(variables)
      },
    })

  serveNotes(mcp, notes, resource, template)
  serveTabs(resource, template)
  resource(
    { uri: 'clock://now', name: 'now', title: titled('Clock'), mimeType: 'application/json' },
    () => ({ iso: new Date().toISOString(), ms: Date.now() }),
  )
  resource(
    {
      uri: 'form://checkout',
      name: 'checkout',
      title: titled('Checkout form'),
      description: 'The current values of the form.',
      mimeType: 'application/json',
      annotations: { audience: ['assistant'], priority: 0.9 },
    },
    things.form,
  )
  resource(
    { uri: 'media://logo.svg', name: 'logo.svg', title: 'Logo', mimeType: 'image/svg+xml' },
    () => logo,
  )
  resource(
    { uri: 'media://logo.png', name: 'logo.png', title: 'Logo (PNG)', mimeType: 'image/png' },
    logoPng,
  )
  template(
    {
      uriTemplate: 'data://big/{n}',
      name: 'big',
      title: titled('An entry of the large list'),
      mimeType: 'text/plain',
      cache: { ttlMs: 60_000, scope: 'public' },
      complete: { n: ['1', '10', '100', '1000', '10000'] },
    },
    ({ n }) => {
      const number = Number(n)
      return Number.isInteger(number) && number > 0 && number <= bigList ? `Number ${n}` : undefined
    },
  )
  // Real data of the browser, by the sources that every app may mount.
  mcp.mount(tabs({ text: false }))
  mcp.mount(idb({ databases: { [database]: { [storeName]: { name: 'id' } } } }))
  serveTools(mcp, things)
  serveApp(mcp, things)
}

type OwnRead = (
  description: Resource & ResourceOptions,
  provide: () => Content | Promise<Content>,
) => () => void
type OwnFill = (
  description: Template & Pick<ResourcesOptions, 'cache' | 'complete'>,
  provide: (variables: Record<string, string>) => Content | Promise<Content>,
) => () => void

function serveNotes(mcp: PageMcp, notes: Notes, resource: OwnRead, template: OwnFill) {
  const ids = () => notes.all().map(({ id }) => id)
  resource(
    {
      uri: 'notes://today',
      name: 'today',
      title: titled('Today'),
      description: 'The shopping list. The demo changes it at intervals.',
      mimeType: 'text/plain',
      annotations: { audience: ['user', 'assistant'], priority: 1 },
    },
    () => notes.get('today')?.text,
  )
  resource(
    {
      uri: 'notes://ideas',
      name: 'ideas',
      title: titled('Ideas'),
      mimeType: 'text/markdown',
      annotations: { audience: ['user'], priority: 0.5 },
    },
    () => notes.get('ideas')?.text,
  )
  template(
    {
      uriTemplate: 'notes://{id}',
      name: 'note',
      title: titled('A note'),
      complete: { id: ids },
    },
    ({ id }) => notes.get(String(id))?.text,
  )
  template(
    {
      uriTemplate: 'search://notes{?q,limit}',
      name: 'search',
      title: titled('Search in notes'),
      mimeType: 'application/json',
      complete: { q: ['milk', 'map', 'station'], limit: ['1', '5', '10'] },
    },
    ({ q = '', limit = '10' }) =>
      notes
        .all()
        .filter(({ text }) => text.toLowerCase().includes(String(q).toLowerCase()))
        .slice(0, Number(limit) || 10),
  )
  mcp.prompt(
    'shopping',
    {
      title: titled('Shopping list'),
      description: 'Asks a model what to buy, with the note embedded in the message.',
      arguments: [{ name: 'note', description: 'Id of the note', required: true }],
      complete: { note: ids },
    },
    ({ note = '' }) => {
      const found = notes.get(note)
      if (found === undefined) throw new ToolError(`The note ${note} does not exist.`)
      return [
        { role: 'user', content: { type: 'text', text: 'What do I still have to buy?' } },
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: `notes://${note}`, mimeType: 'text/plain', text: found.text },
          },
        },
      ]
    },
  )
}

function serveTabs(resource: OwnRead, template: OwnFill) {
  for (const { id } of fakeTabs.peek()) {
    const tab = () => fakeTabs.peek().find((one) => one.id === id)
    resource(
      { uri: `tab://${id}`, name: id, title: `Tab: ${id}`, mimeType: 'application/json' },
      tab,
    )
    resource(
      {
        uri: `tab://${id}/screenshot`,
        name: `${id}-screenshot`,
        title: `Screenshot of the tab: ${id}`,
        mimeType: 'image/png',
      },
      () => {
        const shown = tab()
        return shown && screenshot(shown.title, shown.url, shown.text)
      },
    )
  }
  template(
    {
      uriTemplate: 'tab://{id}/text',
      name: 'tab-text',
      title: titled('Text of a tab'),
      mimeType: 'text/plain',
      complete: { id: fakeTabs.peek().map(({ id }) => id) },
    },
    ({ id }) => fakeTabs.peek().find((one) => one.id === id)?.text,
  )
}

function serveTools(mcp: PageMcp, { notes, setField }: DemoData) {
  mcp.tool(
    'write_note',
    {
      title: titled('Write a note'),
      description: 'Replaces the text of a note, or creates the note.',
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', minLength: 1, description: 'Id of the note, for example today' },
          text: { type: 'string' },
        },
        required: ['id', 'text'],
      },
    },
    async (input) => {
      const { id, text } = input as { id: string; text: string }
      await notes.put(id, text)
      return `Wrote ${text.length} characters to notes://${id}.`
    },
  )
  mcp.tool(
    'remove_note',
    {
      title: titled('Remove a note'),
      description: 'Removes a note after the user confirms.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', minLength: 1 } },
        required: ['id'],
      },
    },
    async (input, { ask }) => {
      const { id } = input as { id: string }
      if (notes.get(id) === undefined) throw new ToolError(`The note ${id} does not exist.`)
      await ask(`Remove the note ${id}?`)
      await notes.remove(id)
      return `Removed notes://${id}.`
    },
  )
  mcp.tool(
    'fill_form',
    {
      title: titled('Fill in the checkout form'),
      description: 'Sets one field of the form in the page.',
      inputSchema: {
        type: 'object',
        properties: {
          field: { type: 'string', enum: ['name', 'street', 'city'] },
          value: { type: 'string' },
        },
        required: ['field', 'value'],
      },
    },
    (input) => {
      const { field, value } = input as { field: string; value: string }
      setField(field, value)
      return `Set ${field} to ${value}.`
    },
  )
  mcp.tool(
    'count',
    {
      title: titled('Count with progress'),
      description: 'Sends a progress notification for each number, without a delay.',
      inputSchema: {
        type: 'object',
        properties: { to: { type: 'integer', minimum: 1, maximum: bigList } },
        required: ['to'],
      },
    },
    async (input, { progress, signal }) => {
      const { to } = input as { to: number }
      for (let i = 1; i <= to && !signal.aborted; i++) {
        progress(i, to)
        if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve)) // let other tasks run
      }
      return `Counted to ${to}.`
    },
  )
}

/** An MCP app, and the tool that shows it. */
function serveApp(mcp: PageMcp, { notes }: DemoData) {
  const uri = 'ui://notes/note.html'
  mcp.resource(
    uri,
    { name: 'note-app', title: 'Note (app)', mimeType: 'text/html;profile=mcp-app' },
    async () => (await fetch(new URL('apps/note.html', document.baseURI))).text(),
  )
  mcp.tool(
    'show_note',
    {
      title: titled('Show a note'),
      description: 'Shows a note in an MCP app, where the user can edit it.',
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: uri } },
    },
    (input) => {
      const { id } = input as { id: string }
      return notes.get(id)?.text ?? `The note ${id} does not exist.`
    },
  )
}
