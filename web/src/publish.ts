/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Registrations of a web app: resources, templates, prompts and tools, each with the number by which the
 * engine calls it.
 */

import type { CompletionProvider } from './callee.ts'
import { prepareCalls } from './callee.ts'
import {
  prepareRedaction,
  provided,
  type ReadRequest,
  type Ready,
  type Redact,
  type SeveralContents,
} from './contents.ts'
import { lazily, loader } from './module.ts'
import {
  type AnyProvider,
  type Behind,
  type Descriptions,
  type Registry,
  wireCacheHints,
} from './registry.ts'
import type {
  SkillDescription,
  SkillOptions,
  SkillParameters,
  SkillRegistration,
} from './skills.ts'
import {
  BadCursorError,
  type CacheHints,
  NotFoundError,
  type Resource,
  type Source,
  type Template,
} from './source.ts'
import {
  describedPrompt,
  describedTool,
  type JsonSchema,
  type PromptHandler,
  type PromptOptions,
  promptCallee,
  type RegisteredTool,
  type ToolHandler,
  type ToolOptions,
  type ToolSchema,
} from './tool.ts'

/**
 * A content: a string is text; bytes and Blobs are a blob; `undefined` means that the
 * resource does not exist; `contents([…])` is several items; anything else is text, as JSON.
 */
export type Content =
  | string
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | Blob
  | SeveralContents
  | undefined
  | null
  | boolean
  | number
  | object

/**
 * Reads a resource. Errors that it throws are reported to the page, and the client gets an internal error
 * without details. Return a new array for changed bytes: a change in place is not noticed.
 */
export type Provider = (request: ReadRequest) => Content | Promise<Content>

/** The variables of a URI template, percent-decoded. Those behind the character of an operator may be missing. */
export type Variables<T extends string> = string extends T
  ? Record<string, string>
  : {
      [E in Expressions<T> as NameIn<E>]: E extends `?${string}` ? string | undefined : string
    }

type Expressions<T> = T extends `${string}{${infer E}}${infer Rest}`
  ? Named<E> | Expressions<Rest>
  : never
type Named<E> = E extends `${'?' | '&' | ';' | '/' | '.' | '#'}${infer Names}`
  ? `?${Listed<Names>}`
  : E extends `+${infer Name}`
    ? Name
    : E & string
type Listed<Names> = Names extends `${infer Name},${infer Rest}`
  ? Name | Listed<Rest>
  : Names & string
type NameIn<E> = E extends `?${infer Name}` ? Name : E & string

/** `V`, unless it is a function or a promise: a value is a content itself. */
export type ContentValue<V> = V extends ((...args: never[]) => unknown) | PromiseLike<unknown>
  ? never
  : V

/** The registration of a published value. */
export interface ValueRegistration extends Registration {
  /**
   * Replaces the value, and announces the change to clients unless it is the same text or JSON. Without
   * effect once the registration is removed.
   *
   * @throws TypeError for a function, a promise, and what JSON cannot write; the old value stays
   */
  set<V extends Content>(value: ContentValue<V>): void
}

/** The registration of many resources. */
export interface ValuesRegistration extends Registration {
  /**
   * Replaces the value of one resource, as {@link ValueRegistration.set} does.
   *
   * @throws TypeError for a URI that was not registered with a value here
   */
  set<V extends Content>(uri: string, value: ContentValue<V>): void
}

/** What all registrations have in common. */
export interface Registering {
  /** Removes the registration. */
  signal?: AbortSignal
}

/** Describes a resource that the web app registers. */
export interface ResourceOptions extends Partial<Omit<Resource, 'uri'>>, Registering {
  /** How long clients may cache its content. */
  cache?: CacheHints
}

/** Describes the resources of a URI template, and reads them. */
export interface ResourcesOptions<T extends string = string>
  extends Partial<Omit<Template, 'uriTemplate'>>,
    Registering {
  /**
   * Reads a resource of the template, or of {@link ResourcesOptions.list}. `undefined`: there is none. Errors are handled as
   * for a {@link Provider}.
   */
  read: (variables: Variables<T>, request: ReadRequest) => Content | Promise<Content>
  /**
   * The resources that there are now: URIs, alone or with a description. Without it they are not listed. Announce changes by
   * `changed()`.
   */
  list?: () => Iterable<ListedResource> | Promise<Iterable<ListedResource>>
  /** How long clients may cache contents. */
  cache?: CacheHints
  /** Completes variables, by name. */
  complete?: { readonly [name in keyof Variables<T> & string]?: CompletionProvider }
}

/** A resource in a list: its URI, or a description. */
export type ListedResource = string | (Partial<Resource> & Pick<Resource, 'uri'>)

