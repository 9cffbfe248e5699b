/**
 * The engine of a scenario: registers what its files describe, and applies its events, with the package as any
 * web app uses it.
 *
 * A prompt or tool returns `text`, in which `{name}` is an argument, or `result` unchanged except for such
 * placeholders. `complete` has completions by argument (`a/b`: b, if a is chosen), `progress` is reported
 * before the result, one item `every` so often, `delay` is its duration, `needs` are rounds of requests to the
 * client, and `{answers}` their responses. With `task`, calls of a tool become tasks.
 */

import type {
  CallRequest,
  CompletionProvider,
  Content,
  Contents,
  InputRequest,
  Json,
  PageMcp,
  PromptOptions,
  PromptResult,
  StartOptions,
  ToolOptions,
  ToolResult,
} from 'pagemcp'
import type { Described, Scenario } from './scenario.ts'

/** The used part of the package. */
export type Package = Pick<typeof import('pagemcp'), 'start' | 'contents'>

/** Places of the engine's files. */
export type Where = Pick<StartOptions, 'urls'>

export interface ScenarioEngine {
  /** A port to the engine, for another client. */
  port(): MessagePort
  /**
   * Applies an event: `write URI "text"`, `touch URI`, `add URI {…}`, `remove URI`, `addPrompt`,
   * `removePrompt`, `addTool`, `removeTool`, `emit EVENT {…}`, `wait 500ms`, `shutdown`.
   *
   * @throws Error for an unknown verb, invalid JSON, or a missing resource
   */
  event(verb: string, subject: string, value: string): Promise<void>
  close(): void
}

interface ScriptedItem extends Described {
  text?: string
  result?: Json
  complete?: Record<string, string[]>
  delay?: string
  every?: string
  progress?: { progress: number; total?: number; message?: string }[]
  needs?: Record<string, InputRequest>[]
}

/** Starts the engine with everything that the scenario describes. */
export async function startScenarioEngine(
  scenario: Scenario,
  { start, contents }: Package,
  where: Where,
): Promise<ScenarioEngine> {
  const mcp: PageMcp = start({
    name: 'transcript',
    access: 'open', // a demo, wherever it is served
    version: '1.0.0',
    ...scenario.info,
    ...engineOptions(scenario.options),
    ...where,
  })
  await mcp.ready
  const things = new Map<string, Described>()
  const removals = new Map<string, () => void>()

  const read = async (uri: string, signal: AbortSignal): Promise<Content> => {
    const thing = things.get(uri)
    if (thing === undefined) return undefined
    if (thing.delay) await later(String(thing.delay), signal)
    if (Array.isArray(thing.contents)) {
      return contents(thing.contents.map(({ blob, ...part }) => ({ ...part, ...bytesIn(blob) })))
    }
    return bytesIn(thing.blob).blob ?? String(thing.text ?? '')
  }
  const publish = (uri: string, thing: Described) => {
    things.set(uri, thing)
    const description = { ...thing, uri, name: String(thing.name ?? uri) }
    removals.set(
      uri,
      mcp.resource(description.uri, description, ({ signal }) => read(uri, signal)),
    )
  }
  const publishTemplate = (uriTemplate: string, { complete, ...thing }: Described) => {
    const text = String(thing.text ?? '')
    mcp.resources(uriTemplate, {
      ...thing,
      name: String(thing.name ?? uriTemplate),
      complete: completions(complete as ScriptedItem['complete']),
      read: (variables) => filled(text, variables),
    })
  }
  const offerPrompt = (name: string, item: ScriptedItem) => {
    const options = { ...item, complete: completions(item.complete) } as PromptOptions
    const remove = mcp.prompt(name, options, async (args, request) => {
      const answer = await perform(item, args, request)
      return typeof answer === 'string' ? answer : (answer as unknown as PromptResult)
    })
    removals.set(`prompt ${name}`, remove)
  }
  const offerTool = (name: string, item: ScriptedItem) => {
    const remove = mcp.tool(name, { ...item } as ToolOptions, async (args, request) => {
      const answer = await perform(item, args, request)
      return typeof answer === 'string' ? answer : (answer as unknown as ToolResult)
    })
    removals.set(`tool ${name}`, remove)
  }
  const withdraw = (key: string) => {
    const remove = removals.get(key)
    if (remove === undefined) throw new Error(`there is no ${key}`)
    removals.delete(key)
    things.delete(key)
    remove()
  }

  for (const [uri, thing] of Object.entries(scenario.resources)) publish(uri, thing)
  for (const [uri, thing] of Object.entries(scenario.templates)) publishTemplate(uri, thing)
  for (const [name, item] of Object.entries(scenario.prompts)) offerPrompt(name, item)
  for (const [name, item] of Object.entries(scenario.tools)) offerTool(name, item)

  const events = new Map<string, (subject: string, value: string) => unknown>([
    [
      'write',
      (uri, value) => {
        const thing = things.get(uri)
        if (thing === undefined) throw new Error(`there is no ${uri}`)
        things.set(uri, { ...thing, text: JSON.parse(value) })
        mcp.changed(uri)
      },
    ],
    ['touch', (uri) => mcp.changed(uri)],
    ['add', (uri, value) => publish(uri, JSON.parse(value))],
    ['remove', withdraw],
    ['addPrompt', (name, value) => offerPrompt(name, JSON.parse(value))],
    ['addTool', (name, value) => offerTool(name, JSON.parse(value))],
    ['removePrompt', (name) => withdraw(`prompt ${name}`)],
    ['removeTool', (name) => withdraw(`tool ${name}`)],
    ['wait', (duration) => later(duration)],
    ['shutdown', () => mcp.close()],
  ])
  return {
    port: () => mcp.port(),
    async event(verb, subject, value) {
      const act = events.get(verb)
      if (act === undefined) throw new Error(`there is no event "${verb}"`)
      await act(subject, value)
    },
    close: () => mcp.close(),
  }
}

