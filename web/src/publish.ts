/**
 * Registrations of a web app: resources, templates, prompts and tools, each with the number by which the
 * engine calls it.
 */

import {
  type CallRequest,
  type Extend,
  prepareCalls,
  type RegisteredCallee,
  warnOfSchema,
} from './call.ts'
import type { CompletionProvider } from './complete.ts'
import { provided, type Ready, type SeveralContents, type TransferredBytes } from './contents.ts'
import {
  type EventDescription,
  type EventLog,
  eventLog,
  eventResource,
  type PageEvent,
} from './events.ts'
import { lazily, loader } from './module.ts'
import { describedPrompt, type Prompt, type PromptHandler, promptCallee } from './prompt.ts'
import type { ReadRequest } from './read-request.ts'
import { prepareRedaction, type Redact } from './redacting.ts'
import {
  type AnyProvider,
  type Behind,
  type Descriptions,
  type Registry,
  wireCacheHints,
} from './registry.ts'
import type { JsonSchema } from './schema.ts'
import type {
  SkillDescription,
  SkillOptions,
  SkillParameters,
  SkillRegistration,
} from './skills.ts'
import type { CacheHints, Resource, Template } from './source.ts'
import { describedTool, type Tool, type ToolHandler, type ToolSchema, toolCallee } from './tool.ts'

/**
 * A content: a string is text; bytes, Blobs and `transfer(bytes)` are a blob; `undefined` means that the
 * resource does not exist; `contents([…])` is several items; anything else is text, as JSON.
 */
export type Content =
  | string
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | Blob
  | SeveralContents
  | TransferredBytes
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

/** Reads a resource of a template; `variables` are those of the URI, percent-decoded. */
export type TemplateProvider = (
  variables: Record<string, string | string[]>,
  request: ReadRequest,
) => Content | Promise<Content>

/** `V`, unless it is a function or a promise: a value is a content itself. */
export type ContentValue<V> = V extends ((...args: never[]) => unknown) | PromiseLike<unknown>
  ? never
  : V

/** The registration of a published value. Call it to remove the resource. */
export interface ValueRegistration {
  (): void
  /**
   * Replaces the value, and announces the change to clients unless it is the same text or JSON. Without
   * effect once the registration is removed.
   *
   * @throws TypeError for a function, a promise, and what JSON cannot write; the old value stays
   */
  set<V extends Content>(value: ContentValue<V>): void
}

/** The registration of many resources. Call it to remove all of them. */
export interface ValuesRegistration {
  (): void
  /**
   * Replaces the value of one resource, as {@link ValueRegistration.set} does.
   *
   * @throws TypeError for a URI that was not registered with a value here
   */
  set<V extends Content>(uri: string, value: ContentValue<V>): void
}

/** A resource that the web app registers. */
export interface OwnResource extends Resource {
  /** How long clients may cache its content. */
  cache?: CacheHints
}

/** A template that the web app registers. */
export interface OwnTemplate extends Template {
  /** How long clients may cache contents. */
  cache?: CacheHints
  /** Completes variables, by name. */
  complete?: Record<string, CompletionProvider>
}

/** Answers a method of an extension; errors are handled as for a prompt. */
export type MethodHandler = (
  params: Record<string, unknown>,
  request: CallRequest,
) => object | Promise<object>

/**
 * Registers; each method returns a function that removes the registration. A URI, template or name may be
 * registered several times: the latest registration is served, and after its removal the latest of the
 * others. So two components can register the same.
 */
