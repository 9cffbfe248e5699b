/** Implementations of WebMCP for tests in Node, one for each dialect. */

interface Registered {
  name: string
  title?: string
  description: string
  inputSchema?: object
  annotations?: object
  execute(input: unknown, options: { signal?: AbortSignal }): unknown
}

export interface FakeContext {
  /** Registers a tool as a script of the page does; returns how it is unregistered. */
  register(tool: Partial<Registered> & { name: string }): () => void
  /** Inputs that tools were executed with. */
  readonly executed: unknown[]
  /** How often a tool was executed or an execution was refused. */
  readonly calls: { name: string; input: unknown }[]
  names(): string[]
  uninstall(): void
}

export type Dialect = 'interfaces' | 'objects' | 'text'
export const dialects: readonly Dialect[] = ['interfaces', 'objects', 'text']

/** As in Chromium 160: members are getters of the prototype, and what is empty is `null`. */
class RegisteredTool {
  readonly #tool: Registered
  readonly #source: unknown

  constructor(tool: Registered, source: unknown) {
    this.#tool = tool
    this.#source = source
  }
  get name() {
    return this.#tool.name
  }
  get title() {
    return this.#tool.title ?? null
  }
  get description() {
    return this.#tool.description
  }
  get inputSchema() {
    return this.#tool.inputSchema ?? null
  }
  get annotations() {
    return this.#tool.annotations ?? null
  }
  get source() {
    return this.#source
  }
}

/** A tool of a frame. */
const inFrame: Registered[] = [{ name: 'framed', description: 'Of a frame', execute: () => 'no' }]

/** Installs `document.modelContext`. */
export function installContext(dialect: Dialect): FakeContext {
  const tools = new Map<string, Registered>()
  const target = new EventTarget()
  const executed: unknown[] = []
  const calls: { name: string; input: unknown }[] = []
  const changed = () => target.dispatchEvent(new Event('toolchange'))
  const remove = (name: string) => {
    if (tools.delete(name)) changed()
  }
  const failed = 'Tool was executed but the invocation failed.'
  const execute = async (name: string, input: unknown, options: { signal?: AbortSignal } = {}) => {
    calls.push({ name, input })
    const tool = tools.get(name)
    if (tool === undefined) throw new DOMException('no such tool', 'UnknownError')
    let args = input
    if (dialect === 'text') {
      try {
        args = JSON.parse(String(input))
      } catch {
        throw new DOMException('Failed to parse input arguments', 'UnknownError')
      }
    } else if (typeof input !== 'object') {
      throw new TypeError(
        "Failed to execute 'executeTool' on 'ModelContext': value is not an object",
      )
    }
    executed.push(args)
    let answer: unknown
    try {
      answer = await tool.execute(args, options)
    } catch (error) {
      if (error instanceof TypeError) throw error // of a polyfill that does not wrap errors
      throw new DOMException(failed, 'UnknownError')
    }
    if (answer === null) return null
    return typeof answer === 'object' ? JSON.stringify(answer) : String(answer)
  }
  const described = ({ execute, inputSchema, ...rest }: Registered) => ({
    ...rest,
    inputSchema: dialect === 'text' ? JSON.stringify(inputSchema) : inputSchema,
  })
  const registerTool = (tool: Registered, { signal }: { signal?: AbortSignal } = {}) => {
    if (tools.has(tool.name)) throw new DOMException('Duplicate tool name', 'InvalidStateError')
    tools.set(tool.name, tool)
    signal?.addEventListener('abort', () => remove(tool.name))
    changed()
  }
  const context = Object.assign(target, {
    registerTool: async (tool: Registered, options?: object) => registerTool(tool, options),
    getTools: async () =>
      dialect === 'interfaces'
        ? [...tools.values(), ...inFrame].map(
            (tool) => new RegisteredTool(tool, inFrame.includes(tool) ? {} : globalThis),
          )
        : [...tools.values()].map((tool) => ({
            ...described(tool),
            origin: 'null',
            window: globalThis,
          })),
    executeTool: (tool: { name: string }, input: unknown, options?: object) =>
      execute(tool.name, input, options),
  })
  const installed: [object, string, PropertyDescriptor | undefined][] = []
  const install = (holder: object, name: string, value: unknown) => {
    installed.push([holder, name, Object.getOwnPropertyDescriptor(holder, name)])
    Object.defineProperty(holder, name, { configurable: true, value })
  }
  install(globalThis, 'window', globalThis)
  install(globalThis, 'document', { modelContext: context })
  return {
    register(tool) {
      registerTool({ description: 'A tool', execute: () => 'done', ...tool })
      return () => remove(tool.name)
    },
    executed,
    calls,
    names: () => [...tools.keys()],
    uninstall() {
      for (const [holder, name, before] of installed.reverse()) {
        if (before) Object.defineProperty(holder, name, before)
        else delete (holder as Record<string, unknown>)[name]
      }
    },
  }
}
