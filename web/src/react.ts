'use client'

/**
 * Hooks for React, `pagemcp/react`: components serve content while they are mounted. React is a peer
 * dependency.
 *
 * ```tsx
 * const mcp = start({ name: 'notes' })
 * createRoot(node).render(<PageMcpProvider mcp={mcp}><App /></PageMcpProvider>)
 *
 * function ShoppingList() {
 *   const [items, setItems] = useState<string[]>([])
 *   useResource('notes://shopping', items)
 *   useTool('add', { inputSchema }, ({ item }) => setItems((all) => [...all, item]))
 *   …
 * }
 * ```
 */

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
} from 'react'
import type {
  CallRequest,
  CompletionProvider,
  Content,
  JsonSchema,
  PageMcp,
  PromptHandler,
  PromptOptions,
  Provider,
  ReadRequest,
  ResourceOptions,
  ResourcesOptions,
  StandardSchema,
  ToolAnswer,
  ToolHandler,
  ToolOptions,
  ToolSchema,
} from './index.ts'

const Engine = createContext<PageMcp | undefined>(undefined)

/**
 * Provides the hooks below it with an engine.
 *
 * @param props.mcp - what `start` returns; `undefined`: none, and the hooks serve nothing
 */
export function PageMcpProvider(props: {
  mcp: PageMcp | undefined
  children?: ReactNode
}): ReactElement {
  const { mcp, children } = props
  return createElement(Engine.Provider, { value: mcp }, children)
}

/** The engine of the nearest {@link PageMcpProvider}. */
export function useMcp(): PageMcp | undefined {
  return useContext(Engine)
}

/**
 * Serves a resource while the component is mounted. A value is published as with
 * {@link PageMcp.resource}: the engine keeps it, and a new value (by `Object.is`, like state) replaces
 * it and announces the change, unless it is the same text or JSON. A value that cannot be published, such
 * as an object with a cycle, is reported (`window.onerror`), and the resource has no content until the next.
 *
 * @param content - a value; or a function, called by each read: that of the last render. Announce its
 *   changes by `mcp.changed`
 */
export function useResource(
  uri: string,
  ...rest: [content: Shown] | [options: ResourceOptions, content: Shown]
): void {
  const [options, content] = rest.length === 1 ? [{}, rest[0]] : rest
  const mcp = useMcp()
  const latest = useLatest(content)
  const registration = useRef<{ set(value: unknown): void; value: unknown }>(undefined)
  const isComputed = typeof content === 'function'
  const publish = ([uri, options]: readonly [string, ResourceOptions]) => {
    if (isComputed) {
      return mcp?.resource(uri, options, (request) => (latest.current as Provider)(request))
    }
    const value = latest.current
    const registered = mcp && orReport(value, (left) => mcp.resource(uri, options, left as string))
    if (registered === undefined) return undefined
    registration.current = { set: registered.set as (value: unknown) => void, value }
    return () => {
      registration.current = undefined
      registered()
    }
  }
  usePublished([uri, options] as const, publish, isComputed)
  useEffect(() => {
    const current = registration.current
    if (current === undefined || Object.is(current.value, content)) return
    current.value = content
    orReport(content, current.set)
  })
}

/** A value, or a function that each read calls. */
type Shown = Content | ((request: ReadRequest) => Content | Promise<Content>)

/** Publishes a value; if it cannot be published, reports that and publishes no content: an old one would be wrong. */
function orReport<R>(value: unknown, publish: (value: unknown) => R): R {
  try {
    return publish(value)
  } catch (error) {
    globalThis.reportError?.(error)
    return publish(undefined)
  }
}

/** Offers a tool while the component is mounted; the handler is that of the last render. */
export function useTool<const I extends ToolSchema = JsonSchema, O extends ToolSchema = JsonSchema>(
  name: string,
  ...rest: [handler: ToolHandler<I, O>] | [options: ToolOptions<I, O>, handler: ToolHandler<I, O>]
): void {
  const [options, handler] = rest.length === 1 ? [{} as ToolOptions<I, O>, rest[0]] : rest
  const mcp = useMcp()
  const { prepare } = options
  const latest = useLatest({ handler, prepare })
  const last = (what: 'handler' | 'prepare') =>
    ((args: never, request: CallRequest): ToolAnswer | Promise<ToolAnswer> =>
      latest.current[what]?.(args, request) as ToolAnswer) as ToolHandler<I, O>
  usePublished([name, options] as const, ([name, stable]) =>
    mcp?.tool(
      name,
      {
        ...stable,
        ...(stable.prepare && { prepare: last('prepare') as typeof prepare }),
      },
      last('handler'),
    ),
  )
}

/** Offers a prompt while the component is mounted; its functions are those of the last render. */
export function usePrompt(
  name: string,
  ...rest: [handler: PromptHandler] | [options: PromptOptions, handler: PromptHandler]
): void {
  const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest
  const mcp = useMcp()
  const latest = useLatest(handler)
  const complete = useCompletions(options.complete)
  usePublished([name, { ...options, complete }] as const, ([name, stable]) =>
    mcp?.prompt(name, stable, (args, request) => latest.current(args, request)),
  )
}

/**
 * Serves the resources of an RFC 6570 template while the component is mounted; its functions are those of the
 * last render. Announce changes by `mcp.changed`, with the URI of a resource, or without for the list.
 */
export function useResources<const T extends string>(
  uriTemplate: T,
  options: ResourcesOptions<T>,
): void {
  const mcp = useMcp()
  const latest = useLatest(options)
  const complete = useCompletions(options.complete as PromptOptions['complete'])
  const isListed = options.list !== undefined
  usePublished(
    [uriTemplate, { ...options, complete }] as const,
    ([uriTemplate, stable]) =>
      mcp?.resources(uriTemplate, {
        ...(stable as ResourcesOptions),
        read: (variables, request) => latest.current.read(variables as never, request),
        ...(isListed && { list: () => latest.current.list?.() ?? [] }),
      } as ResourcesOptions<T>),
    isListed,
  )
}

/** Completions whose functions are those of the last render; lists are part of the description. */
function useCompletions(
  complete: Record<string, CompletionProvider> | undefined,
): Record<string, CompletionProvider> | undefined {
  const latest = useLatest(complete)
  if (complete === undefined) return undefined
  return Object.fromEntries(
    Object.entries(complete).map(([name, values]) => {
      if (typeof values !== 'function') return [name, values]
      const call: CompletionProvider = (value, context) => {
        const now = latest.current?.[name] ?? []
        return typeof now === 'function' ? now(value, context) : now
      }
      return [name, call]
    }),
  )
}

/** The value of the last committed render. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}

/**
 * Publishes a description while the component is mounted, and again when its JSON text changes: components
 * create a new object at each render. A schema of a library and a function have no text: the first schema is
 * used, and functions that are of the last render.
 *
 * @param kind - publishes again when it changes
 */
function usePublished<D extends object>(
  description: D,
  publish: (stable: D) => (() => void) | undefined,
  kind = false,
): void {
  const mcp = useMcp()
  const stable = useRef(description)
  const text = JSON.stringify(description, (_, value) =>
    typeof value === 'function' || isSchema(value) ? '' : value,
  )
  const act = useLatest(publish)
  const lastText = useRef(text)
  if (lastText.current !== text) {
    lastText.current = text
    stable.current = description
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: text stands for the description
  useEffect(() => (mcp ? act.current(stable.current) : undefined), [mcp, text, kind])
}

function isSchema(value: unknown): value is StandardSchema {
  return typeof value === 'object' && value !== null && '~standard' in value
}