export interface Publishing {
  /**
   * Publishes one resource whose content is computed: the provider is called by each read. Announce changes
   * by {@link PageMcp.changed}.
   */
  resource(description: OwnResource, provider: Provider): () => void
  /**
   * Publishes one resource with its value, which moves to the engine: reads are answered there, without
   * this window, and faster. An object is written as JSON text now: change it by `set` of the result. Bytes
   * are copied, unless they are given as `transfer(bytes)`. With the option `redact` of `start` the value
   * stays in the window, and passes the hook at each read.
   *
   * @throws TypeError for a promise, and what JSON cannot write
   */
  resource<V extends Content>(description: OwnResource, value: ContentValue<V>): ValueRegistration
  /**
   * Publishes many resources at once, which is much cheaper than one by one: values, or providers. Entries that are
   * not valid are left out: one event `error` names them.
   */
  resources(entries: Iterable<readonly [OwnResource, Provider | Content]>): ValuesRegistration
  /** Publishes the resources of an RFC 6570 template. */
  template(description: OwnTemplate, provider: TemplateProvider): () => void
  /** Publishes a prompt. */
  prompt(description: Prompt, handler: PromptHandler): () => void
  /**
   * Publishes a tool. Arguments are validated against the `inputSchema` first, and have its type: that of a
   * Standard Schema, or of JSON Schema written here or `as const`.
   *
   * @throws TypeError for a schema that cannot be described to clients: of another dialect than 2020-12
   *   and draft 7, with references to other documents, or of a library without Standard JSON Schema
   */
  tool<const I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema>(
    description: Tool<I, O>,
    handler: ToolHandler<I, O>,
  ): () => void
  /**
   * Offers a skill: instructions for models, a SKILL.md whose frontmatter is `description`, and further files.
   * Clients get it by the extension `io.modelcontextprotocol/skills`, which is declared while there are
   * skills, and the files as resources `skill://name/SKILL.md` too. The option `redact` of `start` gets each file
   * once, when it is registered.
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
   * @throws TypeError for a description that is not valid
   */
  event<D = unknown>(description: EventDescription): PageEvent<D>
  /**
   * Answers a method of an extension in `start`'s options, such as `acme/x`. Methods of the protocol itself
   * cannot be replaced.
   */
  method(name: string, handler: MethodHandler): () => void
}

export interface Published {
  methods: Publishing
  /** All methods of extensions. */
  extensions: RegisteredCallee
  /** Resolves when the engine has all that was registered so far, whose code may load late, or after {@link loadTime}. */
  registered(): Promise<unknown> | undefined
}

/** How long a page waits for the code of its skills before it joins a gateway, ms. */
const loadTime = 2_000

/**
 * @param changed - announces that the content of a resource has changed
 * @param redact - a hook of this window that contents pass: then it keeps the values
 * @param warn - gets what works here and may not work elsewhere
 */