/**
 * Registers; what each method returns removes the registration. A URI, template or name may be
 * registered several times: the latest registration is served, and after its removal the latest of the
 * others. So two components can register the same.
 */
export interface Publishing {
  /**
   * Publishes one resource whose content is computed: the provider is called by each read. Announce changes
   * by {@link PageMcp.changed}. Its name is the last part of the URI, unless the options have one.
   */
  resource(uri: string, provider: Provider): Registration
  resource(uri: string, options: ResourceOptions, provider: Provider): Registration
  /**
   * Publishes one resource with its value, which moves to the engine: reads are answered there, without
   * this window, and faster. An object is written as JSON text now: change it by `set` of the result. Bytes
   * are copied. With the option `redact` of `start` the value stays in the window, and passes the hook at each read.
   *
   * @throws TypeError for a promise, and what JSON cannot write
   */
  resource<V extends Content>(uri: string, value: ContentValue<V>): ValueRegistration
  resource<V extends Content>(
    uri: string,
    options: ResourceOptions,
    value: ContentValue<V>,
  ): ValueRegistration
  /** Publishes the resources of an RFC 6570 template, whose variables `read` gets. */
  resources<const T extends string>(uriTemplate: T, options: ResourcesOptions<T>): Registration
  /**
   * Publishes many resources at once, which is much cheaper than one by one: values, or providers. Entries that are
   * not valid are left out: one event `error` names them.
   */
  resources(
    entries: Iterable<
      readonly [Exclude<ListedResource, string> & ResourceOptions, Provider | Content]
    >,
  ): ValuesRegistration
  /** Publishes a prompt. */
  prompt(name: string, handler: PromptHandler): Registration
  prompt(name: string, options: PromptOptions, handler: PromptHandler): Registration
  /**
   * Publishes a tool. Arguments are validated against the `inputSchema` first, and have its type: that of a
   * Standard Schema, or of JSON Schema written here or `as const`.
   *
   * @throws TypeError for a schema that cannot be described to clients: of another dialect than 2020-12
   *   and draft 7, with references to other documents, or of a library without Standard JSON Schema
   */
  tool(name: string, handler: ToolHandler): Registration
  tool<const I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema>(
    name: string,
    options: ToolOptions<I, O>,
    handler: ToolHandler<I, O>,
  ): Registration
  /**
   * Offers a skill: instructions for models, a SKILL.md whose frontmatter is `description`, and further files.
   * Clients get it by the extension `io.modelcontextprotocol/skills`, and the files as resources
   * `skill://name/SKILL.md` too. The option `redact` of `start` gets each file once, when it is registered.
   */
  skill(
    description: SkillDescription,
    instructions: string,
    options?: SkillOptions,
  ): SkillRegistration
  /**
   * Offers an event as the resource `event:///{name}`, whose text has a line of JSON for each of the last 100
   * occurrences, at most 64 KiB: `number`, which counts from 1 in each document, `time` and `data`. Registrations of one
   * name share their occurrences.
   *
   * @throws TypeError for options that are not valid
   */
  event<D = unknown>(name: string, options?: EventOptions): PageEvent<D>
}

/**
 * @param changed - announces that the content of a resource has changed
 * @param mount - mounts a source
 * @param redact - a hook of this window that contents pass: then it keeps the values
 * @param report - gets errors for the developer
 */
