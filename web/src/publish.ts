/**
 * Registrations of a web app: resources, templates, prompts and tools, each with the number by which the
 * engine calls it.
 */

import type { Callee, CallRequest, Extend } from './call.ts'
import { type CompletionProvider, completes } from './complete.ts'
import type { SeveralContents } from './contents.ts'
import type { ReadRequest } from './fill.ts'
import { describedPrompt, type Prompt, type PromptHandler, promptCallee } from './prompt.ts'
import { type Descriptions, wireCacheHints } from './registry.ts'
import type { JsonSchema } from './schema.ts'
import type { CacheHints, Resource, Template } from './source.ts'
import type { AnyProvider, Thread } from './thread.ts'
import { describedTool, type Tool, type ToolHandler, type ToolSchema, toolCallee } from './tool.ts'

/** The answer of a provider: the content, or a promise of it. */
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
 * Reads a resource: a string is text, bytes and Blobs are a blob, `undefined` means that the resource does
 * not exist, `contents([…])` is several items, anything else is text, as JSON. Errors that it throws are
 * reported to the page, and the client gets an internal error without details. Return a new array for
 * changed bytes: a change in place is not noticed.
 */
export type Provider = (request: ReadRequest) => Content | Promise<Content>

/** Reads a resource of a template; `variables` are those of the URI, percent-decoded. */
export type TemplateProvider = (
  variables: Record<string, string | string[]>,
  request: ReadRequest,
) => Content | Promise<Content>

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
  /** Publishes one resource. */
  resource(description: OwnResource, provider: Provider): () => void
  /** Publishes many resources at once, which is much cheaper than one by one. */
  resources(entries: Iterable<readonly [OwnResource, Provider]>): () => void
  /** Publishes the resources of an RFC 6570 template. */
  template(description: OwnTemplate, provider: TemplateProvider): () => void
  /** Publishes a prompt. */
  prompt(description: Prompt, handler: PromptHandler): () => void
  /**
   * Publishes a tool. Arguments are validated against the `inputSchema` first, and have its type if it is a Standard Schema.
   *
   * @throws TypeError for a schema that cannot be described to clients: of another dialect than 2020-12
   *   and draft 7, with references to other documents, or of a library without Standard JSON Schema
   */
  tool<I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema>(
    description: Tool<I, O>,
    handler: ToolHandler<I, O>,
  ): () => void
  /**
   * Answers a method of an extension in `start`'s options, such as `acme/x`. Methods of the protocol itself
   * cannot be replaced.
   */
  method(name: string, handler: MethodHandler): () => void
}

export interface Published {
  methods: Publishing
  provider(ref: number): AnyProvider | undefined
  /** 0: all methods of extensions. */
  callee(ref: number): (Callee & { extend?: Extend }) | undefined
}

export function publishing(thread: Pick<Thread, 'register' | 'unregister'>): Published {
  const providers: (AnyProvider | undefined)[] = [] // by number: used by each read
  const callees = new Map<number, Callee>()
  const methods = new Map<string, { handler: MethodHandler }[]>() // by name, the latest last
  const extend: Extend = async (name, params, request) =>
    methods.get(name)?.at(-1)?.handler(params, request)
  let last = 0

  /** Registers descriptions with their providers and handlers. */
  const publish = (added: Descriptions, behind: { read?: AnyProvider; callee?: Callee }[]) => {
    const first = last + 1
    last += behind.length
    for (const [i, { read, callee }] of behind.entries()) {
      if (read) providers[first + i] = read
      if (callee) callees.set(first + i, callee)
    }
    thread.register(first, added)
    return once(() => {
      for (let i = 0; i < behind.length; i++) {
        providers[first + i] = undefined
        callees.delete(first + i)
      }
      thread.unregister(first)
    })
  }

  return {
    provider: (ref) => providers[ref],
    callee: (ref) => (ref === 0 ? { extend } : callees.get(ref)),
    methods: {
      resource: (description, read) => publish({ resources: [described(description)] }, [{ read }]),
      resources(entries) {
        const all = [...entries]
        return publish(
          { resources: all.map(([description]) => described(description)) },
          all.map(([, read]) => ({ read })),
        )
      },
      template(description, provider) {
        const { complete } = description
        const read: AnyProvider = (request) => provider(request.variables ?? {}, request)
        const template = { ...describedTemplate(description), completes: namesOf(complete) }
        return publish({ templates: [template] }, [{ read, callee: completes(complete) }])
      },
      prompt(description, handler) {
        const { complete } = description
        const prompt = { ...describedPrompt(description), completes: namesOf(complete) }
        return publish({ prompts: [prompt] }, [{ callee: promptCallee(complete, handler) }])
      },
      tool(description, handler) {
        const tool = describedTool(description)
        return publish({ tools: [tool.json] }, [{ callee: toolCallee(tool, handler as never) }])
      },
      method(name, handler) {
        const one = { handler }
        methods.set(name, [...(methods.get(name) ?? []), one])
        return once(() => {
          const left = (methods.get(name) ?? []).filter((other) => other !== one)
          if (left.length > 0) methods.set(name, left)
          else methods.delete(name)
        })
      },
    },
  }
}

/** The members of a description that clients see; no others cross to the engine. */
function described(description: OwnResource) {
  const { uri, name, title, mimeType, size, annotations, icons, _meta, cache } = description
  check(uri, 'uri', name)
  const text = description.description
  const cacheHints = wireCacheHints(cache)
  return {
    uri,
    name,
    title,
    description: text,
    mimeType,
    size,
    annotations,
    icons,
    _meta,
    cacheHints,
  }
}

function describedTemplate(description: OwnTemplate) {
  const { uriTemplate, name, title, mimeType, annotations, icons, _meta, cache } = description
  check(uriTemplate, 'uriTemplate', name)
  const text = description.description
  const cacheHints = wireCacheHints(cache)
  return {
    uriTemplate,
    name,
    title,
    description: text,
    mimeType,
    annotations,
    icons,
    _meta,
    cacheHints,
  }
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
