import wasm from 'pagemcp/engine.wasm'
import { startMcp } from './mcp.js'

startMcp({ wasm, worker: './pagemcp-worker.js' })
