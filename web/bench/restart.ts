/** The time until an ended engine answers again, beside that of the first start. */

import { type PageMcp, start } from 'pagemcp'
import { benchClient, directPorts } from './client.ts'
import type { Pair } from './reading.ts'

/** The members of Go's wasm_exec.js that end a program. */
interface Go {
  importObject: { gojs: { 'runtime.wasmExit'(code: number): void } }
}

const uri = 'app://restart'

let wasm: Promise<WebAssembly.Module> | undefined

async function started(): Promise<{ mcp: PageMcp; end(): void }> {
  const global = globalThis as unknown as { Go: new () => Go }
  const { Go } = global
  let program: Go | undefined
  global.Go = class extends Go {
    constructor() {
      super()
      program = this
    }
  }
  try {
    wasm ??= WebAssembly.compileStreaming(fetch('/pagemcp/engine.wasm'))
    const urls = { wasm: await wasm }
    const mcp = await start({ name: 'restart', version: '1.0.0', worker: false, urls })
    mcp.resource({ uri, name: 'restart' }, () => 'read')
    return { mcp, end: () => program?.importObject.gojs['runtime.wasmExit'](0) }
  } finally {
    global.Go = Go
  }
}

export const restart: Pair = {
  name: 'engine back after its end',
  plainly: 'first start',
  async round() {
    await wasm // compiled once
    const begun = performance.now()
    const { mcp, end } = await started()
    const { near, far } = directPorts()
    const client = benchClient(near)
    mcp.accept(far)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    await client.call('initialize', params)
    client.notify('notifications/initialized')
    await client.call('resources/read', { uri })
    const ended = performance.now()
    const back = new Promise<void>((resolve) => {
      mcp.on('state', () => mcp.state.engine === 'running' && resolve())
    })
    end()
    mcp.changed() // any call notices that it has ended
    await back
    await client.call('resources/read', { uri })
    const times = { ours: (performance.now() - ended) * 1000, plain: (ended - begun) * 1000 }
    mcp.close()
    return times
  },
}
