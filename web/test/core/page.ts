/** Starts the whole package in Node: engine.wasm in this thread. */

import { type PageMcp, type StartOptions, start } from '../../src/index.ts'
import type { GoRuntime } from '../../src/wasm.ts'
import { type TestClient, testClient } from '../harness/client.ts'
import { engineModule, goRuntime } from './load.ts'
import './worker.ts'

export interface TestPage {
  readonly mcp: PageMcp
  /** What was reported to the developer. */
  readonly errors: unknown[]
  /** A client on a real MessageChannel. */
  /** @param principal - who the client is; default: the page itself */
  client(principal?: string): TestClient
  /** Ends the present Go program, as a panic or running out of memory does; settles when the next one runs, or none will. */
  kill(): Promise<void>
  /** Bytes of wasm memory. */
  memory(): number
}

/** What wasm_exec.js keeps inside. */
interface GoInside extends GoRuntime {
  importObject: WebAssembly.Imports & { gojs: Record<string, (sp: number) => void> }
  mem: DataView
}

/**
 * @param scope - a test, or the `after` of a file: when it ends, the page and its clients are closed
 */
export async function testPage(
  scope: { after(close: () => void): void },
  options: Partial<StartOptions> = {},
): Promise<TestPage> {
  const Go = (await goRuntime()) as unknown as new () => GoInside
  const programs: GoInside[] = []
  const errors: unknown[] = []
  class Watched extends Go {
    constructor() {
      super()
      programs.push(this)
    }
  }
  const global = globalThis as { Go?: unknown }
  global.Go = Watched
  const wasm = await engineModule()
  const mcp = start({ name: 'test', urls: { wasm }, pageSize: 50, ...options })
  mcp.on('error', (error) => errors.push(error))
  await mcp.ready
  const clients: TestClient[] = []
  scope.after(() => {
    global.Go = Go
    mcp.close()
    for (const client of clients) client.close()
  })
  return {
    mcp,
    errors,
    client(principal) {
      const { port1, port2 } = new MessageChannel()
      if (principal) mcp.accept(port1, { principal })
      const client = testClient(principal ? port2 : mcp.port())
      clients.push(client)
      return client
    },
    kill() {
      programs.at(-1)?.importObject.gojs['runtime.wasmExit']?.(0)
      return new Promise((resolve) => {
        const stop = mcp.on('state', ({ engine }) => {
          if (engine === 'restarting') return
          stop()
          resolve()
        })
        mcp.changed() // the call finds that the program has ended
      })
    },
    memory: () => programs.at(-1)?.mem.buffer.byteLength ?? 0,
  }
}
