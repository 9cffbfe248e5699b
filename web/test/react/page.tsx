/** Bundled into a page, with React in development mode: what the tests of the hooks render. */

import { act, createElement, type ReactElement, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type * as pagemcp from '../../src/index.ts'
import { PageMcpProvider, usePrompt, useResource, useResources, useTool } from '../../src/react.ts'
import { testClient } from '../harness/client.ts'

const { start } = (await import('/pagemcp/index.js' as string)) as typeof pagemcp
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const engine = await start({ name: 'react' })

/** How often things were registered, and how many are. */
const registered: Record<string, { times: number; now: number }> = {}
const counted = new Proxy(engine, {
  get(target, name) {
    const member = target[name as keyof pagemcp.PageMcp] as unknown
    const isCounted = ['tool', 'prompt', 'resources', 'resource']
    if (!isCounted.includes(name as string)) return member
    return (...args: unknown[]) => {
      registered[name as string] ??= { times: 0, now: 0 }
      const count = registered[name as string] as { times: number; now: number }
      count.times++
      count.now++
      const remove = (member as (...args: unknown[]) => () => void)(...args)
      return Object.assign(() => {
        count.now--
        remove()
      }, remove)
    }
  },
})

/** Connects a client to the engine. It gets notifications of later changes only. */
async function connect() {
  const client = testClient(engine.port())
  await client.initialize()
  await client.ask('ping') // notifications come from here on
  client.got.length = 0
  /** Sends a request; returns the result, or the error's message. */
  async function ask<R>(method: string, params: object = {}): Promise<R> {
    const { result, error } = await client.ask(method, params)
    return (result ?? (error as { message: string }).message) as R
  }
  const notifications = () =>
    client.got.flatMap(({ method, params }) =>
      method ? `${method} ${(params as { uri?: string } | undefined)?.uri ?? ''}`.trim() : [],
    )
  return { ask, notifications }
}
const { ask } = await connect()

const names = async (list: 'tools' | 'prompts' | 'resources' | 'resources/templates') => {
  const result = await ask<Record<string, { name: string }[]>>(`${list}/list`)
  const [, items] = Object.entries(result).find(([, value]) => Array.isArray(value)) ?? []
  return (items ?? []).map(({ name }) => name)
}
const read = async (uri: string) =>
  (await ask<{ contents?: { text: string }[] }>('resources/read', { uri })).contents?.[0]?.text
const call = async (name: string) =>
  (await ask<{ content?: { text: string }[] }>('tools/call', { name, arguments: {} })).content?.[0]
    ?.text
const complete = async (ref: object, name: string, value = '') =>
  (
    await ask<{ completion?: { values: string[] } }>('completion/complete', {
      ref,
      argument: { name, value },
    })
  ).completion?.values

const root = createRoot(document.body.appendChild(document.createElement('main')))
/** Renders, and runs all effects. */
const show = (element: ReactNode, { strict = false, without = false, mcp = counted } = {}) =>
  act(async () => {
    const provided = createElement(PageMcpProvider, { mcp: without ? undefined : mcp }, element)
    root.render(strict ? <StrictMode>{provided}</StrictMode> : provided)
  })

/** Everything that can be registered, with functions that differ at each render. */
function Everything({ version }: { version: string }): ReactElement {
  useTool('tool', () => `tool ${version}`)
  usePrompt(
    'prompt',
    { arguments: [{ name: 'a' }], complete: { a: () => [`prompt ${version}`] } },
    () => `prompt ${version}`,
  )
  useResources('app://{id}', {
    name: 'Template',
    complete: { id: () => [`id ${version}`] },
    read: ({ id }) => `${id} ${version}`,
  })
  useResource('app:function', { name: 'Function' }, () => `function ${version}`)
  useResource('app:value', { name: 'Value' }, `value ${version}`)
  return <p>{version}</p>
}

async function all() {
  const prompt = await ask<{ messages: { content: { text: string } }[] }>('prompts/get', {
    name: 'prompt',
    arguments: {},
  })
  return [
    await call('tool'),
    prompt.messages?.[0]?.content.text,
    (await complete({ type: 'ref/prompt', name: 'prompt' }, 'a'))?.join(),
    await read('app://7'),
    (await complete({ type: 'ref/resource', uri: 'app://{id}' }, 'id'))?.join(),
    await read('app:function'),
    await read('app:value'),
  ]
}

const counts = () => JSON.parse(JSON.stringify(registered)) as typeof registered

function Named({ text, uri = 'app:same' }: { text: string; uri?: string }) {
  useResource(uri, { name: text }, text)
  useTool('same', () => text)
  return null
}

function Completed({ list }: { list: string[] }) {
  usePrompt('p', { arguments: [{ name: 'a' }], complete: { a: list } }, () => 'p')
  return null
}

export const kit = {
  /** Rendered, rendered again with other functions, and gone. */
  async lifecycle(strict: boolean) {
    await show(null, { strict }) // StrictMode mounts twice what comes when the engine runs
    await show(<Everything version="1" />, { strict })
    const first = await all()
    const registeredOnce = counts()
    // A new client gets notifications of later changes only, and the first one at once.
    const later = await connect()
    await show(<Everything version="2" />, { strict })
    const second = await all()
    const registeredThen = counts()
    await later.ask('ping')
    const announced = later.notifications()
    await show(null, { strict })
    const left = [await names('tools'), await names('prompts'), await names('resources')]
    return {
      first,
      second,
      announced,
      isSame: JSON.stringify(registeredOnce) === JSON.stringify(registeredThen),
      left: left.flat(),
      now: Object.values(counts()).reduce((sum, { now }) => sum + now, 0),
    }
  },

  /** Two components with one name and URI. */
  async duplicates(strict: boolean) {
    await show(null, { strict }) // StrictMode mounts twice what comes when the engine runs
    const shown: unknown[] = []
    const note = async () => shown.push([await call('same'), await read('app:same')])
    await show([<Named key="a" text="a" />], { strict })
    await note()
    await show([<Named key="a" text="a" />, <Named key="b" text="b" />], { strict })
    await note()
    await show([<Named key="a" text="a2" />, <Named key="b" text="b" />], { strict })
    await note()
    await show([<Named key="a" text="a2" />], { strict })
    await note()
    await show(null, { strict })
    return { shown, left: await names('tools') }
  },

  /** A description that changes, and an engine that comes, changes and goes. */
  async changes() {
    const shown: unknown[] = []
    await show(<Named text="a" uri="app:one" />, { without: true })
    shown.push(await names('resources'))
    await show(<Named text="a" uri="app:one" />)
    shown.push(await names('resources'))
    await show(<Named text="b" uri="app:two" />)
    shown.push((await read('app:one')) ?? 'gone', await read('app:two'))
    await show(<Completed list={['x']} />)
    const ref = { type: 'ref/prompt', name: 'p' }
    shown.push(await complete(ref, 'a'))
    await show(<Completed list={['y']} />)
    shown.push(await complete(ref, 'a'))
    await show(<Completed list={['y']} />, { without: true })
    shown.push(await names('prompts'))
    await show(null)
    return shown
  },
}

Object.assign(window, { kit, ready: true })
