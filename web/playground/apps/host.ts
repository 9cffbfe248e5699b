/**
 * The host's side of MCP Apps 2026-01-26: the dialect of JSON-RPC that an app speaks to the page that shows it.
 * The app is hostile until shown otherwise: it gets what is below, and anything with an effect is asked for.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps
 */

import type { Reply } from '../connections/session.ts'
import { clientInfo, isObject, type Params } from '../protocol/revisions.ts'

const version = '2026-01-26'

/** Requests to the server that only read. */
const reads = /^(?:resources\/(?:read|list|templates\/list)|prompts\/list|tools\/list)$/

/** Requests of the app that may wait at once; further ones are rejected. */
const maxWaiting = 16

/** How long the app may take to end, before it is removed. */
const teardownTimeout = 1_000 // ms

const maxDetail = 100_000 // UTF-16 code units of arguments that the user is asked about
const maxUrl = 2_000 // UTF-16 code units

/** What an app wants the user to allow. */
export type Question =
  | { kind: 'call'; what: string; detail: string }
  | { kind: 'link'; what: string; detail: string }

export interface AppContext extends Params {
  theme: 'light' | 'dark'
  locale: string
}

/** The call that the app belongs to. */
export interface ToolCall {
  id: unknown
  tool: Params
  arguments: Params
  result: Params
}

export interface HostOptions {
  /** Sends a message to the app. */
  post(text: string): void
  /** Sends a request to the server, as a client of its own. */
  request(method: string, params: Params): Promise<Reply>
  /** Asks the user. */
  ask(question: Question): Promise<boolean>
  /** Opens a link that the user allowed. */
  open(url: string): void
  /** A message of the app for the conversation. */
  said(text: string): void
  /** The height that the app wants, in CSS pixels. */
  resized(height: number): void
  /** Records a message of the dialect: its direction and method. */
  note(line: string): void
  /** The app asks to be closed. */
  ended(): void
  /** Tools that the app may call, by name; others are rejected. */
  tools(): readonly Params[]
  context: AppContext
  call: ToolCall | undefined
}

/** Whether a tool says that apps may call it; they may, by default. */
const forApps = ({ _meta }: Params): boolean => {
  const ui = isObject(_meta) && isObject(_meta.ui) ? _meta.ui : {}
  return !Array.isArray(ui.visibility) || ui.visibility.includes('app')
}

class Refusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export function hostApp(options: HostOptions) {
  const { post, request, note, call } = options
  let state: 'new' | 'greeted' | 'ready' | 'ended' = 'new'
  let waiting = 0
  let gone = () => {}

  const send = (message: Params) => {
    if (state !== 'ended') post(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }
  const notify = (method: string, params: Params) => {
    note(`to the app: ${method}`)
    send({ method, params })
  }

  const answers: { readonly [method: string]: (params: Params) => Params | Promise<Params> } = {
    ping: () => ({}),
    'ui/initialize': () => {
      if (state === 'new') state = 'greeted'
      return {
        protocolVersion: version,
        hostInfo: { name: clientInfo.name, version: clientInfo.version },
        hostCapabilities: {
          openLinks: {},
          serverTools: {},
          serverResources: {},
          logging: {},
          message: { text: {} },
        },
        hostContext: {
          ...options.context,
          displayMode: 'inline',
          availableDisplayModes: ['inline'],
          platform: 'web',
          ...(call && { toolInfo: { id: call.id, tool: call.tool } }),
        },
      }
    },
    'ui/request-display-mode': () => ({ mode: 'inline' }),
    'ui/open-link': async ({ url }) => {
      const address = typeof url === 'string' && url.length <= maxUrl ? url : ''
      if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
        throw new Refusal(-32602, 'only http: and https: links can be opened')
      const { href } = new URL(address)
      if (!(await options.ask({ kind: 'link', what: href, detail: '' }))) return { isError: true }
      options.open(href)
      return {}
    },
    'ui/message': ({ content }) => {
      const texts = (Array.isArray(content) ? content : [])
        .filter(isObject)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
      options.said(texts.join('\n').slice(0, 10_000))
      return {}
    },
    'tools/call': async (params) => {
      const tool = options.tools().find(({ name }) => name === params.name)
      if (!tool || !forApps(tool)) throw new Refusal(-32602, 'this app cannot call the tool')
      const detail = JSON.stringify(params.arguments ?? {}, null, 2) // whole: the user allows what they see
      if (detail.length > maxDetail)
        throw new Refusal(-32602, 'the arguments are too long to be shown')
      if (!(await options.ask({ kind: 'call', what: String(params.name), detail })))
        return { content: [{ type: 'text', text: 'The user declined the call.' }], isError: true }
      return forward('tools/call', { name: params.name, arguments: params.arguments })
    },
  }

  async function forward(method: string, { _meta, ...params }: Params): Promise<Params> {
    const { result, error } = await request(method, params)
    if (result) return result
    throw new Refusal(error?.code || -32603, error?.message ?? 'no response')
  }

  async function answer(id: unknown, method: string, params: Params): Promise<void> {
    try {
      const own = Object.hasOwn(answers, method) ? answers[method] : undefined
      if (!own && !reads.test(method)) throw new Refusal(-32601, 'Method not found')
      if (state === 'new' && method !== 'ui/initialize' && method !== 'ping')
        throw new Refusal(-32600, 'ui/initialize comes first')
      if (waiting >= maxWaiting) throw new Refusal(-32603, 'too many requests at once')
      waiting++
      try {
        send({ id, result: await (own ? own(params) : forward(method, params)) })
      } finally {
        waiting--
      }
    } catch (error) {
      const code = error instanceof Refusal ? error.code : -32603
      send({ id, error: { code, message: error instanceof Error ? error.message : '' } })
    }
  }

  function heard(method: string, params: Params) {
    switch (method) {
      case 'ui/notifications/initialized':
        if (state !== 'greeted') return
        state = 'ready'
        notify('ui/notifications/tool-input', { arguments: call?.arguments ?? {} })
        if (call) notify('ui/notifications/tool-result', call.result)
        return
      case 'ui/notifications/size-changed':
        if (typeof params.height === 'number' && params.height >= 0) options.resized(params.height)
        return
      case 'ui/notifications/request-teardown':
        options.ended()
    }
  }

  return {
    /** A message of the app. */
    receive(text: string): void {
      const message: unknown = JSON.parse(text)
      if (state === 'ended' || !isObject(message) || message.jsonrpc !== '2.0') return
      const { id, method } = message
      const params = isObject(message.params) ? message.params : {}
      if (typeof method !== 'string') {
        if (id === 'teardown') gone()
        return
      }
      note(`from the app: ${method.slice(0, 100)}`)
      if (typeof id === 'string' || Number.isInteger(id)) void answer(id, method, params)
      else if (id === undefined) heard(method, params)
    },

    /** Tells the app of another theme or language. */
    changed(context: Partial<AppContext>): void {
      if (state === 'ready') notify('ui/notifications/host-context-changed', context)
    },

    /** Lets the app end. Settles when it has, or its time is over. */
    async end(): Promise<void> {
      if (state === 'ready') {
        note('to the app: ui/resource-teardown')
        await new Promise<void>((resolve) => {
          gone = resolve
          setTimeout(resolve, teardownTimeout)
          send({ id: 'teardown', method: 'ui/resource-teardown', params: {} })
        })
      }
      state = 'ended'
    },
  }
}
