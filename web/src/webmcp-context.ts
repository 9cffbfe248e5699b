/**
 * WebMCP, the browser's interface by which a document offers tools to an assistant: `document.modelContext`. Input and
 * schemas are objects, and JSON text in the polyfill of @mcp-b. Since Chromium 160 tools are interface objects, whose members are read by name: `source`
 * instead of `window`, and `null` for an empty schema or no annotations.
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

interface ModelContext {
  registerTool?(tool: OfferedTool, options: { signal: AbortSignal }): unknown
  getTools?(): Promise<readonly NativeTool[]>
  executeTool?(tool: NativeTool, input: unknown, options: object): Promise<string | null>
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal }): void
}

/** The names of tools that this page has offered, which are not mirrored. */
export const offered = new Set<string>()

/** The interface of this document, or `undefined`. A polyfill may add it later. */
function modelContext(): ModelContext | undefined {
  return (globalThis.document as { modelContext?: ModelContext } | undefined)?.modelContext
}

/** Whether an error says that this frame may not use WebMCP. */
export const isForbidden = (error: unknown): boolean =>
  (error as DOMException | null)?.name === 'NotAllowedError'

/** What the developer is told then, once. */
export const forbidden =
  'this frame may not use WebMCP, so it has no tools there: give its iframe element the attribute allow="tools"'

/** The tools of this document, those of its frames not among them. */
export async function nativeTools(): Promise<readonly NativeTool[]> {
  const all = (await modelContext()?.getTools?.()) ?? []
  return all.filter((tool) => {
    const owner = tool.source ?? tool.window
    return owner === undefined || owner === window
  })
}

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
  if (!context?.executeTool) {
    throw new Error(
      `the tool ${tool.name} cannot run: document.modelContext was removed; reload the page`,
    )
  }
  try {
    return await context.executeTool(tool, input, options)
  } catch (error) {
    // Only input that was refused before the tool ran is sent again: other errors may be the tool's own.
    if (!isRefusedInput(error)) throw error
  }
  return context.executeTool(tool, JSON.stringify(input), options)
}

function isRefusedInput(error: unknown): boolean {
  const { name, message } = (error ?? {}) as Error
  if (/^Failed to parse input/.test(message)) return true // the polyfill
  return (
    name === 'TypeError' &&
    /^Failed to execute 'executeTool'|must be a (JSON )?string/.test(message)
  )
}

/**
 * Registers a tool until the signal is aborted, if there is an interface.
 *
 * @throws a `DOMException` named `InvalidStateError` if the name is taken
 */
export async function registerNative(tool: OfferedTool, signal: AbortSignal): Promise<void> {
  await modelContext()?.registerTool?.(tool, { signal })
}

/** Calls `changed` whenever tools may have come or gone. */
export function watchNative(changed: () => void, signal: AbortSignal): void {
  modelContext()?.addEventListener?.('toolchange', changed, { signal })
}