/** Options of `start` from the names of Go's `engine.Options`. Capabilities that are not named are not offered. */
function engineOptions(options: Scenario['options']): Partial<StartOptions> {
  const { pageSize, cache, tools, prompts, completions, noSubscribe, noListChanged } = options
  const { TTL = 0, Public = false } = (cache ?? {}) as { TTL?: number; Public?: boolean }
  return {
    ...(typeof pageSize === 'number' && { pageSize }),
    ...(cache !== undefined && {
      cache: { ttlMs: TTL / 1e6, scope: Public ? 'public' : 'private' }, // TTL is in ns
    }),
    capabilities: {
      tools: tools === true,
      prompts: prompts === true,
      completions: completions === true,
      subscribe: noSubscribe !== true,
      listChanged: noListChanged !== true,
    },
  }
}

/** Runs a prompt or tool. */
async function perform(
  { text, result, progress = [], every, delay, needs = [] }: ScriptedItem,
  args: Readonly<Record<string, unknown>>,
  request: CallRequest,
): Promise<string | Json> {
  let answers: unknown
  for (const round of needs) answers = { ...(answers as object), ...(await request.ask(round)) }
  for (const step of progress) {
    if (every) await later(every, request.signal)
    request.progress(step.progress, step.total, step.message)
  }
  if (delay) await later(delay, request.signal)
  const words = { ...args, answers }
  return result === undefined ? filled(text ?? '', words) : filledJson(result, words)
}

/** Replaces `{name}` in a text. */
function filled(text: string, words: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = Object.hasOwn(words, name) ? words[name] : undefined
    if (word === undefined) return whole
    return typeof word === 'object' ? JSON.stringify(word) : String(word)
  })
}

function filledJson(value: Json, words: Readonly<Record<string, unknown>>): Json {
  if (typeof value === 'string') return filled(value, words)
  if (Array.isArray(value)) return value.map((item) => filledJson(item, words))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, filledJson(own, words)]),
  )
}

/** Completions in the package's form. */
function completions(values?: Record<string, string[]>) {
  if (values === undefined) return undefined
  const providers: Record<string, CompletionProvider> = {}
  for (const [name, all] of Object.entries(values)) {
    providers[name] = (typed, context) => suggested(all, typed, context.arguments)
  }
  return providers
}

/** The values with the typed prefix; `a/b` is b, if a is chosen. */
function suggested(
  values: readonly string[],
  typed: string,
  chosen: Readonly<Record<string, string>>,
): string[] {
  return values
    .flatMap((value) => {
      const [of = '', ...rest] = value.split('/')
      if (rest.length === 0) return value
      return Object.values(chosen).includes(of) ? rest.join('/') : []
    })
    .filter((value) => value.startsWith(typed))
}

function bytesIn(blob: unknown): Pick<Contents, 'blob'> {
  if (typeof blob !== 'string') return {}
  return { blob: Uint8Array.from(atob(blob), (character) => character.charCodeAt(0)) }
}

/** Settles after a duration such as `250ms` or `2s`, and rejects when the signal is aborted. */
function later(duration: string, signal?: AbortSignal): Promise<void> {
  const [, count = '', unit = ''] = /^(\d+)(ms|s)$/.exec(duration) ?? []
  const factor = { ms: 1, s: 1000 }[unit]
  if (factor === undefined) throw new Error(`no such duration: ${duration}`)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Number(count) * factor)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', end, { once: true })
  })
}
