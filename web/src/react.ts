/**
 * Hooks for React, `pagemcp/react`: components serve content while they are mounted. React is a peer
 * dependency.
 *
 * ```tsx
 * const mcp = await start({ name: 'trip' })
 * createRoot(node).render(<PageMcpProvider mcp={mcp}><App /></PageMcpProvider>)
 *
 * function Cart() {
 *   const [items, setItems] = useState<string[]>([])
 *   usePageMcpResource({ uri: 'shop://cart', name: 'Cart' }, items)
 *   usePageMcpTool({ name: 'add', inputSchema }, ({ item }) => setItems((all) => [...all, item]))
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
  Content,
  JsonSchema,
  PageMcp,
  Prompt,
  PromptHandler,
  ReadRequest,
  Resource,
  StandardSchema,
  Tool,
  ToolAnswer,
  ToolHandler,
  ToolSchema,
} from './index.ts'

const Engine = createContext<PageMcp | undefined>(undefined)

/** Provides the hooks below it with an engine; while it is `undefined`, nothing is served. */
export function PageMcpProvider(props: {
  mcp: PageMcp | undefined
  children?: ReactNode
}): ReactElement {
  return createElement(Engine.Provider, { value: props.mcp }, props.children)
}

/** The engine of the nearest {@link PageMcpProvider}. */
export function usePageMcp(): PageMcp | undefined {
  return useContext(Engine)
}

/**
 * Serves a resource while the component is mounted, and announces a change when the value changes
 * (compared by `Object.is`, like state).
 *
 * @param content - the answer of reads, as of a provider; a function is called by each read, and
 *   `mcp.changed` announces its changes
 */
export function usePageMcpResource(
  description: Resource,
  content: Content | ((request: ReadRequest) => Content | Promise<Content>),
): void {
  const mcp = usePageMcp()
  const latest = useLatest(content)
  const { uri } = description
  usePublished(description, (stable) =>
    mcp?.resource(stable, (request) => {
      const now = latest.current
      return typeof now === 'function' ? now(request) : now
    }),
  )
  const published = useRef(content)
  useEffect(() => {
    if (Object.is(published.current, content) || typeof content === 'function') return
    published.current = content
    mcp?.changed(uri)
  }, [mcp, uri, content])
}

/** Offers a tool while the component is mounted; the handler is that of the last render. */
export function usePageMcpTool<
  I extends ToolSchema = JsonSchema,
  O extends ToolSchema = JsonSchema,
>(description: Tool<I, O>, handler: ToolHandler<I, O>): void {
  const mcp = usePageMcp()
  const latest = useLatest(handler)
  usePublished(description, (stable) =>
    mcp?.tool(
      stable,
      ((args: never, request: CallRequest): ToolAnswer | Promise<ToolAnswer> =>
        latest.current(args, request) as ToolAnswer) as ToolHandler<I, O>,
    ),
  )
}

/** Offers a prompt while the component is mounted; the provider is that of the last render. */
export function usePageMcpPrompt(description: Prompt, provider: PromptHandler): void {
  const mcp = usePageMcp()
  const latest = useLatest(provider)
  usePublished(description, (stable) =>
    mcp?.prompt(stable, (args, request) => latest.current(args, request)),
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
 * create a new object at each render. A schema of a library has no text: its first value is used.
 */
function usePublished<D extends object>(
  description: D,
  publish: (stable: D) => (() => void) | undefined,
): void {
  const mcp = usePageMcp()
  const stable = useRef(description)
  const text = JSON.stringify(description, (_, value) => (isSchema(value) ? '' : value))
  const act = useLatest(publish)
  const lastText = useRef(text)
  if (lastText.current !== text) {
    lastText.current = text
    stable.current = description
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: text stands for the description
  useEffect(() => (mcp ? act.current(stable.current) : undefined), [mcp, text])
}

function isSchema(value: unknown): value is StandardSchema {
  return typeof value === 'object' && value !== null && '~standard' in value
}