export function publishing(
  registry: () => Registry,
  changed: (uri: string) => void,
  redact: Redact | undefined,
  warn: (problem: Error) => void,
): Published {
  if (redact) prepareRedaction()
  const methods = new Map<string, { handler: MethodHandler }[]>() // by name, the latest last
  const extend: Extend = async (name, params, request) =>
    methods.get(name)?.at(-1)?.handler(params, request)
  const unready = new Set<Promise<unknown>>() // what is being registered: a page joins with all or nothing
  const untilReady = (ready: Promise<unknown>) => {
    unready.add(ready)
    const isReady = () => unready.delete(ready)
    ready.then(isReady, isReady)
  }
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
    return { first, remove: once(() => registry().remove(first)) }
  }

  const resources: Publishing['resources'] = (entries) => {
    const all: (readonly [OwnResource, Provider | Content])[] = []
    const added: ReturnType<typeof described>[] = []
    const behind: Behind[] = []
    const refused: unknown[] = []
    for (const entry of entries) {
      try {
        const [description, content] = entry
        const own = [described(description), behindResource(description.uri, content)] as const
        added.push(own[0])
        behind.push(own[1])
        all.push(entry)
      } catch (error) {
        refused.push(error)
      }
    }
    if (all.length === 0 && refused.length > 0) throw refused[0]
    if (refused.length > 0) {
      warn(new TypeError(`not registered, while the others are: ${refused.join('; ')}`))
    }
    const { first, remove } = publish({ resources: added }, behind)
    // The values themselves are not kept here: they are the engine's now.
    const uris = all.map(([{ uri }, content]) => (typeof content === 'function' ? '' : uri))
    let refs: Map<string, number> | undefined // made when it is first used
    const set = (uri: string, value: Content) => {
      refs ??= new Map(uris.map((own, i) => [own, i]))
      const i = refs.get(uri)
      if (i === undefined) {
        throw new TypeError(`${uri} was registered without a value: call changed(uri) instead`)
      }
      registry().set(first + i, uri, readyValue(uri, value))
    }
    return Object.assign(remove, { set })
  }

  return {
    extensions: { extend },
    registered: () =>
      unready.size === 0
        ? undefined
        : Promise.race([
            Promise.allSettled(unready),
            new Promise((late) => setTimeout(late, loadTime)),
          ]),
    methods: {
      resource(description: OwnResource, content: Content) {
        const one = resources([[description, content]])
        const set = (value: Content) => one.set(description.uri, value)
        return Object.assign(() => one(), { set })
      },
      resources,
      template(description, provider) {
        const { complete } = description
        const read: AnyProvider = (request) => provider(request.variables ?? {}, request)
        const template = { ...describedTemplate(description), completes: namesOf(complete) }
        const callee = { completions: complete ?? {} }
        return publish({ templates: [template] }, [{ read, callee }]).remove
      },
      prompt(description, handler) {
        const { complete } = description
        const prompt = { ...describedPrompt(description), completes: namesOf(complete) }
        return publish({ prompts: [prompt] }, [{ callee: promptCallee(complete, handler) }]).remove
      },
      tool(description, handler) {
        const tool = describedTool(description)
        void warnOfSchema(tool.json, warn)
        const callee = toolCallee(tool, handler as never, description as never)
        return publish({ tools: [tool.json] }, [{ callee }]).remove
      },
      skill(...skill: SkillParameters) {
        const removed = new AbortController()
        const ready = loadSkills().then((module) =>
          module.offerSkill(skill, publish, redact, removed.signal),
        )
        untilReady(ready)
        return Object.assign(() => removed.abort(), { ready })
      },
      event(own) {
        const resource = eventResource(own)
        const log = events.get(own.name) ?? eventLog(own.name)
        events.set(own.name, log)
        const { remove } = publish({ resources: [described(resource)] }, [{ read: log.text }])
        return {
          emit(data) {
            log.append(data)
            changed(resource.uri)
          },
          remove,
        }
      },
      method(name, handler) {
        const one = { handler }
        const others = () => (methods.get(name) ?? []).filter((other) => other !== one)
        methods.set(name, [...others(), one])
        return () => void methods.set(name, others())
      },
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
function described(resource: OwnResource) {
  const { uri, size } = resource
  check(uri, 'uri', resource.name)
  return { uri, size, ...commonMembers(resource) }
}

function describedTemplate(template: OwnTemplate) {
  const { uriTemplate } = template
  check(uriTemplate, 'uriTemplate', template.name)
  return { uriTemplate, ...commonMembers(template) }
}

function commonMembers(described: OwnResource | OwnTemplate) {
  const { name, title, description, mimeType, annotations, icons, _meta, cache } = described
  const cacheHints = wireCacheHints(cache)
  return { name, title, description, mimeType, annotations, icons, _meta, cacheHints }
}

function namesOf(complete: object | undefined): string[] | undefined {
  return complete && Object.keys(complete)
}

function check(uri: unknown, member: string, name: unknown) {
  if (typeof uri !== 'string' || !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) {
    throw new TypeError(`${member} must begin with a scheme, such as notes:, but is ${String(uri)}`)
  }
  if (typeof name !== 'string' || name === '') throw new TypeError(`${uri} needs a name`)
}

/** A function that runs `act` at its first call only. */
export function once(act: () => void): () => void {
  let past = false
  return () => {
    if (past) return
    past = true
    act()
  }
}
