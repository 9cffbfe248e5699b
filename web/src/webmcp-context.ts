/**
 * WebMCP, the browser's interface by which a document offers tools to an assistant, in its dialects:
 *
 * - `document.modelContext`, or the deprecated `navigator.modelContext`, with `getTools` and `executeTool`. Input
 *   and schemas are objects since Chromium 155 and 154, and JSON text before, as in the polyfill of @mcp-b. Since
 *   Chromium 160 tools are interface objects, whose members are read by name: `source` instead of `window`, and
 *   `null` for an empty schema or no annotations
 * - `navigator.modelContextTesting` of previews before, with `listTools` and `executeTool` by name
 *
 * @see https://webmachinelearning.github.io/webmcp/
 */

/** A tool as the browser describes it. */
export interface NativeTool {
  readonly name: string
  readonly title?: string | null
  readonly description?: string | null
  readonly inputSchema?: object | string | null
  readonly annotations?: {
    readonly readOnlyHint?: boolean | null
    readonly untrustedContentHint?: boolean | null
    readonly consequentialHint?: boolean | null
    readonly debugging?: boolean | null
  } | null
  readonly source?: unknown
  readonly window?: unknown
}

/** A tool to register. */
export interface OfferedTool {
  name: string
  title?: string
  description: string
  inputSchema: object
  annotations: {
    readOnlyHint?: boolean
    untrustedContentHint?: boolean
    consequentialHint?: boolean
  }
  execute(input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
}

interface Listened {
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal }): void
  registerToolsChangedCallback?(callback: () => void): void
}

interface ModelContext extends Listened {
  registerTool?(tool: OfferedTool, options: { signal: AbortSignal }): unknown
  unregisterTool?(name: string): unknown
  getTools?(): Promise<readonly NativeTool[]>
  executeTool?(tool: NativeTool, input: unknown, options: object): Promise<string | null>
}

interface TestingContext extends Listened {
  listTools(): readonly NativeTool[]
  executeTool(name: string, input: string, options: object): Promise<string | null>
}

/** The interface of this document, or `undefined`. A polyfill may add it later. */
function modelContext(): ModelContext | undefined {
  type Holder = { modelContext?: ModelContext } | undefined
  const inDocument = (globalThis.document as Holder)?.modelContext
  return inDocument ?? (globalThis.navigator as Holder)?.modelContext
}

function testingContext(): TestingContext | undefined {
  return (globalThis.navigator as { modelContextTesting?: TestingContext } | undefined)
    ?.modelContextTesting
}

/** Whether an error says that this frame may not use WebMCP. */
export const isForbidden = (error: unknown): boolean =>
  (error as DOMException | null)?.name === 'NotAllowedError'

/** What the developer is told then, once. */
export const forbidden =
  'this frame may not use WebMCP, so it has no tools there: give its iframe element the attribute allow="tools"'

/** The tools of this document, those of its frames not among them. */
export async function nativeTools(): Promise<readonly NativeTool[]> {
  const context = modelContext()
  const all = context?.getTools ? await context.getTools() : (testingContext()?.listTools() ?? [])
  return all.filter((tool) => {
    const owner = tool.source ?? tool.window
    return owner === undefined || owner === window
  })
}

/** Whether input is JSON text: known once a call has been refused or accepted. */
const takesText = new WeakMap<ModelContext, boolean>()

/**
 * Executes a tool that {@link nativeTools} has returned just now: older descriptions may be of a tool that is gone.
 *
 * @returns what the tool returned: text as it is, other values as JSON; `null` if the document was left
 */
export async function executeNative(
  tool: NativeTool,
  input: object,
  signal: AbortSignal,
): Promise<string | null> {
  const context = modelContext()
  const options = { signal }
  if (!context?.getTools || !context.executeTool) {
    const testing = testingContext()
    if (testing === undefined) {
      throw new Error(
        `the tool ${tool.name} cannot run: document.modelContext was removed; reload the page`,
      )
    }
    return testing.executeTool(tool.name, JSON.stringify(input), options)
  }
  const known = takesText.get(context)
  if (known !== true) {
    try {
      const answer = await context.executeTool(tool, input, options)
      takesText.set(context, false)
      return answer
    } catch (error) {
      // Only input that was refused before the tool ran is sent again: other errors may be the tool's own.
      if (known === false || !isRefusedInput(error)) throw error
      takesText.set(context, true)
    }
  }
  return context.executeTool(tool, JSON.stringify(input), options)
}

function isRefusedInput(error: unknown): boolean {
  const { name, message } = (error ?? {}) as Error
  if (/^Failed to parse input/.test(message)) return true // Chromium 149 to 154, and the polyfill
  return (
    name === 'TypeError' &&
    /^Failed to execute 'executeTool'|must be a (JSON )?string/.test(message)
  )
}

/**
 * Registers a tool until the signal is aborted.
 *
 * @returns whether there is an interface to register it at
 * @throws a `DOMException` named `InvalidStateError` if the name is taken
 */
export async function registerNative(tool: OfferedTool, signal: AbortSignal): Promise<boolean> {
  const context = modelContext()
  if (context?.registerTool === undefined) return false
  await context.registerTool(tool, { signal })
  if (context.unregisterTool) {
    const unregister = () => {
      try {
        context.unregisterTool?.(tool.name)
      } catch {} // the signal has done it
    }
    signal.addEventListener('abort', unregister)
  }
  return true
}

/** Calls `changed` whenever tools may have come or gone. */
export function watchNative(changed: () => void, signal: AbortSignal): void {
  const context: Listened | undefined = modelContext()?.getTools ? modelContext() : testingContext()
  if (context?.addEventListener) context.addEventListener('toolchange', changed, { signal })
  else context?.registerToolsChangedCallback?.(() => signal.aborted || changed())
}