export function publishing(
  registry: () => Registry,
  changed: (uri: string) => void,
  mount: (source: Source) => () => void,
  redact: Redact | undefined,
  report: (problem: Error) => void,
): Publishing {
  if (redact) prepareRedaction()
  const events = new Map<string, EventLog>() // by name
  const loadSkills = loader(() => lazily('skills.js', import('./skills.ts')))

  /**
   * Registers descriptions with their values, providers and handlers.
   *
   * @param final - values have passed the hook already
   */
  const publish = (added: Descriptions, behind: Behind[], final = false) => {
    if (behind.some(({ callee }) => callee)) prepareCalls()
    const first = registry().add(added, behind, redact !== undefined && !final)
    return { first, remove: () => registry().remove(first) }
  }

  const values = (
    entries: Iterable<readonly [Exclude<ListedResource, string> & ResourceOptions, unknown]>,
    signal?: AbortSignal,
  ): ValuesRegistration => {
    const uris: string[] = [] // '': it has no value
    const added: ReturnType<typeof described>[] = []
    const behind: Behind[] = []
    const refused: unknown[] = []
    for (const entry of entries) {
      try {
        const [description, content] = entry
        const own = [
          described(description),
          behindResource(description.uri, content as Content),
        ] as const
        added.push(own[0])
        behind.push(own[1])
        uris.push(typeof content === 'function' ? '' : description.uri)
      } catch (error) {
        refused.push(error)
      }
    }
    if (uris.length === 0 && refused.length > 0) throw refused[0]
    if (refused.length > 0) {
      report(new TypeError(`not registered, while the others are: ${refused.join('; ')}`))
    }
    const { first, remove } = publish({ resources: added }, behind)
    let refs: Map<string, number> | undefined // made when it is first used
    const set = (uri: string, value: Content) => {
      refs ??= new Map(uris.map((own, i) => [own, i]))
      const i = refs.get(uri)
      if (i === undefined) {
        throw new TypeError(`${uri} was registered without a value: call changed(uri) instead`)
      }
      registry().set(first + i, uri, readyValue(uri, value))
    }
    return ending(remove, signal, { set })
  }

  const template = (uriTemplate: string, options: ResourcesOptions) => {
    const { complete, read, list } = options
    const described = { uriTemplate, ...commonMembers(uriTemplate, options) }
    const provider: AnyProvider = (request) => read(request.variables ?? {}, request)
    const { remove } = publish({ templates: [{ ...described, completes: namesOf(complete) }] }, [
      { read: provider, callee: { completions: (complete ?? {}) as never } },
    ])
    const unmount = list && mount(listSource(list))
    return ending(() => {
      remove()
      unmount?.()
    }, options.signal)
  }

  return {
    resource(uri: string, ...rest: [unknown] | [ResourceOptions, unknown]) {
      const [options, content] = rest.length === 1 ? [{}, rest[0]] : rest
      const own = values([[{ ...options, uri }, content]], options.signal)
      const { set } = own
      return Object.assign(own, { set: (value: Content) => set(uri, value as never) })
    },
    resources: ((first: string | Parameters<typeof values>[0], options?: ResourcesOptions) =>
      typeof first === 'string'
        ? template(first, options as ResourcesOptions)
        : values(first)) as Publishing['resources'],
    prompt(name: string, ...rest: [PromptHandler] | [PromptOptions, PromptHandler]) {
      const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest
      const { complete } = options
      const prompt = { ...describedPrompt({ ...options, name }), completes: namesOf(complete) }
      const { remove } = publish({ prompts: [prompt] }, [
        { callee: promptCallee(complete, handler) },
      ])
      return ending(remove, options.signal)
    },
    tool(name: string, ...rest: [unknown] | [ToolOptions, unknown]) {
      const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest
      const tool = describedTool({ ...options, name })
      const { prepare, confirm } = options
      const own = { ...tool, handler, prepare, confirm } as RegisteredTool
      return ending(
        publish({ tools: [tool.json] }, [{ callee: { tool: own } }]).remove,
        options.signal,
      )
    },
    skill(...skill: SkillParameters) {
      const removed = new AbortController()
      const ready = loadSkills().then((module) =>
        module.offerSkill(skill, publish, redact, removed.signal),
      )
      return ending(() => removed.abort(), skill[2]?.signal, { ready })
    },
    event(name, options = {}) {
      const resource = eventResource(name, options)
      const log = events.get(name) ?? eventLog(name)
      events.set(name, log)
      const { remove } = publish({ resources: [described(resource)] }, [{ read: log.text }])
      return ending(remove, options.signal, {
        emit(data?: unknown) {
          log.append(data)
          changed(resource.uri)
        },
      })
    },
  }
}

function behindResource(uri: string, content: Content): Behind {
  if (typeof content === 'function') return { read: content as AnyProvider }
  return { value: { ready: readyValue(uri, content) } }
}

/** @throws TypeError for what cannot be published */
function readyValue(uri: string, value: Content): Ready | undefined {
  if (typeof value === 'function') {
    throw new TypeError(`the value of ${uri} is a function: register it, or call it`)
  }
  if (typeof (value as PromiseLike<unknown> | undefined)?.then === 'function') {
    throw new TypeError(`the value of ${uri} is a promise: await it, or register a function`)
  }
  try {
    return provided(value)
  } catch (error) {
    throw new TypeError(`the value of ${uri} is no content: ${String(error)}`, { cause: error })
  }
}

/** The members of a description that clients see; no others cross to the engine. */
function described(resource: Exclude<ListedResource, string> & ResourceOptions) {
  const { uri, size } = resource
  return { uri, size, ...commonMembers(uri, resource) }
}

function commonMembers(uri: unknown, described: ResourceOptions | ResourcesOptions) {
  if (typeof uri !== 'string' || !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) {
    throw new TypeError(`a URI begins with a scheme, such as notes:, but this is ${String(uri)}`)
  }
  const {
    name = lastPartOf(uri),
    title,
    description,
    mimeType,
    annotations,
    icons,
    _meta,
  } = described
  if (typeof name !== 'string' || name === '') throw new TypeError(`${uri} needs a name`)
  const cacheHints = wireCacheHints(described.cache)
  return { name, title, description, mimeType, annotations, icons, _meta, cacheHints }
}

/** The last part of a URI or a template, without its variables. */
function lastPartOf(uri: string): string {
  const parts = uri.replace(/\{[^}]*\}/g, '').split(/[:?#]|\//)
  return parts.findLast((part) => part !== '') ?? uri
}

/** Lists the resources of a template, which the template reads. */
function listSource(list: NonNullable<ResourcesOptions['list']>): Source {
  return {
    async list(cursor, { pageSize }) {
      const from = Number(cursor ?? 0)
      if (!Number.isSafeInteger(from) || from < 0) throw new BadCursorError(String(cursor))
      const all = [...(await list())].slice(from)
      const resources = all
        .slice(0, pageSize)
        .map((one) => described(typeof one === 'string' ? { uri: one } : one))
      const nextCursor = all.length > pageSize ? String(from + pageSize) : undefined
      return { resources, ...(nextCursor !== undefined && { nextCursor }) }
    },
    read: (uri) => Promise.reject(new NotFoundError(uri)),
  }
}

function namesOf(complete: object | undefined): string[] | undefined {
  return complete && Object.keys(complete)
}

// Events of an app: each is a resource with its last occurrences, as lines of JSON.

/** Describes an event. */
export interface EventOptions {
  /** Removes the registration. */
  signal?: AbortSignal
  title?: string
  /** For models: what has happened, and what to do then. */
  description?: string
  /**
   * Whether `data` may be shown outside of the assistant's conversation, such as in the lines of `pagemcp watch
   * --contents`. Default: it may not.
   */
  show?: boolean
}

/** An event that the app offers. `D` is the type of its data. Its resource stays while the event is registered elsewhere, too. */
export interface PageEvent<D = unknown> extends Registration {
  /**
   * Appends an occurrence, with a copy of `data` as JSON, and announces the change of the resource.
   *
   * @throws TypeError for data that JSON cannot write, or that has more than 16 KiB
   */
  emit(data?: D): void
}

const maxLines = 100
const maxBytes = 64 << 10 // of all lines
const maxData = 16 << 10 // bytes

export interface EventLog {
  /** @throws TypeError for data that does not fit */
  append(data: unknown): void
  /**
   * The last occurrences as lines of JSON, oldest first: `number` from 1, `time`, `since` when the numbers began (both ISO
   * 8601), and `data`.
   */
  text(): string
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

export function eventLog(name: string): EventLog {
  const since = new Date().toISOString()
  const lines: { text: string; bytes: number }[] = []
  let bytes = 0
  let number = 0
  return {
    append(data) {
      const json = JSON.stringify(data)
      if (json === undefined && data !== undefined) {
        throw new TypeError(`the data of ${name} is nothing that JSON can write`)
      }
      if (json !== undefined && bytesOf(json) > maxData) {
        throw new TypeError(`the data of ${name} has more than 16 KiB: emit a URI of it`)
      }
      const head = JSON.stringify({ number: ++number, time: new Date().toISOString(), since })
      const text = json === undefined ? `${head}\n` : `${head.slice(0, -1)},"data":${json}}\n`
      const line = { text, bytes: bytesOf(text) }
      lines.push(line)
      bytes += line.bytes
      while (lines.length > maxLines || bytes > maxBytes) bytes -= lines.shift()?.bytes ?? 0
    },
    text: () => lines.map(({ text }) => text).join(''),
  }
}

/** The resource of an event. @throws TypeError for a name that is not valid */
export function eventResource(name: string, { title, description, show }: EventOptions) {
  if (typeof name !== 'string' || name === '') throw new TypeError('an event needs a name')
  const uri = `event:///${encodeURIComponent(name)}`
  const _meta = show ? { 'io.github.pagemcp/show': true } : undefined
  return { uri, name, title, description, mimeType: 'application/jsonl', _meta }
}

// How everything ends that an app registers, mounts or connects.

/** Ends what it is of: at its first call, by `using`, or by the signal that the options had. */
export interface Registration extends Disposable {
  (): void
}

/**
 * Makes one.
 *
 * @param end - runs once
 * @param members - further members of it
 */
export function ending<M extends object = object>(
  end: () => void,
  signal?: AbortSignal,
  members?: M,
): Registration & M {
  let isPast = false
  const once = () => {
    if (isPast) return
    isPast = true
    signal?.removeEventListener('abort', once)
    end()
  }
  if (signal?.aborted) once()
  else signal?.addEventListener('abort', once)
  return disposable(Object.assign(once, members), once)
}

/** Adds `Symbol.dispose` where the browser has it. */
export function disposable<T extends object>(of: T, end: () => void): T & Disposable {
  if (Symbol.dispose) Object.defineProperty(of, Symbol.dispose, { value: end })
  return of as T & Disposable
}
